"""A value as a cell of CSV that no spreadsheet takes for a formula."""

from __future__ import annotations

_FORMULA = frozenset("=+-@\t\r")


def csv_cell(value: object) -> object:
    """Return a cell: nothing for None, texts that begin like a formula behind an apostrophe."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA else value
