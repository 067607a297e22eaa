# SPDX-License-Identifier: MIT
"""How many characters a boot prints in a stretch of its time, and for which of them it waits on a real line."""

from __future__ import annotations

from bootlab.model.costs import Between, BoardConsole
from bootlab.model.recording import Recording


def printed_ns(recording: Recording, console: BoardConsole, start_ns: int, end_ns: int) -> Between:
    """Return what a line takes for what was printed between two instants of a boot, nanoseconds.

    The kernel waits for each of its messages, and so do loaders. What programs print goes through a buffer: the boot
    may wait for all of it, or for none.
    """
    began = recording.mark("user-space")
    waited = late = 0
    for line in recording.lines:
        if line.first_ns is None or not start_ns <= line.first_ns < end_ns:
            continue
        # Each line ends with a carriage return and a line feed.
        size = len(line.text) + 2
        if line.printk_ns is None and began is not None and line.first_ns >= began.ns:
            late += size
        else:
            waited += size
    each = console.character_ns
    return Between(waited * each.low, (waited + late) * each.high)
