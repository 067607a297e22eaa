# SPDX-License-Identifier: MIT
"""What is made of a history: trends, rows for other programs, a history without what is old."""

from __future__ import annotations

from bootlab.history.parquet import COLUMNS, export, list_rows
from bootlab.history.retention import prune
from bootlab.history.trend import trends

__all__ = ["COLUMNS", "export", "list_rows", "prune", "trends"]
