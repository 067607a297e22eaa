# SPDX-License-Identifier: MIT
"""The marks of a board's boot: which line shows an event, and when that line came."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from bootlab.errors import UserError
from bootlab.launch.marks import pattern_marks
from bootlab.logs import analyze
from bootlab.logs.boot import LogBoot
from bootlab.model.recording import Line, Mark
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import USER_SPACE_MARKS, kernel_begin_ns
from bootlab.recordings.console import split_lines
from bootlab.recordings.stamps import Stamps

_OF_EVENT = {
    "decompression-start": "decompression",
    "kernel-start": "start-kernel",
    "user-space-start": "user-space",
    "rc-scripts": "rc-scripts",
    "application-start": "application",
}
"""The reader's events and the marks that stand for them."""

_SECOND = {"start-kernel": "kernel-2", "user-space": "user-space-2", "decompression": ""}
"""The same of a kernel that the first one started by kexec."""
_LEFT = "kexec"


def marks_of(system: SystemDescription, console: bytes, stamps: Stamps, *, goal_ns: int | None) -> tuple[Mark, ...]:
    """Return power-on, what the log's reader and the user's patterns find, and the goal, in the order of time."""
    lines = split_lines(console, stamps)
    found = {"power-on": Mark("power-on", 0, source="the power switch")}
    for event, offset_bytes, basis in _events(console):
        line = _line_at(lines, offset_bytes)
        if line is None or line.first_ns is None:
            continue
        name = _OF_EVENT.get(event, event)
        if name in {"start-kernel", _SECOND["start-kernel"]}:
            left = found.get(_LEFT)
            found[name] = kernel_start(lines, line, name, from_ns=left.ns if left is not None else 0)
        else:
            found[name] = Mark(name, line.first_ns, source=f"console: {basis}"[:200])
    if goal_ns is not None:
        found = {name: mark for name, mark in found.items() if mark.ns <= goal_ns}
    times = {name: mark.ns for name, mark in found.items()}
    # What the log's reader took for a line of user space may stand behind firmware's last words, in a line with them.
    early = {name for name in USER_SPACE_MARKS & found.keys() if times[name] < kernel_begin_ns(times, name)}
    found = {name: mark for name, mark in found.items() if name not in early}
    found |= {mark.name: mark for mark in pattern_marks(system.marks, console, stamps, kernel_begin_ns(times))}
    if goal_ns is not None:
        found = {name: mark for name, mark in found.items() if mark.ns <= goal_ns}
        found["goal"] = Mark("goal", goal_ns, source=system.goal.console)
    return tuple(sorted(found.values(), key=lambda mark: mark.ns))


def kernel_start(lines: Iterable[Line], banner: Line, name: str, *, from_ns: int = 0) -> Mark:
    """Return when the kernel's clock was nought, on the arrivals' clock.

    What a kernel printed before its console was ready comes in one burst, too late by as much. But no line comes before
    it was printed: the earliest instant that any line's arrival less its own stamp gives is the start, at the latest.
    `from_ns`: when another kernel started it; that was no later.
    """
    at_ns = banner.first_ns or 0
    source = f"console: {banner.text.strip()[:80]}"
    starts = [
        line.first_ns - line.printk_ns
        for line in lines
        if line.first_ns is not None and line.printk_ns is not None and line.number >= banner.number
    ]
    earliest = min(starts, default=at_ns)
    if from_ns <= earliest < at_ns:
        return Mark(name, earliest, source="the kernel's stamps laid on the arrivals: arrival less stamp")
    return Mark(name, at_ns, source=source)


def _events(console: bytes) -> list[tuple[str, int, str]]:
    try:
        boots = analyze(console, name="console", keep_lines=True).boots
    except UserError:
        return []
    at = next((at for at, boot in enumerate(boots) if boot.reached_kernel), 0)
    if not boots:
        return []
    found = _of_boot(boots[at])
    for boot in itertools.takewhile(lambda boot: boot.start == "kexec", boots[at + 1 :]):
        # A third kernel's time stands in the second's user space; what follows is the last one's.
        known = {event for event, _, _ in found}
        for event, offset, basis in _of_boot(boot):
            name = _SECOND.get(_OF_EVENT.get(event, event), event)
            if name and (name not in known or name in _OF_EVENT):
                found.append((name, offset, basis))
    return found


def _of_boot(boot: LogBoot) -> list[tuple[str, int, str]]:
    """Return the events that marks stand for, with the offset of their lines; and where another kernel starts."""
    offsets = {line.number: line.offset_bytes for line in boot.lines}
    shown: list[tuple[str, int | None, str]] = [
        (stage.event, stage.line, stage.basis) for stage in boot.stages if stage.event in _OF_EVENT
    ]
    if boot.end is not None and boot.end.kind == "kexec":
        shown.append((_LEFT, boot.end.line, boot.end.text))
    return [(event, offsets[line], basis) for event, line, basis in shown if line is not None and line in offsets]


def _line_at(lines: tuple[Line, ...], offset_bytes: int) -> Line | None:
    return next((line for line in reversed(lines) if line.offset_bytes <= offset_bytes), None)


def printed_cmdline(console: bytes) -> str:
    """Return the kernel command line that a console shows; "" where it shows none."""
    try:
        boots = analyze(console, name="console").boots
    except UserError:
        return ""
    return next((boot.kernel.command_line.text for boot in boots if boot.kernel.command_line), "")
