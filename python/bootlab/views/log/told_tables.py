# SPDX-License-Identifier: MIT
"""The core's tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType

from bootlab.logs.told import TableCell, TableListing
from bootlab.views.table.listing import Cell, Listing
from bootlab.views.text_table import cell

_BELOW = 600


def told_tables(tables: Iterable[TableListing], top: int, *, recorded_goal: bool = False) -> Iterator[RenderableType]:
    """Draw the first rows of each that has rows and is for the terminal, and what is said below it.

    `recorded_goal`: a recording knows when the goal came.
    """
    for table in tables:
        if table.rows and table.only != "page":
            title = table.beside_goal if recorded_goal and table.beside_goal else table.title
            shown = _listing(table, title).view(top)
            yield Group(shown, *(cell(text, "dim", _BELOW) for text in table.below)) if table.below else shown


def _listing(table: TableListing, title: str) -> Listing:
    return Listing(
        title,
        table.columns,
        [[_cell(one) for one in row] for row in table.rows],
        terminal=table.terminal,
        narrow=tuple(table.narrow),
        least=table.least,
    )


def _cell(one: TableCell) -> Cell:
    return Cell(one.text, one.on_page, one.is_number, one.value, one.style, one.limit)
