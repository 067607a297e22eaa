"""A comparison on the terminal."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table as Drawn
from rich.text import Text

from bootlab.model.comparison import Column, Comparison, Row, Table
from bootlab.views.shown_text import one_line
from bootlab.views.table import cells

_GAP = 2
_VERDICTS = {
    "faster": "bold green",
    "slower": "red",
    "unknown": "yellow",
    "no effect shown": "magenta",
    "broken": "bold red",
}
_FEW = 3
_NAME_WIDTH = 24
_TEXT_WIDTH, _LEAST_TEXT_WIDTH = 40, 24
"""A column of words takes no more of the line than this before others move below, and no less before it moves."""


def tables(found: Comparison) -> list[RenderableType]:
    """Return the tables alone, each with its title above and a blank line below."""
    parts: list[RenderableType] = []
    for table in found.tables:
        parts += [Text(one_line(table.title), "bold")] if table.title else []
        parts += [_Fitted(found, table), Text()]
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


class _Fitted:
    """A table that never cuts a figure: columns that do not fit the line stand below, behind the first one again."""

    def __init__(self, found: Comparison, table: Table) -> None:
        keys = [key for key in table.columns if key not in table.wide]
        shown = [column for key in keys if not (column := found.column(key)).wide]
        # A table of nothing but wide columns would be names alone.
        self._columns = shown if len(shown) > 1 else [found.column(key) for key in table.columns]
        self._rows = found.rows_of(table)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw as many tables as the width asks for."""
        del console
        first, *others = self._columns
        name_width = self._name_width(first, options.max_width)
        part: list[Column] = []
        room = options.max_width - name_width - _GAP
        for column in others:
            width = min(self._width(column), _TEXT_WIDTH) if column.is_text else self._width(column)
            # Words fold: they may stand in what is left of the line.
            needed = min(width, _LEAST_TEXT_WIDTH) if column.is_text else width
            if part and needed + _GAP > room:
                yield self._drawn([first, *part], name_width)
                yield Text()
                part, room = [], options.max_width - name_width - _GAP
            part.append(column)
            room -= width + _GAP
        yield self._drawn([first, *part], name_width)

    def _name_width(self, column: Column, room: int) -> int:
        """Return a third of the line, where a name may fold; up to a half for one without a gap, as an id is."""
        names = (cells.text(column, row) for row in self._rows)
        word = max((cell_len(word) for name in names for word in name.split()), default=0)
        return min(self._width(column), max(_NAME_WIDTH, room // 3, min(word, room // 2)))

    def _width(self, column: Column) -> int:
        texts = [*_head(column).splitlines(), *(cells.text(column, row) for row in self._rows)]
        return max(cell_len(text) for text in texts)

    def _drawn(self, columns: list[Column], name_width: int) -> Drawn:
        drawn = Drawn(box=None, padding=(0, _GAP, 0, 0))
        for number, column in enumerate(columns):
            drawn.add_column(
                Text(_head(column)),
                justify="left" if column.is_text else "right",
                no_wrap=not column.is_text,
                min_width=None if column.is_text else self._width(column),
                max_width=name_width if number == 0 else None,
                overflow="fold",
            )
        for row in self._rows:
            style = "" if row.ok and row.proved else "dim"
            drawn.add_row(
                *(Text(cells.text(column, row), _style(column, row) or style) for column in columns),
            )
        return drawn


def _style(column: Column, row: Row) -> str:
    return _VERDICTS.get(row.verdict, "") if column.key == "verdict" else ""


def _head(column: Column) -> str:
    title = one_line(column.title, 40)
    return f"{title}\n{column.under}" if column.under else title
