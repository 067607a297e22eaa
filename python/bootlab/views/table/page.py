# SPDX-License-Identifier: MIT
"""A comparison as one self-contained HTML page."""

from __future__ import annotations

from bootlab.model.comparison import Comparison
from bootlab.views import page_parts
from bootlab.views.page_model import PageData
from bootlab.views.page_parts import part, table
from bootlab.views.shown_text import one_line
from bootlab.views.table import cells

_KINDS = {"filesystems": "File systems", "xip": "Start from flash", "lpj": "Loops per jiffy"}
"""What comparisons are called, where their kind is an abbreviation."""


def page(found: Comparison) -> str:
    """Return the page. A row without proof is drawn faint and says why."""
    parts = [
        part(one_line(made.title) or "Comparison", "", cells.listing(found, made).on_page()) for made in found.tables
    ]
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
