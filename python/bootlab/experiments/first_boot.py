"""A first boot of a system whose goal nobody knows: it lasts until the console is quiet, and shows what there is."""

from __future__ import annotations

import re

import msgspec

from bootlab.experiments.bench import Bench
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import Check, Goal, System

_NEVER = r"(?!)"
_NOTES_MAX = 5
_COMPLAINTS = (
    (re.compile(r"Timed out waiting for device (\S+)"), "the first boot waited for the device {}, which never came"),
    (re.compile(r"\[FAILED\] Failed to start (\S+)"), "in the first boot the unit {} failed"),
)
LABEL = "first boot, until the console is quiet"


def without_goal(system: System) -> System:
    """Return the system with a goal that no line can reach: it lasts until the console was quiet for a while."""
    return msgspec.structs.replace(system, goal=Goal(console=_NEVER, name="none"), check=Check(), marks=())


def first_boot(bench: Bench, system: System) -> Recording:
    """Boot once without a goal and return the recording, which ends when the console is quiet."""
    return bench.submit(without_goal(system), LABEL).result()


def went_well(recording: Recording) -> bool:
    """Tell whether the machine got as far as being quiet: no panic, no end of its own."""
    return recording.meta.outcome in {Outcome.HANG, Outcome.NO_GOAL}


def ending(recording: Recording) -> str:
    """Say how such a boot ended: that it hangs is what it was made for."""
    if not went_well(recording):
        return recording.meta.outcome.value
    last = next((line.last_ns for line in reversed(recording.lines) if line.last_ns is not None), None)
    return "quiet" if last is None else f"quiet from {last / 1e6:.3f} ms on"


def lines_of(recording: Recording) -> list[tuple[str, int | None]]:
    """Return the console's lines with the virtual time of their last byte."""
    return [(line.text, line.last_ns) for line in recording.lines]


def notes(recording: Recording) -> tuple[str, ...]:
    """Name what user space complained of: devices that systemd waited for, units that failed."""
    found: dict[str, None] = {}
    for line in recording.lines:
        for pattern, text in _COMPLAINTS:
            if (match := pattern.search(line.text)) is not None and len(found) < _NOTES_MAX:
                found.setdefault(text.format(match[1].strip()[:80]))
    return tuple(found)
