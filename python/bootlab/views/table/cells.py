"""A comparison's values as the text of cells, the same in every view."""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.comparison import Column, Row, Value
from bootlab.views.shown_text import one_line

TEXT_CHARACTERS = 320


def text(column: Column, row: Row) -> str:
    """Return a row's cell, with its note. What nothing shows is a dash."""
    shown = _shown(column, row.value(column.key))
    note = row.values.get(column.note) if column.note else None
    return shown if note is None else f"{shown} {one_line(str(note), 80)}"


def _shown(column: Column, value: Value) -> str:
    if value is None:
        return figures.ABSENT
    if isinstance(value, str):
        return one_line(value, TEXT_CHARACTERS)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(column, value)


def _number(column: Column, value: float) -> str:
    whole = round(value)
    forms = {
        "ms": lambda: figures.ms(whole),
        "signed-ms": lambda: figures.signed_ms(whole),
        "us": lambda: f"{value / 1000:.2f}",
        "bytes": lambda: figures.size(whole),
        "percent": lambda: f"{100 * value:.1f} %",
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
