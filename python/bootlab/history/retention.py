# SPDX-License-Identifier: MIT
"""What is kept for how long: times for ever unless asked, recordings as long as somebody may want to look at them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from bootlab.history.database import Database


class Pruned(msgspec.Struct, frozen=True):
    """What went, or would go: boots, recordings that no boot names any more, and their bytes."""

    boots: int
    recordings: int
    freed_bytes: int


def prune(
    database: Database,
    *,
    boots_s: float | None = None,
    recordings_s: float | None = None,
    keep: int = 1,
    dry: bool = False,
) -> Pruned:
    """Remove what is older than so many seconds. The newest `keep` boots of each revision keep their recordings.

    `dry`: remove nothing, and tell what would go.
    """
    entries = database.entries() if boots_s is not None or recordings_s is not None else []
    gone = [entry for entry in entries if boots_s is not None and entry.at < _before(boots_s)]
    forgotten = {entry.id for entry in gone}
    newest: dict[tuple[str, str], int] = {}
    old = []
    for entry in reversed([one for one in entries if one.id not in forgotten]):
        place = (entry.system, entry.revision)
        newest[place] = newest.get(place, 0) + 1
        if recordings_s is not None and entry.object and entry.at < _before(recordings_s) and newest[place] > keep:
            old.append(entry)
    wanted = _named_without(database, forgotten | {entry.id for entry in old}) if dry else None
    if not dry:
        database.forget(gone)
        database.drop_recordings(old)
    files = freed = 0
    if database.objects is not None:
        named = database.objects_named() if wanted is None else wanted
        files, freed = database.objects.prune(named, dry=dry)
    return Pruned(len(gone), files, freed)


def _before(age_s: float) -> str:
    try:
        limit = datetime.now(UTC) - timedelta(seconds=age_s)
    except OverflowError:
        # Before the calendar begins, where nothing is.
        return ""
    return limit.isoformat(timespec="microseconds")


def _named_without(database: Database, without: set[int | None]) -> set[str]:
    """Return the recordings that boots name, but for some boots. A damaged row names its own too."""
    numbered = database.objects_by_boot()
    return {digest for number, digest in numbered if number not in without}
