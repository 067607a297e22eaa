# SPDX-License-Identifier: MIT
"""Boots as rows of the history's tables, each with the digest of what was written.

A database of the usual kind finds no flipped bit: SQLite's pages have no checksum, and PostgreSQL's only where the
cluster was made with them. So a row has its own, and one that is not what was written is no boot.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bootlab.errors import BootlabError
from bootlab.history.boot_times import DITHER, BootTimes
from bootlab.history.entry import HistoryEntry
from bootlab.history.objects import Objects
from bootlab.history.of_recording import of_recording
from bootlab.model.recording import Outcome
from bootlab.recordings import recording_dir, sealed

_MOST_TEXT = 200
_SEALED = (
    "uid", "system", "revision", "variant", "session", "at", "host", "outcome", "clock", "exact", "insns",
    "recording_key", "facts",
)  # fmt: skip
"""The columns that the digest covers; `object` names its own contents, and goes when a recording does."""

Row = Mapping[str, Any]


def row_of(entry: HistoryEntry, uid: str) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Return a boot's row, with its digest, and those of its values, which its number is still to be put into."""
    times = entry.times
    row: dict[str, object] = {
        "uid": uid,
        "system": entry.system[:_MOST_TEXT],
        "revision": entry.revision[:_MOST_TEXT],
        "variant": entry.variant[:_MOST_TEXT],
        "session": entry.session[:64],
        "at": times.at,
        "host": entry.host[:_MOST_TEXT],
        "outcome": times.outcome.value,
        "clock": times.clock,
        "exact": times.exact,
        "insns": times.insns,
        "recording_key": times.key,
        "object": entry.object,
        "facts": _plain(msgspec.json.encode(times.facts, order="sorted").decode()),
    }
    values = _value_rows(times)
    return row | {"digest": digest_of(row, values)}, values


def _value_rows(times: BootTimes) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = [
        {"name": _plain(name[:_MOST_TEXT]), "ns": ns, "why_not": ""} for name, ns in times.values.items()
    ]
    missing = [(name, why) for name, why in times.not_measured.items() if name not in times.values]
    return rows + [{"name": _plain(name), "ns": None, "why_not": _plain(why)} for name, why in missing]


def _plain(text: str) -> str:
    """Leave out what PostgreSQL cannot keep in a text: NUL."""
    return text.replace("\0", "").replace("\\u0000", "")


def digest_of(row: Row, values: Sequence[Row]) -> str:
    """Return the digest of a boot's row and of its values, in whatever order those come."""
    kept = sorted(([value["name"], value["ns"], value["why_not"]] for value in values), key=repr)
    return sealed.digest_of({**{name: row[name] for name in _SEALED}, "values": kept})


def whole(row: Row, values: Sequence[Row]) -> bool:
    """Tell whether a boot's row and values are what was written."""
    try:
        return bool(row["digest"] == digest_of(row, values))
    except (TypeError, ValueError, msgspec.MsgspecError):
        # SQLite gives whatever type the damaged bytes say.
        return False


def entry_of(row: Row, values: Sequence[Row]) -> HistoryEntry:
    """Return the boot that a whole row holds."""
    times = BootTimes(
        key=row["recording_key"],
        outcome=Outcome(row["outcome"]),
        clock=row["clock"],
        exact=bool(row["exact"]),
        values={value["name"]: value["ns"] for value in values if value["ns"] is not None},
        not_measured={value["name"]: value["why_not"] for value in values if value["ns"] is None},
        insns=row["insns"],
        facts=msgspec.json.decode(row["facts"], type=dict[str, str]),
        at=row["at"],
    )
    names = ("id", "system", "revision", "variant", "session", "host", "object")
    return HistoryEntry(times=times, **{name: row[name] for name in names})


def healed(row: Row, objects: Objects | None) -> tuple[dict[str, object], list[dict[str, object]]] | None:
    """Return what was written for a damaged row, from its kept recording; None where that does not give it.

    Whatever came of the recording is read from it again. The digest shows whether the rest of the row is undamaged.
    """
    digest = row["object"]
    if objects is None or not isinstance(digest, str) or not objects.intact(digest):
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="bootlab-history-") as folder:
            recording = recording_dir.load(objects.extract(digest, Path(folder)))
            plain = of_recording(recording)
            for dither in _dithers(row):
                facts = plain.facts | ({DITHER: dither} if dither else {})
                times = msgspec.structs.replace(plain, facts=facts, at=plain.at or row["at"], path="")
                named = {name: row[name] for name in ("system", "revision", "variant", "session", "host", "object")}
                found = row_of(HistoryEntry(times=times, **named), row["uid"])
                if found[0]["digest"] == row["digest"]:
                    return found
    except (BootlabError, OSError, TypeError, ValueError, msgspec.MsgspecError):
        return None
    return None


_MOST_DITHERS = 64


def _dithers(row: Row) -> Sequence[str]:
    """Return the dithers under which a damaged row's boot may have been made: a recording does not know its own."""
    return ("", *map(str, range(1, _MOST_DITHERS))) if DITHER in str(row["facts"]) or row["exact"] else ("",)
