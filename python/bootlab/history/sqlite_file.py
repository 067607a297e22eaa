# SPDX-License-Identifier: MIT
"""A history in SQLite's file, only looked at: what `Database` answers, without the library that serves two databases.

For the command line, where that library takes longer to import than thousands of boots to read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bootlab.history import questions, rows
from bootlab.history.entry import HistoryEntry

TABLES = "3"
"""The version of the tables that are read: the newest of :mod:`bootlab.history.migrations`."""

_PREFIX = "sqlite:///"
_WAITS_S = 60


def is_missing_file(url: str) -> bool:
    """Tell whether a URL is plainly that of a file that is not there. Where that is not plain, it is none."""
    name = url.removeprefix(_PREFIX)
    return name != url and not set("?%#:") & set(name) and bool(name) and not Path(name).exists()


class NotRead(Exception):
    """Only `Database` can answer: another database, other tables, a damaged file, a row that must be made again."""


class SqliteFile:
    """A history in SQLite's file. Every question raises NotRead where only `Database` can answer."""

    def __init__(self, url: str) -> None:
        """Take a URL; nothing is opened yet. Raise NotRead where it is not plainly that of a file that is there."""
        name = url.removeprefix(_PREFIX)
        if name == url or set("?%#") & set(name) or not Path(name).is_file():
            raise NotRead
        self._path = Path(name)

    def systems(self) -> list[tuple[str, int]]:
        """Return the names of the systems and how many boots each has, by name."""
        with self._opened() as connection:
            return questions.by_name(connection.execute(questions.SYSTEMS))

    def entries(
        self, *, system: str | None = None, variant: str | None = None, newest: int | None = None
    ) -> list[HistoryEntry]:
        """Return boots, the oldest first. `newest`: only so many of the last ones."""
        chosen = questions.BootsWanted(system=system, variant=variant, newest=newest)
        with self._opened() as connection:
            boots = connection.execute(chosen.boots, chosen.parameters).fetchall()
            values = connection.execute(chosen.values, chosen.parameters)
            found = [rows.read(*one) for one in questions.rows_of(boots, values)]
        whole = [entry for entry in found if entry is not None]
        if len(whole) < len(found):
            raise NotRead
        return whole

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Give a connection in one transaction that cannot write. Raise NotRead instead of any error of SQLite."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAITS_S, isolation_level=None)) as connection:
                connection.execute("PRAGMA query_only=ON")
                connection.execute("BEGIN")
                if connection.execute("SELECT version_num FROM alembic_version").fetchall() != [(TABLES,)]:
                    raise NotRead
                yield connection
        except (sqlite3.Error, UnicodeError) as fault:
            raise NotRead from fault
