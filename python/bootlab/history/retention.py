# SPDX-License-Identifier: MIT
"""What is kept for how long: times for ever unless asked, recordings as long as somebody may want to look at them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from bootlab.history.database import Database


class Pruned(msgspec.Struct, frozen=True):
    """What went: boots, recordings that no boot names any more, and their bytes."""

    boots: int
    recordings: int
    freed_bytes: int


def prune(
    database: Database, *, boots_days: float | None = None, recordings_days: float | None = None, keep: int = 1
) -> Pruned:
    """Remove what is older than so many days. The newest `keep` boots of each revision keep their recordings."""
    now = datetime.now(UTC)
    gone = 0
    if boots_days is not None:
        limit = (now - timedelta(days=boots_days)).isoformat(timespec="microseconds")
        gone = database.forget([entry for entry in database.entries() if entry.at < limit])
    if recordings_days is not None:
        limit = (now - timedelta(days=recordings_days)).isoformat(timespec="microseconds")
        newest: dict[tuple[str, str], int] = {}
        old = []
        for entry in reversed(database.entries()):
            place = (entry.system, entry.revision)
            newest[place] = newest.get(place, 0) + 1
            if entry.object and entry.at < limit and newest[place] > keep:
                old.append(entry)
        database.drop_recordings(old)
    files = freed = 0
    if database.objects is not None:
        files, freed = database.objects.prune(database.objects_named())
    return Pruned(gone, files, freed)
