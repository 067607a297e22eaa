# SPDX-License-Identifier: MIT
"""What pages are made of: tables, plots and parts as plain data, every text made visible, every list cut.

:mod:`bootlab.views.page_model` has their types. The page's scripts read these names; change both together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from bootlab.model import figures
from bootlab.views import html_frame
from bootlab.views.page_model import (
    CallsData,
    Cell,
    LaneData,
    PageData,
    PartData,
    PlotData,
    StageData,
    StagesData,
    TableData,
)
from bootlab.views.shown_text import visible

SCRIPTS = ("dom.js", "figures.js", "tables.js", "stages.js", "plot.js", "timeline.js", "calls_model.js",
           "flame.js", "calls_tree.js", "calls_functions.js", "calls.js", "trend.js", "analysis.js")  # fmt: skip
ROWS_LIMIT = 1000
SPANS_LIMIT = 4000
TEXT_LIMIT = 400


_BLANK: PageData = {"name": "", "problems": [], "parts": [], "partsLeft": 0, "account": []}


def page(title: str, data: PageData) -> str:
    """Make a page that is drawn of parts; what its data leave out of problems, parts and account is empty."""
    return html_frame.page(title, (*SCRIPTS, "start.js"), _BLANK | data)


def show(text: str, limit: int = TEXT_LIMIT) -> str:
    """Make text of a log safe to show, at most as long as a person reads."""
    return visible(text, limit)


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]], lead: str = "") -> TableData:
    """Make a table; what goes beyond the limit of rows is counted in `left`."""
    everything = [list(row) for row in rows]
    return {
        "caption": caption,
        "lead": lead,
        "columns": [[name.removeprefix(">"), name.startswith(">")] for name in columns],
        "rows": everything[:ROWS_LIMIT],
        "left": max(0, len(everything) - ROWS_LIMIT),
    }


def part(
    title: str,
    subtitle: str,
    *tables: TableData,
    alerts: Sequence[str] = (),
    calls: CallsData | None = None,
) -> PartData:
    """Make a part of a page out of tables and a call tree, both of which may be absent."""
    return {
        "title": title,
        "subtitle": subtitle,
        "alerts": list(alerts),
        "plot": None,
        "costs": [],
        "tables": list(tables),
        "calls": calls,
    }


def ms(ns: int | None, *, range_ns: int | None = None) -> list[Any]:
    """Make a cell of milliseconds that sorts by its value. `range_ns`: how far it is unsure; the digits follow."""
    return [figures.grouped_ms(ns, range_ns), ns]


def end_to_end(stages: Sequence[tuple[str, int]], total_ns: int | None, range_ns: int | None) -> StagesData | None:
    """Lay the stages of a boot end to end, for a picture; None where they do not make up the whole, to a hundredth.

    `range_ns`: how far its times are unsure; None of exact ones.
    """
    if total_ns is None or abs(sum(ns for _, ns in stages) - total_ns) > total_ns / 100:
        return None
    starts = itertools.accumulate((ns for _, ns in stages), initial=0)
    placed: list[StageData] = [
        {"name": show(name), "start_ns": at, "duration_ns": ns} for (name, ns), at in zip(stages, starts, strict=False)
    ]
    return {"stages": placed, "goal_ns": total_ns, "places": figures.places(range_ns)}


def number(value: int | None) -> list[Any]:
    """Make a cell of a number that sorts by its value."""
    return [figures.count(value), value]


def lane(
    name: str,
    spans: Iterable[tuple[str, int, int, str]],
    *,
    stage: str = "",
    most: int = SPANS_LIMIT,
    limit: int = TEXT_LIMIT,
) -> LaneData:
    """Make a lane of a plot: name, start, length and detail of each span; the longest ones when there are too many.

    `stage`: the stage that all of them belong to, whose colour they get.
    """
    everything = sorted(spans, key=lambda span: -span[2])
    kept = everything[:most]
    return {
        "name": show(name),
        "stage": stage,
        "cut": len(everything) - len(kept),
        "spans": [
            [show(what, limit), start, max(length, 0), show(detail, limit)] for what, start, length, detail in kept
        ],
    }


def plot(label: str, lanes: Sequence[LaneData], marks: Sequence[tuple[str, int]] = ()) -> PlotData | None:
    """Make a plot of one clock, if there is anything to draw."""
    filled = [one for one in lanes if one["spans"]]
    times = [t for one in filled for _n, start, length, _d in one["spans"] for t in (start, start + length)]
    times += [at for _name, at in marks]
    if not times or not filled:
        return None
    return {
        "label": show(label),
        "lanes": filled,
        "marks": [{"name": show(name), "at": at} for name, at in marks],
        "start": min(times),
        "end": max(times),
    }
