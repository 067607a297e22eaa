# SPDX-License-Identifier: MIT
"""Does the guest's clock agree with virtual time? Emulated boards have timers that run too fast or too slow.

A kernel takes the rates of its timers from the device tree or from clock registers that the emulator only sketches.
Where a rate is wrong, or a timer's interrupt comes late, sleeps and time-outs of the guest have another length in
virtual time than was asked for, and so have the boot's waits. The console alone does not show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bootlab.model.recording import Diagnosis, Line, Recording

MOST_OFF = 0.1
"""A kernel's clock that is off by less is not named: its stamps are not made for more."""
_LATE_NS = 50_000_000
"""Nor is a sleep that is off by less, or by less than a hundredth: a tick's rounding and the wake-up cost that."""
_LEAST_NS = 500_000_000
"""Kernel stamps must span so much virtual time before their rate is judged."""
_BURST = 0.2
"""The part of that span which is left out: the kernel prints what had waited for the console there."""
_WAIT = re.compile(r"\bBOOTLAB_WAIT_MS=(\d+)\b")
_SLEEPS, _WAKES = "@BL1 waits", "@BL1 begin"
_WAYS_OUT = (
    "a timer of the emulated machine does not do what the kernel expects, so waits in this boot are not as long as on "
    "the board; another machine type or device tree may be right"
)


def clock_notes(recording: Recording, diagnosis: Diagnosis | None = None) -> tuple[str, ...]:
    """Say where the guest's clock or its sleeps do not agree with virtual time; nothing where nothing was seen.

    Only for exact boots on one processor: others have no single virtual time. `diagnosis`: its boot holds a sleep of a
    known length, the agent's.
    """
    said = []
    if (rate := kernel_rate(recording)) is not None and abs(rate - 1) > MOST_OFF:
        said.append(f"one second of the kernel's clock takes {rate:.2f} s of virtual time: {_WAYS_OUT}")
    if diagnosis is not None and (waited := slept(diagnosis.recording)) is not None:
        asked_ns, took_ns = waited
        if abs(took_ns - asked_ns) > max(_LATE_NS, asked_ns // 100):
            said.append(
                f"a sleep of {asked_ns / 1e9:.3f} s took {took_ns / 1e9:.3f} s of virtual time in the diagnostic boot: "
                f"{_WAYS_OUT}"
            )
    return tuple(said)


def kernel_rate(recording: Recording) -> float | None:
    """Return how much virtual time passes in a second of printk's clock; None where the stamps do not tell.

    A line is stamped when it is made and comes out later, so the lines that waited least decide, at both ends.
    """
    if not _comparable(recording):
        return None
    lines = [line for line in recording.lines if line.printk_ns and line.first_ns is not None]
    if len(lines) < 4:
        return None
    first, last = _virtual(lines[0]), _virtual(lines[-1])
    rest = [line for line in lines if _virtual(line) >= first + _BURST * (last - first)]
    middle = (_virtual(rest[0]) + last) / 2
    early, late = ([x for x in rest if (_virtual(x) < middle) is before] for before in (True, False))
    if not early or not late:
        return None
    old, new = _prompt(early), _prompt(late)
    printed = _printk(new) - _printk(old)
    passed = _virtual(new) - _virtual(old)
    return passed / printed if passed >= _LEAST_NS and printed > 0 else None


def slept(diagnostic: Recording) -> tuple[int, int] | None:
    """Return the length of the agent's sleep in a diagnostic boot as asked for, and as virtual time, in ns.

    None where the boot has no such sleep, or its ends carry no time (the agent's output goes to another console).
    """
    if not _comparable(diagnostic) or not (asked := _WAIT.search(diagnostic.meta.cmdline)):
        return None
    at = {line.text.rstrip(): line.first_ns for line in diagnostic.lines if line.text.startswith("@BL1 ")}
    began, ended = at.get(_SLEEPS), at.get(_WAKES)
    asked_ns = int(asked[1]) * 1_000_000
    return None if began is None or ended is None or not asked_ns else (asked_ns, ended - began)


def _comparable(recording: Recording) -> bool:
    meta = recording.meta
    return meta.mode == "exact" and meta.stamped and meta.processors.count == 1


def _prompt(lines: Sequence[Line]) -> Line:
    return min(lines, key=lambda line: _virtual(line) - _printk(line))


def _virtual(line: Line) -> int:
    return line.first_ns or 0


def _printk(line: Line) -> int:
    return line.printk_ns or 0
