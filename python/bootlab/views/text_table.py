"""What all terminal tables are made of: cells that no log can turn into markup, columns that share the line's width."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from bootlab.views.shown_text import one_line

_WIDEST_FIXED = 34
_LOOSE = 10_000


def cell(text: str, style: str = "", limit: int = 160) -> Text:
    """Make a table cell out of any text: no markup is read, control characters are spelled."""
    return Text(one_line(text, limit), style=style)


def to_text(view: RenderableType, *, width: int = 120) -> str:
    """Render without colour, for files and pipes."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False, highlight=False).print(view)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


class Fitted:
    """A table whose loose columns share what the others leave of the line; rich would squeeze the figures instead."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the loose columns their width, then draw the table."""
        columns = self._table.columns
        loose = [c for c in columns if c.max_width == _LOOSE]
        fixed = 0
        for column in columns:
            longest = max(cell_len(str(c)) for c in (column.header, *column.cells))
            if column not in loose:
                column.min_width = min(longest, _WIDEST_FIXED)
                fixed += column.min_width
        room = options.max_width - fixed - 3 * len(columns)
        for column in loose:
            column.max_width = max(12, room // len(loose))
        yield self._table
        for column in loose:
            column.max_width = _LOOSE


def text_table(title: str, *columns: str) -> Table:
    """Make an empty table. A column `>name` is set to the right, `~name` takes what room the others leave."""
    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        right = name.startswith(">")
        # One line a row: what does not fit stands whole in the HTML page and in the JSON.
        loose = name.startswith("~") or name in {"proof or reason", "why", "reason", "evidence"}
        table.add_column(
            Text(name.lstrip(">~")),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=_LOOSE if loose else _WIDEST_FIXED,
        )
    return table


def spaced(parts: Iterable[RenderableType]) -> list[RenderableType]:
    """Put a blank line between lines of text and what follows them."""
    out: list[RenderableType] = []
    for part in parts:
        # A table brings its own blank line below; single lines of text stand together.
        if not isinstance(part, Text) and out and isinstance(out[-1], Text):
            out.append(Text())
        out.append(part)
    return out
