# SPDX-License-Identifier: MIT
"""What a boot asks of a board: characters printed, images loaded, instructions; counted from its recording."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.analysis.loads import hidden_ns, loads_of
from bootlab.model.costs import Amounts
from bootlab.model.modelled import LOADED
from bootlab.model.recording import Recording
from bootlab.model.timeline import Load


def amounts_of(recording: Recording) -> Amounts:
    """Return what a boot asks of a board up to its goal."""
    return recording.once("board amounts", lambda: _amounts(recording))


def _amounts(recording: Recording) -> Amounts:
    meta = recording.meta
    read = [load for load in loads_of(recording) if not load.within_memory]
    sizes = [load.size_bytes for load in read]
    # Without a boot loader the emulator puts the images into memory; a board's loader reads them. Of a silent loader
    # the SPL's load alone is seen.
    images = [size for name in LOADED if (size := meta.artefact_bytes.get(name, 0))]
    unseen_ns = hidden_ns(recording, sum(images))
    if unseen_ns is not None or not sizes:
        sizes += images
    one = (meta.processors.count == 1 or meta.processors.alone) and meta.mode == "exact" and meta.shift is not None
    return Amounts(
        exact_ns=meta.goal_ns or 0,
        # Of several processors the sum of instructions is nobody's time.
        instructions=meta.goal_insns if one else None,
        instruction_ns=1 << (meta.shift or 0),
        characters=meta.console_bytes,
        late_characters=_late_characters(recording),
        image_bytes=sum(sizes),
        images=len(sizes),
        loaded_ns=sum(load.duration_ns for load in read) + (unseen_ns or 0),
        loaded_instructions=_executed(recording, read, unseen_ns or 0) if one else 0,
    )


def _executed(recording: Recording, loads: Sequence[Load], unseen_ns: int) -> int:
    """Count the instructions of loads, by the lines and marks at their ends.

    Where an end has no count, and in loads that nothing tells of, the processor is taken to have worked all the time:
    U-Boot's drivers poll.
    """
    at = {mark.ns: mark.insns for mark in recording.marks if mark.insns is not None}
    for line in recording.lines:
        at |= {
            ns: insns for ns, insns in ((line.first_ns, line.insns), (line.last_ns, line.last_insns)) if ns and insns
        }
    each_ns = 1 << (recording.meta.shift or 0)
    counted = 0
    for load in loads:
        start, end = at.get(load.start_ns), at.get(load.start_ns + load.duration_ns)
        counted += load.duration_ns // each_ns if start is None or end is None else max(0, end - start)
    return counted + unseen_ns // each_ns


def _late_characters(recording: Recording) -> int:
    """Count what user space printed before the goal: the kernel waits for each of its own characters, programs do not.

    drivers/tty/serial/8250/8250_port.c and its like wait for an empty transmitter at the end of each message of the
    kernel; what a program writes goes through a buffer. Where nothing tells when user space began, nothing is late.
    """
    began, goal_ns = recording.mark("user-space"), recording.meta.goal_ns
    if began is None or goal_ns is None:
        return 0
    lines = (line for line in recording.lines if line.printk_ns is None and line.first_ns is not None)
    # Each line ends with a carriage return and a line feed.
    late = sum(len(line.text) + 2 for line in lines if began.ns <= (line.first_ns or 0) <= goal_ns)
    return min(late, recording.meta.console_bytes)
