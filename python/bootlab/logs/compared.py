# SPDX-License-Identifier: MIT
"""Boots, traces and reports beside their like.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

import msgspec

from bootlab.logs.readings import OfComparison
from bootlab.logs.rows import LogBudgetResult, LogRow, Thresholds


class LogComparison(OfComparison, msgspec.Struct, frozen=True, kw_only=True):
    """The result."""

    base_runs: int
    """Boots, traces and reports of the base."""
    budgets: list[LogBudgetResult] = []
    """Budgets, judged on the new side."""
    new_runs: int
    """Those compared with it."""
    rows: list[LogRow] = []
    """All quantities, the largest difference first."""
    thresholds: Thresholds
    """Differences up to these are no change."""
