# SPDX-License-Identifier: MIT
"""The marks of a board's boot: which line shows an event, and when that line came."""

from __future__ import annotations

from collections.abc import Iterable

from bootlab.errors import UserError
from bootlab.launch.marks import pattern_marks
from bootlab.logs import analyze
from bootlab.model.recording import Line, Mark
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import USER_SPACE_MARKS
from bootlab.recordings.console import split_lines
from bootlab.recordings.stamps import Stamps

_OF_EVENT = {
    "decompression-start": "decompression",
    "user-space-start": "user-space",
    "rc-scripts": "rc-scripts",
    "application-start": "application",
}
"""The reader's events and the marks that stand for them."""

_KERNEL_START = "kernel-start"


def marks_of(system: SystemDescription, console: bytes, stamps: Stamps, *, goal_ns: int | None) -> tuple[Mark, ...]:
    """Return power-on, what the log's reader and the user's patterns find, and the goal, in the order of time."""
    lines = split_lines(console, stamps)
    found = {"power-on": Mark("power-on", 0, source="the power switch")}
    for event, offset_bytes, basis in _events(console):
        line = _line_at(lines, offset_bytes)
        if line is None or line.first_ns is None:
            continue
        if event == _KERNEL_START:
            found["start-kernel"] = kernel_start(lines, line)
        elif event in _OF_EVENT:
            name = _OF_EVENT[event]
            found[name] = Mark(name, line.first_ns, source=f"console: {basis}"[:200])
    kernel = found.get("start-kernel")
    kernel_ns = kernel.ns if kernel is not None else 0
    # What the log's reader took for a line of user space may stand behind firmware's last words, in a line with them.
    found = {name: mark for name, mark in found.items() if name not in USER_SPACE_MARKS or mark.ns >= kernel_ns}
    found |= {mark.name: mark for mark in pattern_marks(system.marks, console, stamps, kernel_ns)}
    if goal_ns is not None:
        found = {name: mark for name, mark in found.items() if mark.ns <= goal_ns}
        found["goal"] = Mark("goal", goal_ns, source=system.goal.console)
    return tuple(sorted(found.values(), key=lambda mark: mark.ns))


def kernel_start(lines: Iterable[Line], banner: Line) -> Mark:
    """Return when the kernel's clock was nought, on the arrivals' clock.

    What a kernel printed before its console was ready comes in one burst, too late by as much. But no line comes before
    it was printed: the earliest instant that any line's arrival less its own stamp gives is the start, at the latest.
    """
    at_ns = banner.first_ns or 0
    source = f"console: {banner.text.strip()[:80]}"
    starts = [
        line.first_ns - line.printk_ns
        for line in lines
        if line.first_ns is not None and line.printk_ns is not None and line.number >= banner.number
    ]
    earliest = min(starts, default=at_ns)
    if 0 <= earliest < at_ns:
        return Mark("start-kernel", earliest, source="the kernel's stamps laid on the arrivals: arrival less stamp")
    return Mark("start-kernel", at_ns, source=source)


def _events(console: bytes) -> list[tuple[str, int, str]]:
    try:
        boots = analyze(console, name="console", keep_lines=True).boots
    except UserError:
        return []
    boot = next((boot for boot in boots if boot.reached_kernel), boots[0] if boots else None)
    if boot is None:
        return []
    offsets = {line.number: line.offset_bytes for line in boot.lines}
    found: list[tuple[str, int, str]] = []
    for stage in boot.stages:
        offset = offsets.get(stage.line) if stage.line is not None else None
        if offset is not None:
            found.append((stage.event, offset, stage.basis))
    return found


def _line_at(lines: tuple[Line, ...], offset_bytes: int) -> Line | None:
    return next((line for line in reversed(lines) if line.offset_bytes <= offset_bytes), None)


def printed_cmdline(console: bytes) -> str:
    """Return the kernel command line that a console shows; "" where it shows none."""
    try:
        boots = analyze(console, name="console").boots
    except UserError:
        return ""
    return next((boot.kernel.command_line.text for boot in boots if boot.kernel.command_line), "")
