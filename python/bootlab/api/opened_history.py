# SPDX-License-Identifier: MIT
"""Where the history is, and what is in it: opened, or only looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.api.store_folder import default_store
from bootlab.history.sqlite_file import NotRead, SqliteFile, is_missing_file

if TYPE_CHECKING:
    from bootlab.history.database import Database
    from bootlab.history.entry import HistoryEntry

DATABASE_FILE = "history.db"


def history_url(url: str | None = None, *, store: Path | str | None = None) -> str:
    """Return the history's URL: the one given, BOOTLAB_HISTORY, else SQLite's file in the store."""
    folder = default_store() if store is None else Path(store)
    return url or os.environ.get("BOOTLAB_HISTORY") or f"sqlite:///{(folder / DATABASE_FILE).absolute()}"


@contextmanager
def open_history(
    url: str | None = None, *, store: Path | str | None = None, objects: Path | str | None = None
) -> Iterator[Database]:
    """Open the history, made where there is none. Raise BootlabError."""
    from bootlab.history.database import Database

    folder = default_store() if store is None else Path(store)
    where = history_url(url, store=store)
    kept = Path(objects) if objects is not None else None if where.startswith("sqlite") else folder / "objects"
    with Database(where, kept) as database:
        yield database


def boots_shown(
    system: str | None,
    *,
    variant: str | None = None,
    newest: int | None = None,
    url: str | None = None,
    store: Path | str | None = None,
) -> tuple[list[tuple[str, int]], list[HistoryEntry]]:
    """Return the systems of a history with how many boots each has, and the boots of one, the oldest first.

    `system` None: no boots; `newest`: only so many of the last ones. A file that is not there has none, and is not
    made; older tables are brought up to date. Raise BootlabError.
    """

    def asked(history: SqliteFile | Database) -> tuple[list[tuple[str, int]], list[HistoryEntry]]:
        boots = [] if system is None else history.entries(system=system, variant=variant, newest=newest)
        return history.systems(), boots

    where = history_url(url, store=store)
    try:
        return asked(SqliteFile(where))
    except NotRead:
        if is_missing_file(where):
            return [], []
        with open_history(url, store=store) as database:
            return asked(database)
