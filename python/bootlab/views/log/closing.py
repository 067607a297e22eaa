# SPDX-License-Identifier: MIT
"""The answer once more, for the end of an output that is longer than the screen."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rich.text import Text

from bootlab.logs.analysis import Analysis
from bootlab.logs.compared import LogComparison
from bootlab.logs.reports import UnitReport
from bootlab.logs.told import ToldPart
from bootlab.views.log.comparison_sentence import bounds, sentence
from bootlab.views.log.comparison_text import budget_lines, summary
from bootlab.views.log.headline import headline
from bootlab.views.log.recorded_goal import RecordedGoal
from bootlab.views.text_table import cell

_INPUTS = 4
_BUDGETS = 6


def closing(
    analyses: Sequence[Analysis],
    comparisons: Sequence[LogComparison],
    *,
    boot: int | None = None,
    goals: Sequence[RecordedGoal | None] = (),
) -> list[Text]:
    """Return the lines that a person shall see last: the verdicts of comparisons, else each input's headline.

    `goals`: of the last boot of each analysis, where a recording knows it.
    """
    if any(comparison.base_runs or comparison.budgets for comparison in comparisons):
        return _verdicts(analyses, comparisons)
    inputs = itertools.zip_longest(analyses, goals)
    told = [(analysis.name, said) for analysis, goal in inputs if (said := _said(analysis, boot, goal))]
    names = len(analyses) > 1
    return [cell(f"{name}: {said}" if names else said, "bold", 600) for name, said in told[-_INPUTS:]]


def _verdicts(analyses: Sequence[Analysis], comparisons: Sequence[LogComparison]) -> list[Text]:
    out: list[Text] = []
    names = [analysis.name for analysis in analyses[1:]] if len(comparisons) > 1 else [""]
    for name, comparison in list(zip(names, comparisons, strict=False))[-_INPUTS:]:
        if comparison.base_runs:
            said = sentence(comparison) or summary(comparison)
            out.append(cell(f"{name + ': ' if name else ''}{said}.", "bold", 600))
        broken = [line for line in budget_lines(comparison, f"{name}: " if name else "") if isinstance(line, Text)]
        out += broken[:_BUDGETS]
    unsure = bounds(analyses) if any(comparison.base_runs for comparison in comparisons) else ""
    return [*out, cell(f"{unsure[:1].upper()}{unsure[1:]}.", "bold yellow", 600)] if unsure else out


def _said(analysis: Analysis, number: int | None, goal: RecordedGoal | None) -> str:
    """Return the headline of the boot that was asked for, of the last one, or of a report about units."""
    if number is not None:
        named = analysis.boot(number)
        return _of_boot(analysis.told(named), goal if named is analysis.boots[-1] else None)
    boots = analysis.boots
    if boots:
        count = f"{len(boots)} boots; the last: " if len(boots) > 1 else ""
        return f"{count}{_of_boot(analysis.told(boots[-1]), goal)}"
    reports = [part for part in analysis.document.parts if isinstance(part, UnitReport)]
    return " ".join(analysis.told(reports[-1]).headline) if reports else ""


def _of_boot(told: ToldPart, goal: RecordedGoal | None) -> str:
    """Return the first sentence, the whole, and the last one, the largest cost."""
    said = headline(told, goal)
    return " ".join(dict.fromkeys((said[0], said[-1])))
