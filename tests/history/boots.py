# SPDX-License-Identifier: MIT
"""Boots as the tests of the history make them up."""

from __future__ import annotations

from bootlab.history.boot_times import BootTimes
from bootlab.history.entry import HistoryEntry
from bootlab.model.recording import Outcome


def times(
    total_ms: float | None, *, key: str = "k", exact: bool = False, at: str = "", **stages_ms: float
) -> BootTimes:
    """Make a boot; total None: it did not reach its goal."""
    values = {name: round(value * 1e6) for name, value in stages_ms.items()}
    if total_ms is not None:
        values["total"] = round(total_ms * 1e6)
    return BootTimes(
        key=key,
        outcome=Outcome.GOAL if total_ms is not None else Outcome.HANG,
        clock="virtual" if exact else "wall",
        exact=exact,
        values=values,
        not_measured={} if total_ms is not None else {"total": "the goal never came: more than 9000.000 ms"},
        insns=round(total_ms * 1000) if total_ms is not None else None,
        at=at,
    )


def entry(
    total_ms: float | None, *, number: int = 0, system: str = "camera", revision: str = "r1", **more: object
) -> HistoryEntry:
    """Make a boot in the history, number `number` of its day."""
    at = f"2026-01-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00.000000+00:00"
    boot = times(total_ms, key=f"k{number}", at=at, kernel=total_ms / 2 if total_ms else 1.0)
    return HistoryEntry(system=system, revision=revision, times=boot, **more)  # type: ignore[arg-type]
