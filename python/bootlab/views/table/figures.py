# SPDX-License-Identifier: MIT
"""How a table of figures stands on the terminal: without rules, its words folded, no figure ever cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_GAP = 2
_NAME_WIDTH = 24
_TEXT_WIDTH, _LEAST_TEXT_WIDTH = 40, 24
"""A column of words takes no more of the line than this before others move below, and no less before it moves."""


class FigureColumn(NamedTuple):
    """A column: its heading of one or two lines, whether it stands on the right, its cells."""

    head: str
    right: bool
    cells: Sequence[Text]

    @property
    def width(self) -> int:
        """What it takes to stand on one line."""
        return max(cell_len(text) for text in (*self.head.splitlines(), *(cell.plain for cell in self.cells)))


class FigureTable:
    """Columns that do not fit the line stand below, behind the first one again."""

    def __init__(self, columns: Sequence[FigureColumn]) -> None:
        """Take the columns, of which the first names the rows."""
        self._columns = columns

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw as many tables as the width asks for."""
        del console
        first, *others = self._columns
        name_width = self._name_width(first, options.max_width)
        part: list[FigureColumn] = []
        room = options.max_width - name_width - _GAP
        for column in others:
            width = column.width if column.right else min(column.width, _TEXT_WIDTH)
            # Words fold: they may stand in what is left of the line.
            needed = width if column.right else min(width, _LEAST_TEXT_WIDTH)
            if part and needed + _GAP > room:
                yield self._drawn([first, *part], name_width)
                yield Text()
                part, room = [], options.max_width - name_width - _GAP
            part.append(column)
            room -= width + _GAP
        yield self._drawn([first, *part], name_width)

    def _name_width(self, column: FigureColumn, room: int) -> int:
        """Return a third of the line, where a name may fold; up to a half for one without a gap, as an id is."""
        word = max((cell_len(word) for name in column.cells for word in name.plain.split()), default=0)
        return min(column.width, max(_NAME_WIDTH, room // 3, min(word, room // 2)))

    def _drawn(self, columns: list[FigureColumn], name_width: int) -> Table:
        drawn = Table(box=None, padding=(0, _GAP, 0, 0))
        for number, column in enumerate(columns):
            drawn.add_column(
                Text(column.head),
                justify="right" if column.right else "left",
                no_wrap=column.right,
                min_width=column.width if column.right else None,
                max_width=name_width if number == 0 else None,
                overflow="fold",
            )
        for row in zip(*(column.cells for column in columns), strict=True):
            drawn.add_row(*row)
        return drawn
