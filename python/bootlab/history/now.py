# SPDX-License-Identifier: MIT
"""How a system is now: its newest boot, its level and the last change of it, its last failure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.history.boot_times import TOTAL, Side
from bootlab.history.budget import Budget, BudgetResult, judge
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import Trend, trends


class SystemNow(msgspec.Struct, frozen=True, kw_only=True):
    """A system by its newest boots. `whole`: the whole boot's trend over them; None: no boot reached its goal.

    `newest`: the newest boot; None where none can be read. `failed`: the newest that did not reach its goal.
    `budgets`: each judged by the boots since the last change of level.
    """

    name: str
    boots: int
    newest: HistoryEntry | None = None
    whole: Trend | None = None
    failed: HistoryEntry | None = None
    budgets: tuple[BudgetResult, ...] = ()

    @classmethod
    def of(cls, name: str, boots: int, entries: Sequence[HistoryEntry], budgets: Sequence[Budget] = ()) -> SystemNow:
        """Look at a system's newest boots, the oldest of them first; `boots`: how many it has in all."""
        found = trends(entries, names=(TOTAL,)) if any(entry.times.ok for entry in entries) else ()
        whole = found[0] if found and found[0].points else None
        return cls(
            name=name,
            boots=boots,
            newest=entries[-1] if entries else None,
            whole=whole,
            failed=next((entry for entry in reversed(entries) if not entry.times.ok), None),
            budgets=tuple(judge(budget, _of_its_level(name, entries, whole), None) for budget in budgets),
        )

    @property
    def broken(self) -> bool:
        """Tell whether its newest boot did not reach the goal."""
        return self.failed is not None and self.failed is self.newest

    @property
    def kept(self) -> str:
        """Whether its budgets are kept: `kept`, `broken`, `unknown`, or "" where it has none."""
        kept = {result.kept for result in self.budgets}
        if self.broken and kept:
            # What older boots took says nothing of one that did not get there.
            return "broken" if "broken" in kept else "unknown"
        return next((word for word in ("broken", "unknown", "kept") if word in kept), "")


def _of_its_level(name: str, entries: Sequence[HistoryEntry], whole: Trend | None) -> Side:
    """Return the boots since the last change of level that reached their goal."""
    good = [entry.times for entry in entries if entry.times.ok and not entry.times.dither]
    if whole is None:
        return Side(name=name, boots=tuple(good))
    having = [times for times in good if times.total_ns is not None]
    return Side(name=name, boots=tuple(having[-whole.newest_level.boots :]))
