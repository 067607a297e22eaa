# SPDX-License-Identifier: MIT
"""A comparison as CSV: one line a row, plain numbers (nanoseconds, bytes)."""

from __future__ import annotations

from bootlab.model.comparison import Comparison
from bootlab.views.csv_text import csv_text

_FIELDS = ("id", "title", "ok", "proved", "verdict", "reason", "proof", "cmdline", "key")


def text(found: Comparison) -> str:
    """Return the rows with every field and value; columns in the order in which rows name them first."""
    names = list(dict.fromkeys(name for row in found.rows for name in row.values))
    rows = (
        [*(getattr(row, field) for field in _FIELDS), *(row.values.get(name) for name in names)] for row in found.rows
    )
    return csv_text([*_FIELDS, *names], rows)
