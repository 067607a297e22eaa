"""A comparison as CSV: one line a row, plain numbers (nanoseconds, bytes)."""

from __future__ import annotations

import csv
import io

from bootlab.model.comparison import Comparison
from bootlab.views.csv_cell import csv_cell

_FIELDS = ("id", "title", "ok", "proved", "verdict", "reason", "proof", "cmdline", "key")


def text(found: Comparison) -> str:
    """Return the rows with every field and value; columns in the order in which rows name them first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(dict.fromkeys(name for row in found.rows for name in row.values))
    writer.writerow([*_FIELDS, *names])
    for row in found.rows:
        fields = [getattr(row, name) for name in _FIELDS]
        writer.writerow([_cell(cell) for cell in (*fields, *(row.values.get(name) for name in names))])
    return out.getvalue()


def _cell(value: object) -> object:
    # A lone carriage return is not quoted by the csv module, and ends a row for some readers.
    return csv_cell(value.replace("\r", "\\r") if isinstance(value, str) else value)
