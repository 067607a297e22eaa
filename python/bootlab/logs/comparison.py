"""Boots against boots: what is new, gone, slower; budgets."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis

THRESHOLD_NS = 1_000_000
"""Smaller differences are no change, whatever their share."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one quantity over the boots of one side."""

    count: int
    median_ns: int
    min_ns: int
    max_ns: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity on both sides: `kernel`, `stage:...`, `initcall:name [module] #2`, `probe:device`."""

    quantity: str
    change: str
    base: Sample | None = None
    new: Sample | None = None
    difference_ns: int | None = None


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
    """The result. `slower` rows differ by more than the threshold and 5 %, and their values do not overlap."""

    base_boots: int
    new_boots: int
    threshold_ns: int
    rows: list[Row]
    budgets: list[BudgetResult]

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
) -> Comparison:
    """Compare all boots of `new` with all boots of `base`; budgets (`kernel=500ms`) are judged on `new`."""
    try:
        text = _core.compare_boots(
            [a.core for a in base], [a.core for a in new], threshold_ns=threshold_ns, budgets=list(budgets)
        )
    except _core.CoreError as error:
        raise UserError(str(error), hint="bootlab analyze FILE --budget kernel=500ms") from None
    return msgspec.json.decode(text, type=Comparison)
