"""A table of what was found, stated once: its columns, rows and cells, drawn on the terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.model import figures
from bootlab.views import page_parts
from bootlab.views.page_model import Cell as PageCell
from bootlab.views.page_model import TableData
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import text_table

LIMIT = 160
"""So many characters of a text stand on the terminal, where no cell says another number."""


class Cell(NamedTuple):
    """A cell: its text on the terminal and on a page. A number is sorted by its value, None last; a text by itself."""

    text: str
    on_page: str
    is_number: bool = True
    value: float | None = None
    style: str = ""
    limit: int = LIMIT


def words(text: str | None, style: str = "", limit: int = LIMIT) -> Cell:
    """Make a cell of any text: it may come out of a log."""
    return Cell(text or "", text or "", is_number=False, style=style, limit=limit)


def ms(ns: int | None, absent: str = figures.ABSENT) -> Cell:
    """Make a cell of milliseconds."""
    if ns is None:
        return Cell(absent, absent)
    return Cell(figures.ms(ns), figures.grouped_ms(ns), value=ns)


def signed_ms(ns: int | None) -> Cell:
    """Make a cell of a difference in milliseconds."""
    return Cell(figures.signed_ms(ns), figures.signed_ms(ns), value=ns)


def number(value: int | None, absent: str = figures.ABSENT) -> Cell:
    """Make a cell of a number, grouped by thousands."""
    shown = absent if value is None else figures.count(value)
    return Cell(shown, shown, value=value)


def label(value: int | None) -> Cell:
    """Make a cell of a number that names something: a line, a process."""
    return Cell("" if value is None else str(value), figures.count(value), value=value)


def real(value: float | None, places: int = 2, *, sign: bool = False) -> Cell:
    """Make a cell of a number with decimal places."""
    shown = figures.ABSENT if value is None else f"{value:{'+' if sign else ''}.{places}f}"
    return Cell(shown, shown, value=value)


def size(number_bytes: int | None) -> Cell:
    """Make a cell of a number of bytes; nothing for none."""
    return Cell(figures.size(number_bytes) if number_bytes else "", figures.count(number_bytes), value=number_bytes)


class Listing(NamedTuple):
    """A table. A column `>name` is set to the right, `~name` takes what room the others leave on the terminal.

    `lead`: what a page says above it. `terminal`: its title there, where it says more than the page's. `only`: it is
    for the one or the other. `narrow`: columns, by their number, that only a page has room for. `least`: so many rows
    are shown however few are asked for.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    lead: str = ""
    terminal: str = ""
    only: Literal["terminal", "page", "both"] = "both"
    narrow: tuple[int, ...] = ()
    least: int = 0

    def table(self, top: int | None = None) -> Table:
        """Return the first rows as a table of the terminal."""
        shown = [at for at in range(len(self.columns)) if at not in self.narrow]
        made = text_table(self.terminal or self.title, *(self.columns[at] for at in shown))
        for row in self.rows[: None if top is None else max(top, self.least)]:
            made.add_row(*(Text(one_line(row[at].text, row[at].limit), row[at].style) for at in shown))
        return made

    def view(self, top: int | None = None) -> RenderableType:
        """Draw the first rows on the terminal."""
        return self.table(top)

    def on_page(self) -> TableData:
        """Return it as a page's script draws it."""
        rows = ([_on_page(cell) for cell in row] for row in self.rows)
        return page_parts.table(self.title, [name.removeprefix("~") for name in self.columns], rows, self.lead)


def views(listings: Iterable[Listing], top: int | None) -> list[RenderableType]:
    """Draw those that have rows on the terminal."""
    return [one.view(top) for one in listings if one.rows and one.only != "page"]


def on_page(listings: Iterable[Listing]) -> list[TableData]:
    """Return those that have rows as a page's script draws them."""
    return [one.on_page() for one in listings if one.rows and one.only != "terminal"]


def _on_page(cell: Cell) -> PageCell:
    shown = page_parts.show(cell.on_page)
    return [shown, cell.value] if cell.is_number else shown
