# SPDX-License-Identifier: MIT
"""A table, stated once: its columns, rows and cells, drawn on the terminal, on a page and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.model import figures
from bootlab.views.markdown_text import plain
from bootlab.views.page_model import Cell as PageCell
from bootlab.views.page_model import TableData
from bootlab.views.shown_text import one_line
from bootlab.views.table.figures import FigureColumn, FigureTable
from bootlab.views.text_table import text_table

LIMIT = 160
"""So many characters of a text stand on the terminal, where no cell says another number."""


class Cell(NamedTuple):
    """A cell: its text on the terminal and on a page. A number is sorted by its value, None last; a text by itself."""

    text: str
    on_page: str
    is_number: bool = True
    value: float | str | None = None
    style: str = ""
    limit: int = LIMIT


def words(text: str | None, style: str = "", limit: int = LIMIT) -> Cell:
    """Make a cell of any text: it may come out of a log."""
    return Cell(text or "", text or "", is_number=False, style=style, limit=limit)


def ms(ns: int | None, absent: str = figures.ABSENT, *, range_ns: int | None = None) -> Cell:
    """Make a cell of milliseconds. `range_ns`: how far its values lie apart, which the digits follow."""
    if ns is None:
        return Cell(absent, absent)
    return Cell(figures.ms(ns, range_ns), figures.grouped_ms(ns, range_ns), value=ns)


def signed_ms(ns: int | None, *, range_ns: int | None = None) -> Cell:
    """Make a cell of a difference in milliseconds. `range_ns`: as of :func:`ms`."""
    shown = figures.signed_ms(ns, range_ns)
    return Cell(shown, shown, value=ns)


def number(value: int | None, absent: str = figures.ABSENT) -> Cell:
    """Make a cell of a number, grouped by thousands."""
    shown = absent if value is None else figures.count(value)
    return Cell(shown, shown, value=value)


def label(value: int | None) -> Cell:
    """Make a cell of a number that names something: a line, a process."""
    return Cell("" if value is None else str(value), figures.count(value), value=value)


def real(value: float | None, places: int = 2, *, sign: bool = False) -> Cell:
    """Make a cell of a number with decimal places."""
    shown = figures.ABSENT if value is None else f"{value:{'+' if sign else ''}.{places}f}".replace("-", figures.MINUS)
    return Cell(shown, shown, value=value)


def p_value(value: float | None) -> Cell:
    """Make a cell of a p value; one below a twenty-thousandth is told as that, and never as nought."""
    if value is None or value >= 0.00005:
        return real(value, 4)
    shown = "< 0.0001"
    return Cell(shown, shown, value=value)


def size(number_bytes: int | None) -> Cell:
    """Make a cell of a number of bytes; nothing for none."""
    return Cell(figures.size(number_bytes) if number_bytes else "", figures.count(number_bytes), value=number_bytes)


class Heading(NamedTuple):
    """A column of a table of figures. `under`: clock and unit; `key`, `look`: its name and its look on a page."""

    title: str
    under: str
    right: bool
    key: str
    look: str

    @property
    def lines(self) -> str:
        """The heading as the terminal shows it."""
        return f"{self.title}\n{self.under}" if self.under else self.title

    @property
    def line(self) -> str:
        """The heading on one line."""
        return one_line(f"{self.title}, {self.under}" if self.under else self.title)


class Listing(NamedTuple):
    """A table. A column `>name` is set to the right, `~name` takes what room the others leave on the terminal.

    `lead`: what a page says above it. `terminal`: its title there, where it says more than the page's. `only`: it is
    for the one or the other. `narrow`: columns, by their number, that only a page has room for. `least`: so many rows
    are shown however few are asked for. A table of figures has headings instead of `columns`, and of its rows `ids`
    and `faint`: nothing proves them.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    lead: str = ""
    terminal: str = ""
    only: Literal["terminal", "page", "both"] = "both"
    narrow: tuple[int, ...] = ()
    least: int = 0
    headings: tuple[Heading, ...] = ()
    ids: tuple[str, ...] = ()
    faint: tuple[bool, ...] = ()

    def table(self, top: int | None = None) -> Table:
        """Return the first rows of findings as a table of the terminal."""
        shown = self._shown
        made = text_table(self.terminal or self.title, *(self.columns[at] for at in shown))
        for row in self.rows[: None if top is None else max(top, self.least)]:
            made.add_row(*(_on_terminal(row[at], "") for at in shown))
        return made

    @property
    def _shown(self) -> list[int]:
        return [at for at in range(len(self.headings or self.columns)) if at not in self.narrow]

    def view(self, top: int | None = None) -> RenderableType:
        """Draw the first rows of findings, or all figures, on the terminal."""
        if not self.headings:
            return self.table(top)
        styles = ["dim" if faint else "" for faint in self.faint]
        return FigureTable(
            [
                FigureColumn(
                    self.headings[at].lines,
                    self.headings[at].right,
                    [_on_terminal(row[at], style) for row, style in zip(self.rows, styles, strict=True)],
                )
                for at in self._shown
            ]
        )

    def on_page(self) -> TableData:
        """Return it as a page's script draws it."""
        from bootlab.views import page_parts  # noqa: PLC0415 - the terminal does not wait for what pages need

        rows = ([_on_page(cell) for cell in row] for row in self.rows)
        made = page_parts.table(self.title, [name.removeprefix("~") for name in self.columns], rows, self.lead)
        if not self.headings:
            return made
        columns = [[one.line, one.right, one.key, one.look] for one in self.headings]
        return {**made, "columns": columns, "ids": list(self.ids), "faint": list(self.faint)}

    def markdown(self) -> str:
        """Return a table of figures, or of findings, as Markdown."""
        head = [f"{plain(one.title)}<br>{one.under}" if one.under else plain(one.title) for one in self.headings]
        rule = "".join("--:|" if one.right else "---|" for one in self.headings)
        if not self.headings:
            head = [plain(name.lstrip("~>")) for name in self.columns]
            rule = "".join("--:|" if name.startswith(">") else "---|" for name in self.columns)
        body = ([plain(cell.text, 400) for cell in row] for row in self.rows)
        return "\n".join(["| " + " | ".join(head) + " |", f"|{rule}", *("| " + " | ".join(row) + " |" for row in body)])


def views(listings: Iterable[Listing], top: int | None) -> list[RenderableType]:
    """Draw those that have rows on the terminal."""
    return [one.view(top) for one in listings if one.rows and one.only != "page"]


def on_page(listings: Iterable[Listing]) -> list[TableData]:
    """Return those that have rows as a page's script draws them."""
    return [one.on_page() for one in listings if one.rows and one.only != "terminal"]


def _on_terminal(cell: Cell, style: str) -> Text:
    return Text(one_line(cell.text, cell.limit), cell.style or style)


def _on_page(cell: Cell) -> PageCell:
    from bootlab.views import page_parts  # noqa: PLC0415 - as above

    shown = page_parts.show(cell.on_page)
    return [shown, cell.value] if cell.is_number else shown
