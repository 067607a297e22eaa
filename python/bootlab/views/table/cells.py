# SPDX-License-Identifier: MIT
"""A comparison's tables as listings: its values as the text of cells, the same in every form."""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.views.shown_text import one_line
from bootlab.views.table.listing import Cell, Heading, Listing

TEXT_CHARACTERS = 320
_LONG = 16
"""Texts that are longer than this may take several lines of their column on a page."""
_VERDICTS = {
    "faster": "bold green",
    "slower": "red",
    "unknown": "yellow",
    "no effect shown": "magenta",
    "broken": "bold red",
}


def listing(found: Comparison, table: Table) -> Listing:
    """Return one of a comparison's tables. What a terminal leaves out are its wide columns, unless all of them are."""
    columns = [found.column(key) for key in table.columns]
    rows = found.rows_of(table)
    cells = [[_cell(column, row) for column in columns] for row in rows]
    wide = tuple(at for at, column in enumerate(columns) if column.wide or column.key in table.wide)
    return Listing(
        one_line(table.title),
        (),
        cells,
        # A table of nothing but wide columns would be names alone.
        narrow=wide if len(columns) - len(wide) > 1 else (),
        headings=tuple(
            Heading(
                one_line(column.title, 40),
                column.under,
                not column.is_text,
                column.key,
                "name" if at == 0 else _look(column, [row[at].on_page for row in cells]),
            )
            for at, column in enumerate(columns)
        ),
        ids=tuple(one_line(row.id) for row in rows),
        faint=tuple(not (row.ok and row.proved) for row in rows),
    )


def _cell(column: Column, row: Row) -> Cell:
    value = row.value(column.key)
    return Cell(
        text(column, row),
        text(column, row, grouped=True),
        value=one_line(value) if isinstance(value, str) else value,
        style=_VERDICTS.get(row.verdict, "") if column.key == "verdict" else "",
        limit=TEXT_CHARACTERS + 100,
    )


def _look(column: Column, texts: list[str]) -> str:
    if "modelled" in f"{column.title}, {column.under}":
        return "model"
    if column.is_text:
        return "words" if max(map(len, texts), default=0) > _LONG else "word"
    return "saved" if column.kind == "signed-ms" else ""


def text(column: Column, row: Row, *, grouped: bool = False) -> str:
    """Return a row's cell, with its note. What nothing shows is a dash. `grouped`: milliseconds by thousands."""
    shown = _shown(column, row.value(column.key), row.ns(column.unsure), grouped)
    low_ns, high_ns = row.ns(column.key), row.ns(column.ends)
    if low_ns is not None and high_ns is not None:
        shown = _both_ends(column, low_ns, high_ns, grouped)
    note = row.values.get(column.note) if column.note else None
    return shown if note is None else f"{shown} {one_line(str(note), 80)}"


def _shown(column: Column, value: Value, unsure_ns: int | None, grouped: bool) -> str:
    if value is None:
        return figures.ABSENT
    if isinstance(value, str):
        return one_line(value, TEXT_CHARACTERS)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(column, value, unsure_ns, grouped)


def _both_ends(column: Column, low_ns: int, high_ns: int, grouped: bool) -> str:
    """`2 024 to 2 168`: an interval to the digits that its width carries; one value where both ends read alike."""
    ends = (_number(column, end_ns, high_ns - low_ns, grouped) for end_ns in (low_ns, high_ns))
    return " to ".join(dict.fromkeys(ends))


def _number(column: Column, value: float, unsure_ns: int | None, grouped: bool) -> str:
    whole = round(value)
    forms = {
        "ms": lambda: figures.grouped_ms(whole, unsure_ns) if grouped else figures.ms(whole, unsure_ns),
        "signed-ms": lambda: figures.signed_ms(whole, unsure_ns, grouped=grouped),
        "us": lambda: f"{value / 1000:.2f}",
        "bytes": lambda: figures.size(whole),
        "percent": lambda: f"{100 * value:.1f} %",
        "rate": lambda: f"{value / 1e6:.1f}",
        "hex": lambda: f"0x{whole:08x}",
        "count": lambda: figures.count(whole),
        "text": lambda: f"{value:g}" if isinstance(value, float) else str(value),
    }
    return forms[column.kind]()


def state(row: Row) -> str:
    """Return why a row is no result to rely on, or "" where it is."""
    if not row.ok:
        known = f"{row.verdict}: {row.reason}" if row.verdict and row.reason else row.reason or row.verdict
        return one_line(known, TEXT_CHARACTERS)
    return "" if row.proved else one_line(f"not proved: {row.proof or row.reason}", TEXT_CHARACTERS)
