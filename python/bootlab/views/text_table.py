# SPDX-License-Identifier: MIT
"""What all terminal tables are made of: cells that no log can turn into markup, columns that share the line's width."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text, TextType

from bootlab.views.shown_text import one_line

_WIDEST_FIXED = 34
_NARROWEST = 20
_LEAST_LOOSE = 12
_LOOSE = 10_000
_GAP = 3


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


class TextTable(Table):
    """A table of one line a row that never cuts a figure: columns that do not fit stand below, behind the first again.

    Rich would squeeze figures and words alike.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw as many tables as the width asks for, the title above the first."""
        title = self.title
        for number, (columns, widths) in enumerate(self._blocks(options.max_width)):
            if number and self.box is None:
                yield Text()
            part = self._part(columns, widths, None if number else title)
            # Beyond the table's width rich would cut a title.
            if isinstance(part.title, Text) and cell_len(part.title.plain) > sum(widths) + _GAP * len(widths):
                yield part.title
                part.title = None
            lines = _plain_lines(part, options.max_width) if console.color_system is None else None
            if lines is None:
                yield part
            else:
                yield from (Segment(line + "\n") for line in lines)

    def _blocks(self, room: int) -> list[tuple[list[int], list[int]]]:
        """Divide the columns among as many tables as it takes; of each, the columns and their widths."""
        wanted = [self._width(column) for column in self.columns]
        least = [
            width if column.justify == "right" else min(width, _LEAST_LOOSE if _is_loose(column) else _NARROWEST)
            for column, width in zip(self.columns, wanted, strict=True)
        ]
        blocks: list[list[int]] = []
        for at in range(len(self.columns)):
            if not blocks or (len(blocks[-1]) > 1 and _whole(least, [*blocks[-1], at]) > room):
                blocks.append([0] if blocks else [])
            blocks[-1].append(at)
        return [(block, self._shared(block, wanted, least, room)) for block in blocks]

    def _shared(self, block: list[int], wanted: list[int], least: list[int], room: int) -> list[int]:
        """Give each column of words what it wants as far as the line has it, those that need little first."""
        widths = {at: least[at] for at in block}
        left = room - _whole(least, block)
        words = sorted((at for at in block if wanted[at] > least[at]), key=lambda at: (_is_loose(self.columns[at]), at))
        for number, at in enumerate(words):
            share = left if not _is_loose(self.columns[at]) else left // (len(words) - number)
            more = max(0, min(wanted[at] - least[at], share))
            widths[at] += more
            left -= more
        return [widths[at] for at in block]

    def _width(self, column: Column) -> int:
        longest = max(cell_len(str(content)) for content in (column.header, *column.cells))
        return longest if column.justify == "right" or _is_loose(column) else min(longest, _WIDEST_FIXED)

    def _part(self, columns: list[int], widths: list[int], title: TextType | None) -> Table:
        part = Table(title=title, title_justify="left", box=self.box, pad_edge=self.pad_edge)
        for at, width in zip(columns, widths, strict=True):
            column = self.columns[at]
            part.add_column(
                column.header,
                justify=column.justify,
                no_wrap=column.no_wrap,
                overflow=column.overflow,
                min_width=width,
                max_width=width,
            )
        cells = [list(self.columns[at].cells) for at in columns]
        for row, content in zip(self.rows, zip(*cells, strict=True), strict=True):
            part.add_row(*content, style=row.style, end_section=row.end_section)
        return part


def _is_loose(column: Column) -> bool:
    return column.max_width == _LOOSE


def _whole(widths: list[int], columns: list[int]) -> int:
    return sum(widths[at] + _GAP for at in columns)


def _plain_lines(table: Table, most: int) -> list[str] | None:
    """Draw a table that needs no styles and fits into the line, as rich draws it; None for any other.

    Rich takes ten times as long, which is most of the time that a log's account takes.
    """
    columns, last = table.columns, len(table.columns) - 1
    texts = [[_plain(content) for content in (column.header, *column.cells)] for column in columns]
    title = _plain(table.title or "")
    if last < 1 or title is None or table.box is not box.SIMPLE_HEAD or any(row.end_section for row in table.rows):
        return None
    if any(text is None for column in texts for text in column):
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


def text_table(title: str, *columns: str) -> TextTable:
    """Make an empty table. A column `>name` is set to the right, `~name` takes what room the others leave."""
    table = TextTable(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
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
