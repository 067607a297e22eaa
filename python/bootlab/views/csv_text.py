# SPDX-License-Identifier: MIT
"""Rows as CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = frozenset("=+-@\t\r")


def csv_text(head: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a heading and rows: nothing for None, texts that begin like a formula behind an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return "" if value is None else value
    # A lone carriage return is not quoted by the csv module, and ends a row for some readers.
    shown = value.replace("\r", "\\r")
    return f"'{shown}" if value[:1] in _FORMULA else shown
