# SPDX-License-Identifier: MIT
"""Boots as rows of the history's tables, each with the digest of what was written.

A database of the usual kind finds no flipped bit: SQLite's pages have no checksum, and PostgreSQL's only where the
cluster was made with them. So a row has its own, and one that is not what was written is no boot.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bootlab.errors import BootlabError
from bootlab.history.boot_times import DITHER, BootTimes
from bootlab.history.entry import HistoryEntry
from bootlab.model.recording import Outcome
from bootlab.recordings import sealed

if TYPE_CHECKING:
    from bootlab.history.objects import Objects

_MOST_TEXT = 200


class _Sealed(msgspec.Struct):
    """What the digest covers, by name: `object` names its own contents, and goes when a recording does.

    In the order of the names, in which a digest takes them.
    """

    at: str
    clock: str
    exact: bool
    facts: str
    host: str
    insns: int | None
    outcome: str
    recording_key: str
    revision: str
    session: str
    system: str
    uid: str
    values: list[Value]
    variant: str


Row = Mapping[str, Any]
Value = tuple[str, int | None, str]
"""A value's name, its nanoseconds (None: not measured), and why it was not measured."""

VALUE_COLUMNS = ("name", "ns", "why_not")
_sealed_first = operator.itemgetter(*_Sealed.__struct_fields__[:12])
_shown = functools.lru_cache(maxsize=1000)(repr)
_facts = msgspec.json.Decoder(dict[str, str])


def row_of(entry: HistoryEntry, uid: str) -> tuple[dict[str, object], list[Value]]:
    """Return a boot's row, with its digest, and its values."""
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
    values = _values_of(times)
    return row | {"digest": digest_of(row, values)}, values


def _values_of(times: BootTimes) -> list[Value]:
    found: list[Value] = [(_plain(name[:_MOST_TEXT]), ns, "") for name, ns in times.values.items()]
    missing = [(name, why) for name, why in times.not_measured.items() if name not in times.values]
    return found + [(_plain(name), None, _plain(why)) for name, why in missing]


def _plain(text: str) -> str:
    """Leave out what PostgreSQL cannot keep in a text: NUL."""
    return text.replace("\0", "").replace("\\u0000", "")


def digest_of(row: Row, values: Sequence[Value]) -> str:
    """Return the digest of a boot's row and of its values, in whatever order those come."""
    kept = sorted(values, key=_place)
    return sealed.digest_in_order(_Sealed(*_sealed_first(row), kept, row["variant"]))  # type: ignore[call-arg]


def _place(value: Value) -> str:
    # A boot has each name once, so that its values stand as lists of name, time and reason do by their texts.
    return _shown(value[0])


def read(row: Row, values: Sequence[Value]) -> HistoryEntry | None:
    """Return the boot of a row and its values; None where they are not what was written."""
    try:
        if row["digest"] != digest_of(row, values):
            return None
    except (TypeError, ValueError, msgspec.MsgspecError):
        # SQLite gives whatever type the damaged bytes say.
        return None
    times = BootTimes(
        key=row["recording_key"],
        outcome=Outcome(row["outcome"]),
        clock=row["clock"],
        exact=row["exact"],
        values={name: ns for name, ns, _ in values if ns is not None},
        not_measured={name: why for name, ns, why in values if ns is None},
        insns=row["insns"],
        facts=_facts.decode(row["facts"]),
        at=row["at"],
    )
    return HistoryEntry(
        times=times,
        id=row["id"],
        system=row["system"],
        revision=row["revision"],
        variant=row["variant"],
        session=row["session"],
        host=row["host"],
        object=row["object"],
    )


def healed(row: Row, objects: Objects | None) -> tuple[dict[str, object], list[Value]] | None:
    """Return what was written for a damaged row, from its kept recording; None where that does not give it.

    Whatever came of the recording is read from it again. The digest shows whether the rest of the row is undamaged.
    """
    digest = row["object"]
    if objects is None or not isinstance(digest, str) or not objects.intact(digest):
        return None
    import tempfile  # noqa: PLC0415 - few rows are damaged, and reading recordings takes long to import

    from bootlab.history.of_recording import of_recording  # noqa: PLC0415
    from bootlab.recordings import recording_dir  # noqa: PLC0415

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
