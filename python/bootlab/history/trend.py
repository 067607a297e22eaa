# SPDX-License-Identifier: MIT
"""How a system's boot went over time: each quantity, where it changed, and what else changed there."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from datetime import datetime

import msgspec

from bootlab.analysis.noisy.change_points import ChangePoint, exact_changes, noisy_changes
from bootlab.history.boot_times import AUTHOR, REVISION, SUBJECT, TOTAL, Side
from bootlab.history.entry import HistoryEntry
from bootlab.history.smallest import smallest_of

_MOST_SHOWN = 200


class Point(msgspec.Struct, frozen=True):
    """One boot in a series."""

    revision: str
    variant: str
    at: str
    ns: int

    @property
    def seconds(self) -> int | None:
        """When it was booted, in seconds since 1970; None: no date that can be read."""
        try:
            return int(datetime.fromisoformat(self.at).timestamp())
        except ValueError:
            return None


class LevelChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of level: between which revisions, and which facts about what was booted differ across it.

    `author`, `subject`: of the commit that was booted first behind it; "" where nobody gave them. `boot`: the number of
    that boot in the history, None of boots that are not kept there.
    """

    from_revision: str
    to_revision: str
    point: ChangePoint
    facts: tuple[str, ...] = ()
    author: str = ""
    subject: str = ""
    boot: int | None = None

    @property
    def inside(self) -> bool:
        """Tell whether boots of one revision lie on both sides of it."""
        return self.from_revision == self.to_revision


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """Boots between two changes of level. `range_ns`: how far noisy ones lie apart; None of exact ones, and of one."""

    boots: int
    median_ns: int
    range_ns: int | None = None


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of one system over time."""

    name: str
    exact: bool
    moved_ns: int | None = None
    """How far changes that mean nothing move the whole of an exact boot; None: that is not known."""
    points: tuple[Point, ...]
    changes: tuple[LevelChange, ...] = ()

    @property
    def median_ns(self) -> int:
        """The median of all points."""
        return round(statistics.median(point.ns for point in self.points))

    @property
    def first_level(self) -> Level:
        """The boots before its first change."""
        return self.level(0, self.changes[0].point.before + 1 if self.changes else len(self.points))

    @property
    def newest_level(self) -> Level:
        """The boots since its last change."""
        return self.level(self.changes[-1].point.before + 1 if self.changes else 0, len(self.points))

    @property
    def grew_ns(self) -> int:
        """By how much the newest level lies above the first, nanoseconds; 0 without a change of level."""
        return self.newest_level.median_ns - self.first_level.median_ns

    @property
    def unsure_ns(self) -> int | None:
        """How far noisy boots of its first and newest level lie apart, the wider of the two; None of exact ones."""
        ranges = (level.range_ns for level in (self.first_level, self.newest_level))
        return max((found for found in ranges if found is not None), default=None)

    def level(self, start: int, end: int) -> Level:
        """Return the points from one place up to another as a level."""
        values = [point.ns for point in self.points[start:end]]
        known = None if self.exact or len(values) < 2 else max(values) - min(values)
        return Level(boots=len(values), median_ns=round(statistics.median(values)), range_ns=known)


def trends(entries: Sequence[HistoryEntry], *, names: Sequence[str] = ()) -> tuple[Trend, ...]:
    """Return the trend of every quantity (or of `names`), the whole boot first. Only boots that reached their goal.

    Boots under dithers are no points: they tell how far what means nothing moves a boot, and no step is a change of
    level that is no larger.
    """
    reached = [entry for entry in entries if entry.times.ok]
    good = plotted(entries)
    whole = Side(name="", boots=tuple(entry.times for entry in good))
    moved = _moved_ns(reached) if whole.exact else None
    smallest = max(smallest_of(whole), moved or 0)
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
                moved_ns=moved,
                points=tuple(point_of(entry, name) for entry in having),
                changes=tuple(_change(having, point) for point in changes),
            )
        )
    return tuple(found)


def _moved_ns(reached: Sequence[HistoryEntry]) -> int | None:
    from bootlab.history.moved import known_moved_ns  # noqa: PLC0415 - with numpy, which noisy boots do without

    return known_moved_ns(reached)


def new_step(entries: Sequence[HistoryEntry], added: int) -> tuple[Trend, LevelChange] | None:
    """Return the newest change of the whole boot's level, if it is there only since the `added` boots came.

    `entries` are a system's newest boots with their numbers; those that came last have the largest.
    """
    newest = {entry.id for entry in sorted(entries, key=lambda entry: entry.id or 0)[max(0, len(entries) - added) :]}
    now, before = (
        next((trend for trend in trends(some, names=(TOTAL,)) if trend.points), None)
        for some in (entries, [entry for entry in entries if entry.id not in newest])
    )
    if not added or now is None or len(now.changes) <= (len(before.changes) if before else 0):
        return None
    return now, now.changes[-1]


def plotted(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Return the boots that are points of a trend: those that reached their goal, under no dither."""
    return [entry for entry in entries if entry.times.ok and not entry.times.dither]


def point_of(entry: HistoryEntry, name: str) -> Point:
    """Return what a boot that has a quantity is in its trend."""
    return Point(entry.revision, entry.variant, entry.times.at, entry.times.values[name])


def _change(entries: Sequence[HistoryEntry], point: ChangePoint) -> LevelChange:
    before, after = entries[point.before], entries[point.before + 1]
    return LevelChange(
        from_revision=before.revision,
        to_revision=after.revision,
        point=point,
        facts=differing(before, after),
        author=after.times.facts.get(AUTHOR, ""),
        subject=after.times.facts.get(SUBJECT, ""),
        boot=after.id,
    )


def differing(before: HistoryEntry, after: HistoryEntry) -> tuple[str, ...]:
    """Say which facts about two boots differ: technique, configuration options, command line, digests, versions."""
    said = []
    if before.variant != after.variant:
        said.append(f"technique: {before.variant or 'none'} -> {after.variant or 'none'}")
    old, new = before.times.facts, after.times.facts
    for name in dict.fromkeys([*old, *new]):
        if name in {AUTHOR, SUBJECT, REVISION} or old.get(name, "") == new.get(name, ""):
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
