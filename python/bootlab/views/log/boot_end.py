"""The end of a boot: how it is called, and whether it stands on the boot's axis."""

from __future__ import annotations

from bootlab.logs.boot import Boot

END_WORDS = {"panic": "panic", "last-line": "last line"}
"""How the end of a boot is called."""


def ends_on_axis(boot: Boot) -> bool:
    """Whether the end belongs to the boot: a system that is up may print for days."""
    return boot.end is not None and (boot.end.what == "panic" or boot.outcome != "user-space")


def timed_marks(boot: Boot) -> list[tuple[str, int]]:
    """Return the events of a boot that have a time, with its end where that is one of them."""
    marks = [(stage.event, stage.ns) for stage in boot.stages if stage.ns is not None]
    end = boot.end
    if marks and end is not None and end.ns is not None and ends_on_axis(boot) and end.ns >= marks[-1][1]:
        marks.append((END_WORDS[end.what], end.ns))
    return marks
