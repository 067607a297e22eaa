# SPDX-License-Identifier: MIT
"""A comparison as one self-contained HTML page."""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.comparison import Comparison, Row
from bootlab.views import page_parts
from bootlab.views.page_model import PageData, TrendData
from bootlab.views.page_parts import part, table
from bootlab.views.shown_text import one_line
from bootlab.views.table import cells

_KINDS = {"filesystems": "File systems", "xip": "Start from flash", "lpj": "Loops per jiffy"}
"""What comparisons are called, where their kind is an abbreviation."""


_EVERY_BOOT = "A dot a boot of the board, in their order, in wall milliseconds; the line is their median."
_EXACT = " Dashed: the exact boot, in virtual milliseconds: another clock, so the distance means nothing by itself."
_MOST_DRAWN = 10


def _dots(row: Row) -> TrendData:
    """Draw each boot of a board beside the exact one."""
    exact_ns = row.ns("exact_ns")
    return {
        "label": one_line(f"{row.title}: {figures.counted(len(row.each_ns), 'boot')}"),
        "points": [[f"boot {number}", "", ns, None] for number, ns in enumerate(row.each_ns, 1)],
        "changes": [],
        "places": figures.places(row.ns("unsure_ns")),
        "lines": [] if exact_ns is None else [["exact", exact_ns]],
    }


def page(found: Comparison) -> str:
    """Return the page. A row without proof is drawn faint and says why."""
    parts = [
        part(one_line(made.title) or "Comparison", "", cells.listing(found, made).on_page()) for made in found.tables
    ]
    if drawn := [row for row in found.rows if len(row.each_ns) > 1]:
        exact = any(row.ns("exact_ns") is not None for row in drawn)
        dots = part("Every boot", f"{_EVERY_BOOT}{_EXACT if exact else ''}")
        # The whole boot is the last row of a comparison, and what one looks for first.
        dots["trends"] = [_dots(row) for row in (drawn[-1], *drawn[:-1])][:_MOST_DRAWN]
        parts.append(dots)
    if found.left_out:
        rows = [[one_line(row.title), one_line(row.reason, 300)] for row in found.left_out]
        parts.append(part("Left out", "", table("Left out", ["what", "why"], rows)))
    doubtful = [f"{one_line(row.title)}: {said}" for row in found.rows if (said := cells.state(row))]
    data: PageData = {
        "name": one_line(found.headline),
        "kind": one_line(_KINDS.get(found.kind, found.kind.replace("-", " ").capitalize())),
        "facts": [],
        "problems": [f"Not to be relied on: {line}" for line in doubtful],
        "parts": parts,
        "notes": [one_line(line, 2000) for line in found.footnote.splitlines()],
    }
    return page_parts.page(one_line(found.headline), data)
