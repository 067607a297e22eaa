# SPDX-License-Identifier: MIT
"""One change of level, looked at closely: the boots on both sides of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.history.boot_times import TOTAL, Side
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import Level, LevelChange, Trend, plotted, trends

_MOST = 100
"""So many boots of a level stand for it, those nearest to the step: months lie between the others."""


class LevelStep(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one quantity's level, and the boots of the levels before and behind it, the oldest first."""

    quantity: str
    change: LevelChange
    before: tuple[HistoryEntry, ...]
    after: tuple[HistoryEntry, ...]

    def sides(self, names: tuple[str, str]) -> tuple[Side, Side]:
        """Return both levels as sides that can be compared, under these names."""
        both = (tuple(entry.times for entry in side) for side in (self.before, self.after))
        base, new = (Side(name=name, boots=boots) for name, boots in zip(names, both, strict=True))
        return base, new


def step_at(entries: Sequence[HistoryEntry], trends: Sequence[Trend], quantity: str, boot: int) -> LevelStep | None:
    """Return the change of a quantity behind which a boot is the first; None where none is. `trends`: of `entries`."""
    trend = next((one for one in trends if one.name == quantity), None)
    place = next((n for n, one in enumerate(trend.changes if trend else ()) if one.boot == boot), None)
    if trend is None or place is None:
        return None
    having = [entry for entry in plotted(entries) if quantity in entry.times.values]
    edges = [0, *(one.point.before + 1 for one in trend.changes), len(having)]
    start, here, end = edges[place : place + 3]
    return LevelStep(
        quantity=quantity,
        change=trend.changes[place],
        before=tuple(having[start:here][-_MOST:]),
        after=tuple(having[here:end][:_MOST]),
    )


def level_at(entries: Sequence[HistoryEntry], boot: int | None) -> Level | None:
    """Return the level of the whole boot that a boot of these stands in; None of one that is no point of the trend."""
    having = [entry for entry in plotted(entries) if TOTAL in entry.times.values]
    place = next((n for n, entry in enumerate(having) if entry.id == boot), None)
    if boot is None or place is None:
        return None
    (whole,) = trends(entries, names=(TOTAL,))
    edges = [one.point.before + 1 for one in whole.changes]
    start = max((edge for edge in edges if edge <= place), default=0)
    return whole.level(start, min((edge for edge in edges if edge > place), default=len(having)))
