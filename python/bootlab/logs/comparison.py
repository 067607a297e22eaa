# SPDX-License-Identifier: MIT
"""Boots, traces and reports against their like: what is new, gone, slower; budgets."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis
from bootlab.logs.compared import LogComparison

THRESHOLD_NS = 1_000_000
"""Smaller differences are no change, whatever their share; of functions a tenth of it."""

THRESHOLD_PERCENT = 5.0
"""Smaller shares are no change, whatever their size."""


def compare(
    base: Sequence[Analysis],
    new: Sequence[Analysis],
    *,
    budgets: Sequence[str] = (),
    threshold_ns: int = THRESHOLD_NS,
    threshold_percent: float = THRESHOLD_PERCENT,
    thresholds: Sequence[str] = (),
) -> LogComparison:
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
        raise UserError(str(error), hint=error.hint or "bootlab analyze --help") from None
    return msgspec.json.decode(text, type=LogComparison)
