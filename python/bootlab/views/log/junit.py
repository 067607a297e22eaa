# SPDX-License-Identifier: MIT
"""A comparison as JUnit XML, for CI: one test case for each budget and each quantity that moved."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.logs.compared import LogComparison
from bootlab.model.figures import ms
from bootlab.views.junit import Case, document


def render(comparisons: Sequence[LogComparison], names: Sequence[str]) -> bytes:
    """Make the document: a suite for each comparison, with the name of what is compared where there are several."""
    pairs = zip(comparisons, names, strict=True)
    return document((f"bootlab analyze {name}".rstrip(), _cases(comparison)) for comparison, name in pairs)


def _cases(comparison: LogComparison) -> list[Case]:
    """Unmoved quantities pass as one case, so that a suite is never empty."""
    cases: list[Case] = []
    for result in comparison.budgets:
        measured = "not measured" if result.median_ns is None else f"{ms(result.median_ns)} ms"
        failure = "" if result.kept else f"{measured}, limit {ms(result.budget.limit_ns)} ms"
        cases.append(Case("bootlab.budget", result.budget.quantity, result.median_ns, failure))
    if comparison.base_runs:
        moved = [row for row in comparison.rows if row.change != "same"]
        for row in moved:
            failure = ""
            if row.change == "slower" and row.base and row.new:
                failure = f"{ms(row.base.median_ns)} ms to {ms(row.new.median_ns)} ms"
            cases.append(Case("bootlab.comparison", row.quantity, row.new.median_ns if row.new else None, failure))
        same = len(comparison.rows) - len(moved)
        cases.append(Case("bootlab.comparison", f"{same} quantities are the same"))
    return cases
