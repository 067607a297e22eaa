"""Boots, traces and reports against their like: what is new, gone, slower; budgets."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis

THRESHOLD_NS = 1_000_000
"""Smaller differences are no change, whatever their share; of functions a tenth of it."""

THRESHOLD_PERCENT = 5.0
"""Smaller shares are no change, whatever their size."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one quantity over the runs of one side."""

    count: int
    median_ns: int
    min_ns: int
    max_ns: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity on both sides: `kernel`, `stage:...`, `initcall:name [module] #2`, `unit:name`, `self:function`.

    `base_calls` and `new_calls` say how often a function was called.
    """

    quantity: str
    change: str
    base: Sample | None = None
    new: Sample | None = None
    base_calls: int | None = None
    new_calls: int | None = None
    difference_ns: int | None = None


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """A difference must exceed both."""

    ns: int
    percent: float


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """What differences must exceed: the general threshold, and those of kinds (`initcall`, `function` ...)."""

    general: Threshold
    kinds: list[tuple[str, Threshold]] = []


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A limit on a quantity."""

    quantity: str
    limit_ns: int


class BudgetResult(msgspec.Struct, frozen=True, kw_only=True):
    """A budget and whether it was kept. What was not measured is not kept."""

    budget: Budget
    kept: bool
    median_ns: int | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The result. `slower` rows differ by more than the threshold of their kind, and their values do not overlap.

    A run is a boot, a trace or a report.
    """

    base_runs: int
    new_runs: int
    thresholds: Thresholds
    rows: list[Row]
    budgets: list[BudgetResult]

    @property
    def common(self) -> bool:
        """Whether both sides have at least one quantity in common."""
        return any(row.base is not None and row.new is not None for row in self.rows)

    @property
    def over(self) -> bool:
        """Whether something is slower beyond noise, or a budget is not kept."""
        return bool(self.slower or self.broken_budgets)

    @property
    def slower(self) -> list[Row]:
        """Return the quantities that got slower beyond noise."""
        return [row for row in self.rows if row.change == "slower"]

    @property
    def broken_budgets(self) -> list[BudgetResult]:
        """Return the budgets that were not kept."""
        return [budget for budget in self.budgets if not budget.kept]


def compare(
    base: Sequence[Analysis],
    new: Sequence[Analysis],
    *,
    budgets: Sequence[str] = (),
    threshold_ns: int = THRESHOLD_NS,
    threshold_percent: float = THRESHOLD_PERCENT,
    thresholds: Sequence[str] = (),
) -> Comparison:
    """Compare everything in `new` with its like in `base`; budgets (`kernel=500ms`) are judged on `new`.

    `thresholds` are those of single kinds: `initcall=2ms,10%`.
    """
    try:
        text = _core.compare_analyses(
            [a.core for a in base],
            [a.core for a in new],
            threshold_ns=threshold_ns,
            threshold_percent=threshold_percent,
            thresholds=list(thresholds),
            budgets=list(budgets),
        )
    except _core.CoreError as error:
        raise UserError(str(error), hint="bootlab analyze --help") from None
    return msgspec.json.decode(text, type=Comparison)
