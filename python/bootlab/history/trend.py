"""How a system's boot went over time: each quantity, where it changed, and what else changed there."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec

from bootlab.analysis.noisy.change_points import ChangePoint, exact_changes, noisy_changes
from bootlab.history.boot_times import TOTAL, Side
from bootlab.history.entry import Entry
from bootlab.history.gate import smallest_of

_MOST_SHOWN = 200


class Point(msgspec.Struct, frozen=True):
    """One boot in a series."""

    revision: str
    variant: str
    at: str
    ns: int


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of level: between which revisions, and which facts about what was booted differ across it."""

    from_revision: str
    to_revision: str
    point: ChangePoint
    facts: tuple[str, ...] = ()


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of one system over time."""

    name: str
    exact: bool
    points: tuple[Point, ...]
    changes: tuple[Change, ...] = ()

    @property
    def median_ns(self) -> int:
        """The median of all points."""
        return round(statistics.median(point.ns for point in self.points))


def trends(entries: Sequence[Entry], *, names: Sequence[str] = ()) -> tuple[Trend, ...]:
    """Return the trend of every quantity (or of `names`), the whole boot first. Only boots that reached their goal."""
    good = [entry for entry in entries if entry.times.ok]
    whole = Side(name="", boots=tuple(entry.times for entry in good))
    smallest = smallest_of(whole)
    found = []
    for name in sorted(whole.names(), key=lambda name: name != TOTAL):
        if names and name not in names:
            continue
        having = [entry for entry in good if name in entry.times.values]
        values = [entry.times.values[name] for entry in having]
        exact = all(entry.times.exact for entry in having)
        changes = exact_changes(values, smallest) if exact else noisy_changes(values, smallest)
        found.append(
            Trend(
                name=name,
                exact=exact,
                points=tuple(
                    Point(entry.revision, entry.variant, entry.at, ns) for entry, ns in zip(having, values, strict=True)
                ),
                changes=tuple(_change(having, point) for point in changes),
            )
        )
    return tuple(found)


def _change(entries: Sequence[Entry], point: ChangePoint) -> Change:
    before, after = entries[point.before], entries[point.before + 1]
    return Change(
        from_revision=before.revision,
        to_revision=after.revision,
        point=point,
        facts=differing(before, after),
    )


def differing(before: Entry, after: Entry) -> tuple[str, ...]:
    """Say which facts about two boots differ: technique, configuration options, command line, digests, versions."""
    said = []
    if before.variant != after.variant:
        said.append(f"technique: {before.variant or 'none'} -> {after.variant or 'none'}")
    old, new = before.times.facts, after.times.facts
    for name in dict.fromkeys([*old, *new]):
        if old.get(name, "") == new.get(name, ""):
            continue
        if name == "kernel options":
            said += _options(old.get(name, ""), new.get(name, ""))
        elif name.startswith("sha256 of "):
            said.append(f"{name.removeprefix('sha256 of ')} has other contents")
        else:
            said.append(f"{name}: {old.get(name, 'none')[:_MOST_SHOWN]} -> {new.get(name, 'none')[:_MOST_SHOWN]}")
    return tuple(said)


def _options(old: str, new: str) -> list[str]:
    before = dict(line.partition("=")[::2] for line in old.splitlines())
    after = dict(line.partition("=")[::2] for line in new.splitlines())
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [f"option {name}: {before.get(name, 'n')} -> {after.get(name, 'n')}" for name in names[:20]]
