# SPDX-License-Identifier: MIT
"""How a system is now: its newest boot, its level and the last change of it, its last failure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.history.boot_times import TOTAL
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import Trend, trends


class SystemNow(msgspec.Struct, frozen=True, kw_only=True):
    """A system by its newest boots. `whole`: the whole boot's trend over them; None: no boot reached its goal.

    `newest`: the newest boot; None where none can be read. `failed`: the newest that did not reach its goal.
    """

    name: str
    boots: int
    newest: HistoryEntry | None = None
    whole: Trend | None = None
    failed: HistoryEntry | None = None

    @classmethod
    def of(cls, name: str, boots: int, entries: Sequence[HistoryEntry]) -> SystemNow:
        """Look at a system's newest boots, the oldest of them first; `boots`: how many it has in all."""
        found = trends(entries, names=(TOTAL,)) if any(entry.times.ok for entry in entries) else ()
        return cls(
            name=name,
            boots=boots,
            newest=entries[-1] if entries else None,
            whole=found[0] if found and found[0].points else None,
            failed=next((entry for entry in reversed(entries) if not entry.times.ok), None),
        )

    @property
    def broken(self) -> bool:
        """Tell whether its newest boot did not reach the goal."""
        return self.failed is not None and self.failed is self.newest
