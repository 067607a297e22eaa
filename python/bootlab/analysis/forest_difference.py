# SPDX-License-Identifier: MIT
"""What changed between two traces: by function and by call path, exactly additive.

Paths are the same when task and names from the outermost caller on are the same. The differences of all own weights
add up to the difference of the totals, and so do those of all paths.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from bootlab.analysis.call_forest import CallForest, ForestBuilder, FunctionTotal
from bootlab.analysis.tree_shape import Numbers
from bootlab.errors import UserError

Change = Literal["new", "vanished", "slower", "faster", "same"]


class FunctionChange(msgspec.Struct, frozen=True, kw_only=True):
    """One function before and after. Weights are in the traces' unit; `change` is by the total, then by the own."""

    function: str
    change: Change
    before: FunctionTotal
    after: FunctionTotal

    @property
    def own(self) -> int:
        """Difference of the own weight."""
        return self.after.own - self.before.own

    @property
    def total(self) -> int:
        """Difference of the weight with callees."""
        return self.after.total - self.before.total

    @property
    def count(self) -> int:
        """Difference of the calls."""
        return self.after.count - self.before.count

    @property
    def wait(self) -> int:
        """Difference of the time in which nothing ran below it."""
        return self.after.wait - self.before.wait


class ForestDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides on the paths of either, and the functions with the largest change of total or own weight first."""

    before: CallForest
    after: CallForest
    functions: list[FunctionChange]


def compare(before: CallForest, after: CallForest) -> ForestDifference:
    """Compare two traces. Raise UserError where their weights are not of one kind."""
    for what, a, b in (("weights", before.unit, after.unit), ("clocks", before.clock, after.clock)):
        if a != b:
            raise UserError(
                f"the {what} of the traces differ: {a} and {b}",
                hint="compare two traced boots, or two traces of one tracer",
            )
    made = ForestBuilder()
    places = [_placed(made, forest) for forest in (before, after)]
    size = len(made.parent)
    sides = []
    for forest, place in zip((before, after), places, strict=True):
        count, own = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        np.add.at(count, place, forest.count)
        np.add.at(own, place, forest.own)
        sides.append(made.forest(count, own, clock=forest.clock, unit=forest.unit))
    return ForestDifference(before=sides[0], after=sides[1], functions=_functions(before, after))


def _placed(made: ForestBuilder, forest: CallForest) -> Numbers:
    place = np.zeros(len(forest), dtype=np.int64)
    parents, functions = forest.parent.tolist(), forest.function.tolist()
    for node in range(1, len(forest)):
        place[node] = made.child(int(place[parents[node]]), forest.names[functions[node]])
    return place


def _functions(before: CallForest, after: CallForest) -> list[FunctionChange]:
    was, now = before.functions(), after.functions()
    rows = []
    for name in sorted(was.keys() | now.keys()):
        none = FunctionTotal(function=name, count=0, own=0, total=0, wait=0)
        a, b = was.get(name), now.get(name)
        rows.append(FunctionChange(function=name, change=_change(a, b), before=a or none, after=b or none))
    rows.sort(key=lambda row: (-max(abs(row.total), abs(row.own)), row.function))
    return rows


def _change(a: FunctionTotal | None, b: FunctionTotal | None) -> Change:
    if a is None or b is None:
        return "new" if a is None else "vanished"
    by = (b.total - a.total) or (b.own - a.own)
    return "slower" if by > 0 else "faster" if by < 0 else "same"
