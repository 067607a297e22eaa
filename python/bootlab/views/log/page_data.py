# SPDX-License-Identifier: MIT
"""What the page of an analysis is given: what the core says of boots and units, and here what traces tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from bootlab.analysis.call_forest import of_columns
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis, CallColumns
from bootlab.logs.trace import CallTrace
from bootlab.techniques.remedies import remedy
from bootlab.views.functions.calls_data import calls_data
from bootlab.views.log.part import OtherPart, part_page
from bootlab.views.log.part_figures import part_figures
from bootlab.views.log.recorded_goal import RecordedGoal
from bootlab.views.page_model import LaneData, PageData, PartData
from bootlab.views.page_parts import plot, show

PARTS_LIMIT = 30


def page_data(analysis: Analysis, *, boot: int | None = None, goal: RecordedGoal | None = None) -> PageData:
    """Collect everything the page shows. `goal`: of its last boot, where its recording knows it."""
    if boot is not None:
        analysis.boot(boot)
    words = goal.words if goal is not None else None
    page: PageData = msgspec.json.decode(analysis.core.page(boot=boot, goal=words))
    wanted: Sequence[Any] = analysis.document.parts
    if boot is None:
        # What the core leaves to others has no data of a page.
        trees = analysis.call_trees()
        page["parts"] = [
            made if made is not None else _part(analysis, part, trees)
            for made, part in zip(page["parts"], wanted, strict=False)
        ]
        page["headline"] = page["headline"] or next((said for part in wanted if (said := part_figures(part))), [])
    for part in page["parts"]:
        with_remedies(part)
    return page


def with_remedies(part: PartData) -> None:
    """Say of each cost what helps against its kind; the way to try it is left out where nothing is to be gained."""
    for cost in part["costs"]:
        known = remedy(cost["kind"])
        cost["technique"] = show(known.name)
        cost["way"] = "" if cost["gain"] == 0 else known.way()


def _part(analysis: Analysis, part: OtherPart, trees: list[CallColumns]) -> PartData:
    """Collect a part that is neither a boot nor about units. `trees`: the call trees of the traces still to come."""
    made = part_page(part)
    if lanes := _lanes(analysis, part):
        made["plot"] = plot("Functions of each task, the longest calls", lanes)
    if isinstance(part, CallTrace) and trees:
        forest = of_columns(*trees.pop(0), clock=part.clock, unit=part.weight)
        if len(forest) > 2:
            made["calls"] = calls_data(forest)
    return made


def _lanes(analysis: Analysis, part: OtherPart) -> list[LaneData]:
    """Return the spans of a trace, which the document itself does not hold: the longest of each task."""
    if not isinstance(part, CallTrace) or part.initcalls or len(analysis.document.parts) != 1:
        return []
    try:
        made = msgspec.json.decode(analysis.export("plot"))
    except UserError:
        return []
    for one in made:
        one["name"] = show(one["name"])
        one["spans"] = [[show(name), start, length, show(kind)] for name, start, length, kind in one["spans"]]
    return list(made)
