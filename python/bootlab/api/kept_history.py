# SPDX-License-Identifier: MIT
"""What is made of a history: trends, rows for other programs, a history without what is old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootlab.history.board_health import LOOKED_AT, boards
from bootlab.history.parquet import COLUMNS, export, list_rows
from bootlab.history.retention import prune
from bootlab.history.trend import new_step, trends

if TYPE_CHECKING:
    from bootlab.history.board_health import BoardHealth
    from bootlab.history.database import Database

__all__ = ["COLUMNS", "export", "health", "list_rows", "prune", "tell_step", "trends"]

_LOOKED_AT = 200


def health(database: Database) -> list[BoardHealth]:
    """Return how each real board is, by the newest boots of each system of a history."""
    names = [name for name, _ in database.systems()]
    return boards(boot for name in names for boot in database.entries(system=name, newest=LOOKED_AT))


def tell_step(database: Database, system: str, added: int, address: str) -> str:
    """Post to an address, as JSON, the change of the whole boot's level that the `added` newest boots of a system made.

    Return what became of it, "" where no level changed. Never raises for an address that does not answer.
    """
    from bootlab.forges.webhook import post
    from bootlab.views.history.text import step_words

    found = new_step(database.entries(system=system, newest=_LOOKED_AT), added)
    if found is None:
        return ""
    trend, change = found
    document = {
        "format": "bootlab-level-change",
        "version": 1,
        "text": f"{system}: {step_words(trend, change)}",
        "system": system,
        "quantity": trend.name,
        "from_ns": change.point.from_ns,
        "to_ns": change.point.to_ns,
        "from_revision": change.from_revision,
        "to_revision": change.to_revision,
        "author": change.author,
        "subject": change.subject,
    }
    return post(address, document)
