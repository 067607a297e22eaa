# SPDX-License-Identifier: MIT
"""Which functions moved at a change of level: by the traces of one boot on either side of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from bootlab.analysis.forest_difference import FunctionChange
from bootlab.history.entry import HistoryEntry
from bootlab.history.step import LevelStep

LOOKED_AT = 5
"""So many recordings of a level are looked at for a trace, those nearest to the step: each is unpacked for that."""


class TracedStep(msgspec.Struct, frozen=True, kw_only=True):
    """The traced boots nearest to a step, one on either side, and the functions that take another time since.

    `before`, `after`: None where no recording of that level carries a trace, and then `functions` are empty. `unlike`:
    why two traces cannot be compared, "" where they can.
    """

    before: HistoryEntry | None = None
    after: HistoryEntry | None = None
    functions: tuple[FunctionChange, ...] = ()
    unlike: str = ""


def traced_sides(
    step: LevelStep, is_traced: Callable[[HistoryEntry], bool]
) -> tuple[HistoryEntry | None, HistoryEntry | None]:
    """Return the traced boot of each level that is nearest to the step; None where none is."""

    def nearest(boots: Iterable[HistoryEntry]) -> HistoryEntry | None:
        kept = [entry for entry in boots if entry.object][:LOOKED_AT]
        return next((entry for entry in kept if is_traced(entry)), None)

    return nearest(reversed(step.before)), nearest(step.after)


def whole_ns(row: FunctionChange) -> tuple[int, int]:
    """Return a function's time with its callees and what it waits for, before and since, nanoseconds."""
    return row.before.total + row.before.wait, row.after.total + row.after.wait


def nearest_to_the_cause(functions: Sequence[FunctionChange]) -> tuple[FunctionChange, ...]:
    """Return the functions that take another time, those first of whose own time most moved.

    Whatever calls the one that moved moves as much, of a longer time: the square of the difference by the longer of
    both times puts the innermost first.
    """

    def weight(row: FunctionChange) -> float:
        was, now = whole_ns(row)
        return (now - was) ** 2 / max(was, now, 1)

    moved = [row for row in functions if whole_ns(row)[0] != whole_ns(row)[1]]
    return tuple(sorted(moved, key=lambda row: (-weight(row), row.function)))
