# SPDX-License-Identifier: MIT
"""One self-contained HTML page of an analysis."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.logs.analysis import Analysis
from bootlab.logs.compared import LogComparison
from bootlab.views.log.comparison_page import comparison_data
from bootlab.views.log.page_data import page_data
from bootlab.views.log.recorded_goal import RecordedGoal
from bootlab.views.page_parts import page
from bootlab.views.shown_text import one_line


def render(analysis: Analysis, *, boot: int | None = None, goal: RecordedGoal | None = None) -> str:
    """Make the page, of one boot only when `boot` names it. `goal`: of its last boot, where its recording knows it."""
    return page(f"{one_line(analysis.name, 120)} · bootlab analyze", page_data(analysis, boot=boot, goal=goal))


def render_comparison(comparisons: Sequence[LogComparison], analyses: Sequence[Analysis]) -> str:
    """Make the page of comparisons; the first analysis is the base when there are several."""
    data = comparison_data(comparisons, analyses)
    return page(f"{one_line(data['name'], 120)} · bootlab analyze", data)
