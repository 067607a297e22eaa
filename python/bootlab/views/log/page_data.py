"""What the page of an analysis is given: its parts, and an account of what was read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from bootlab.analysis.call_forest import of_columns
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis, CallColumns
from bootlab.logs.boot import Boot, NotABoot
from bootlab.logs.trace import CallTrace
from bootlab.views.functions.calls_data import calls_data
from bootlab.views.log.boot_page import boot_page
from bootlab.views.log.page_headline import figures_of
from bootlab.views.log.part import part_page
from bootlab.views.page_model import LaneData, PageData, PartData
from bootlab.views.page_parts import number, plot, show, table

PARTS_LIMIT = 30


def page_data(analysis: Analysis, *, boot: int | None = None) -> PageData:
    """Collect everything the page shows."""
    document = analysis.document
    wanted = [analysis.boot(boot)] if boot is not None else document.parts
    notes = (
        [f"boot loop: {document.boot_loop.boots} boots end with `{document.boot_loop.ends_with}`"]
        if (document.boot_loop)
        else []
    )
    return {
        "name": show(PurePath(document.name).name or document.name),
        "file": show(document.name),
        "detected": document.detected,
        "lines": document.lines,
        "bytes": document.input.read_bytes,
        "packing": document.input.packing or "",
        "problems": [show(text) for text in (*document.input.problems, *notes)],
        "parts": _parts(analysis, wanted[:PARTS_LIMIT], analysis.call_trees() if boot is None else []),
        "partsLeft": max(0, len(wanted) - PARTS_LIMIT),
        "headline": figures_of(wanted),
        "account": [
            table("Read as", ["lines", "format"], ([f"{t.from_line} to {t.to_line}", t.format] for t in document.took)),
            table(
                "Skipped",
                [">count", "reason", ">first line"],
                ([number(s.count), show(s.reason), number(s.first_line)] for s in document.skipped),
            ),
        ],
    }


def _parts(analysis: Analysis, parts: Sequence[Any], trees: Sequence[CallColumns]) -> list[PartData]:
    """Collect the parts; the call trees are those of the traces among them, in their order."""
    made = []
    left = list(trees)
    for part in parts:
        page = _part(part, _lanes(analysis, part))
        if isinstance(part, CallTrace) and left:
            forest = of_columns(*left.pop(0), clock=part.clock, unit=part.weight)
            if len(forest) > 2:
                page["calls"] = calls_data(forest)
        made.append(page)
    return made


def _lanes(analysis: Analysis, part: Any) -> list[LaneData]:
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


def _part(part: Any, lanes: list[LaneData]) -> PartData:
    if isinstance(part, Boot):
        return boot_page(part)
    if isinstance(part, NotABoot):
        text = f"lines {part.from_line} to {part.to_line}: {part.what}: {part.why}"
        return {"title": "No boot", "alerts": [show(text)], "plot": None, "tables": [], "costs": []}
    made = part_page(part)
    if lanes:
        made["plot"] = plot("Functions of each task, the longest calls", lanes)
    return made
