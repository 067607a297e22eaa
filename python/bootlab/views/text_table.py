"""What all terminal tables are made of: cells that no log can turn into markup, columns that share the line's width."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from bootlab.views.shown_text import one_line

_WIDEST_FIXED = 34
_NARROWEST = 20
_LOOSE = 10_000


def cell(text: str, style: str = "", limit: int = 160) -> Text:
    """Make a table cell out of any text: no markup is read, control characters are spelled."""
    return Text(one_line(text, limit), style=style)


class Hanging:
    """Text behind a head; what does not fit into the line stands under the text, not under the head."""

    def __init__(self, head: Text, body: Text) -> None:
        self._head, self._body = head, body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Wrap the text to what the head leaves of the line."""
        indent = cell_len(self._head.plain)
        for number, line in enumerate(self._body.wrap(console, max(_NARROWEST, options.max_width - indent))):
            line.rstrip()
            yield Text.assemble(Text(" " * indent) if number else self._head, line)


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
        title = self._table.title
        # Beyond the table's width rich would cut a title.
        if isinstance(title, Text) and cell_len(title.plain) > self._least_width():
            yield title
            self._table.title = None
        lines = _plain_lines(self._table, options.max_width) if console.color_system is None else None
        if lines is None:
            yield self._table
        else:
            yield from (Segment(line + "\n") for line in lines)
        self._table.title = title
        for column in loose:
            column.max_width = _LOOSE

    def _least_width(self) -> int:
        columns = self._table.columns
        return sum((column.min_width or 0) + 3 for column in columns if column.max_width != _LOOSE)


def _plain_lines(table: Table, most: int) -> list[str] | None:
    """Draw a table that needs no styles and fits into the line, as rich draws it; None for any other.

    Rich takes ten times as long, which is most of the time that a log's account takes.
    """
    columns, last = table.columns, len(table.columns) - 1
    texts = [[_plain(content) for content in (column.header, *column.cells)] for column in columns]
    title = _plain(table.title or "")
    if last < 1 or title is None or any(text is None for column in texts for text in column):
        return None
    # The edges of the first and the last column have no blank inside the frame.
    pads = [2 - (at == 0) - (at == last) for at in range(last + 1)]
    widths = [
        pad + _clamped(max(cell_len(text or "") for text in column), columns[at])
        for at, (column, pad) in enumerate(zip(texts, pads, strict=True))
    ]
    whole = sum(widths) + last + 2
    if whole > most or cell_len(title) > whole:
        return None
    rows = []
    for row in zip(*texts, strict=True):
        drawn = [
            " " * (at > 0) + _set(text or "", widths[at] - pads[at], columns[at].justify) + " " * (at < last)
            for at, text in enumerate(row)
        ]
        rows.append(" " + " ".join(drawn) + " ")
    rule = " " + "─" * (whole - 2) + " "
    head = [set_cell_size(title, whole)] if title else []
    return [*head, " " * whole, rows[0], rule, *rows[1:], " " * whole]


def _plain(content: RenderableType) -> str | None:
    """Return a cell's text, unless rich would make something else of it."""
    if isinstance(content, Text):
        text = content.plain
    elif isinstance(content, str) and not any(c in content for c in "[:\\"):
        text = content
    else:
        return None
    return None if "\n" in text or "\t" in text else text


def _clamped(width: int, column: Column) -> int:
    return max(column.min_width or 0, width if column.max_width is None else min(width, column.max_width))


def _set(text: str, width: int, justify: str) -> str:
    if justify == "right":
        text = text.rstrip()
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1) + "…"
    return " " * (width - cell_len(text)) + text if justify == "right" else set_cell_size(text, width)


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
