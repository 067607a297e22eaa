# SPDX-License-Identifier: MIT
"""The floor of an optimised system as two tables of a run, and as one line."""

from __future__ import annotations

from bootlab.analysis import floor_table
from bootlab.model.comparison import Row
from bootlab.results.document import RunDocument

TABLES = floor_table.tables(
    "The floor: what the goal needs in this boot of the result", "What else the result does, the largest first"
)


def rows(results: RunDocument) -> list[Row]:
    """Return the rows of these tables; none where no floor was computed."""
    return floor_table.rows(results.floor) if results.floor is not None else []


def said(results: RunDocument) -> str:
    """Say how far the result is from its floor, in one line; "" where no floor was computed."""
    floor = results.floor
    return floor_table.said(floor, "the result") if floor is not None and floor.goal_ns else ""
