# SPDX-License-Identifier: MIT
"""A comparison on the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.model.comparison import Comparison
from bootlab.views.shown_text import one_line
from bootlab.views.table import cells

_FEW = 3


def tables(found: Comparison) -> list[RenderableType]:
    """Return the tables alone, each with its title above and a blank line below."""
    parts: list[RenderableType] = []
    for table in found.tables:
        parts += [Text(one_line(table.title), "bold")] if table.title else []
        parts += [cells.listing(found, table).view(), Text()]
    return parts


def view(found: Comparison, *, everything: bool = False) -> RenderableType:
    """Return the tables, what was left out, what to keep in mind, and the answer as the last line.

    `everything`: also why each of many variants was left out; of a few it is always said.
    """
    parts = tables(found)
    parts += [Text(f"{one_line(row.title)}: {said}", "yellow") for row in found.rows if (said := cells.state(row))]
    if everything or len(found.left_out) <= _FEW:
        parts += [_left_out(f"{one_line(row.title)}: {one_line(row.reason, 300)}") for row in found.left_out]
    else:
        names = ", ".join(one_line(row.title, 40) for row in found.left_out[:_FEW])
        parts.append(_left_out(f"{names} and {len(found.left_out) - _FEW} more (--all says why)"))
    parts += [Text(one_line(line), "dim") for line in found.footnote.splitlines()]
    return Group(*parts, Text(one_line(found.headline), "bold"))


def _left_out(text: str) -> Text:
    return Text(f"left out: {text}", "dim")
