"""A comparison's values as the text of cells, the same in every view."""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.comparison import Column, Row, Value
from bootlab.views.shown_text import one_line

TEXT_CHARACTERS = 320


def text(column: Column, row: Row, *, grouped: bool = False) -> str:
    """Return a row's cell, with its note. What nothing shows is a dash. `grouped`: milliseconds by thousands."""
    shown = _shown(column, row.value(column.key), grouped)
    note = row.values.get(column.note) if column.note else None
    return shown if note is None else f"{shown} {one_line(str(note), 80)}"


def head(column: Column) -> str:
    """Return a column's heading on one line: its title, then clock and unit."""
    return one_line(f"{column.title}, {column.under}" if column.under else column.title)


def _shown(column: Column, value: Value, grouped: bool) -> str:
    if value is None:
        return figures.ABSENT
    if isinstance(value, str):
        return one_line(value, TEXT_CHARACTERS)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(column, value, grouped)


def _number(column: Column, value: float, grouped: bool) -> str:
    whole = round(value)
    forms = {
        "ms": lambda: figures.grouped_ms(whole) if grouped else figures.ms(whole),
        "signed-ms": lambda: figures.signed_ms(whole, grouped=grouped),
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
