"""The events of a boot that have a time, its end among them, and how sure the time between two of them is."""

from __future__ import annotations

from typing import Literal

from bootlab.logs.boot import Boot, Stage

Sureness = Literal["exact", "least", "most", "unknown"]
"""A length is what it says, at least that, at most that, or neither."""

END_WORDS = {"panic": "panic", "last-line": "last line"}
"""How the end of a boot is called."""


def ends_on_axis(boot: Boot) -> bool:
    """Whether the end belongs to the boot: a system that is up may print for days."""
    return boot.end is not None and (boot.end.what == "panic" or boot.outcome != "user-space")


def boot_name(boot: Boot) -> str:
    """Return what a boot is called: its number, and whose boot it is on a hypervisor's console."""
    return f"Boot {boot.number}" + ("" if boot.guest is None else f", guest {boot.guest} of the hypervisor")


def bounded(text: str, *, at_least: bool, at_most: bool = False) -> str:
    """Put before a time that it is a bound, or that its clock's place and its event bound it in both directions."""
    return ("≈ " if at_least and at_most else "≥ " if at_least else "≤ " if at_most else "") + text


def timed_marks(boot: Boot) -> list[tuple[str, int]]:
    """Return the events of a boot that have a time, with its end where that is one of them."""
    marks = [(stage.event, stage.ns) for stage in boot.stages if stage.ns is not None]
    end = boot.end
    if marks and end is not None and end.ns is not None and ends_on_axis(boot) and end.ns >= marks[-1][1]:
        marks.append((END_WORDS[end.what], end.ns))
    return marks


def sureness(first: Stage | None, last: Stage | None, *, broke_off: bool = False) -> Sureness:
    """Return how the time between two events is meant, whose own times may be bounds.

    `broke_off`: the last event is the log's last line, behind which the boot went on.
    """
    begin_most, begin_least = (first.at_most, first.at_least) if first else (False, False)
    end_most, end_least = (last.at_most, last.at_least) if last else (False, broke_off)
    if begin_least and end_least:
        # Behind a boot loader without a clock the kernel's two events are bounds, and yet as far apart as they say.
        kernel = first and last and (first.event, last.event) == ("kernel-start", "user-space-start")
        return "exact" if kernel else "least"
    least, most = end_least or begin_most, end_most or begin_least
    if least and most:
        return "unknown"
    return "least" if least else "most" if most else "exact"
