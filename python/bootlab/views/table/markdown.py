# SPDX-License-Identifier: MIT
"""A comparison as Markdown."""

from __future__ import annotations

from bootlab.model.comparison import Comparison
from bootlab.views.markdown_text import plain
from bootlab.views.table import cells


def page(found: Comparison) -> str:
    """Return a page: the answer, the tables, what was left out, what the columns mean."""
    parts = [f"# {plain(found.headline, 400)}", *body(found)]
    return "\n\n".join(parts) + "\n"


def section(found: Comparison) -> str:
    """Return the same without a heading, for a section of a page that has one."""
    return "\n\n".join(body(found)) + "\n"


def body(found: Comparison) -> list[str]:
    """Return the blocks below the heading."""
    parts: list[str] = []
    for table in found.tables:
        parts += [f"## {plain(table.title)}"] if table.title else []
        parts.append(cells.listing(found, table).markdown())
    if found.left_out:
        parts.append("Left out:")
        parts.append("\n".join(f"* {plain(row.title)}: {plain(row.reason, 300)}" for row in found.left_out))
    return [*parts, *(plain(line, 2000) for line in found.footnote.splitlines())]
