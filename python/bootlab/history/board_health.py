# SPDX-License-Identifier: MIT
"""How a real board is now: its last good boot, how often it failed, and whether that is more than it should."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from bootlab.history.boot_times import BOARD_BOOTED
from bootlab.history.entry import HistoryEntry
from bootlab.model.recording import Outcome

ALLOWED = 0.05
"""The share of a board's boots that may fail: a lab repeats one boot in twenty without looking for a reason."""
CHANCE = 0.025
"""A board that fails as often as it may is called ill with at most this chance, each time that one looks."""
_OF_THE_BENCH = frozenset({Outcome.POWER_FAILED, Outcome.CONSOLE_LOST, Outcome.LEFT_ON})
"""Ends that no image makes: the switch or the adapter failed, and they belong to the board."""
LOOKED_AT = 60
"""So many of a board's newest boots are judged: what it did last year says nothing of it today."""


class BoardHealth(msgspec.Struct, frozen=True, kw_only=True):
    """A board by its newest boots. `boots`: the newest last; `failed`: those of them that count against the board.

    A failure counts against it when its switch or its adapter failed, or when what was booted has reached
    its goal in another boot. `unjudged`: failures of what never reached its goal, and boots that the host ended.
    """

    name: str
    boots: tuple[HistoryEntry, ...]
    failed: tuple[HistoryEntry, ...] = ()
    unjudged: int = 0

    @property
    def last_good(self) -> HistoryEntry | None:
        """The newest boot that reached its goal."""
        return next((boot for boot in reversed(self.boots) if boot.times.ok), None)

    @property
    def judged(self) -> int:
        """How many boots say something of the board."""
        return len(self.boots) - self.unjudged

    @property
    def ill(self) -> bool:
        """Tell whether it fails more often than it may: the exact binomial test, one-sided."""
        return at_least(len(self.failed), self.judged, ALLOWED) < CHANCE


def boards(entries: Iterable[HistoryEntry]) -> list[BoardHealth]:
    """Judge every board that the boots name, by name; boots in any order, of any system."""
    every = sorted(entries, key=lambda entry: entry.at)
    works = {_booted(entry) for entry in every if entry.times.ok}
    of_board: dict[str, list[HistoryEntry]] = defaultdict(list)
    for entry in every:
        if name := entry.times.facts.get(BOARD_BOOTED, ""):
            of_board[name].append(entry)
    return [_judged(name, of_board[name][-LOOKED_AT:], works) for name in sorted(of_board)]


def at_least(count: int, of: int, chance: float) -> float:
    """Return how probable `count` or more failures in `of` boots are, if each fails with `chance`."""
    return math.fsum(math.comb(of, one) * chance**one * (1 - chance) ** (of - one) for one in range(count, of + 1))


def _judged(name: str, boots: Sequence[HistoryEntry], works: set[tuple[str, str, str]]) -> BoardHealth:
    bad = [boot for boot in boots if not boot.times.ok]
    against = tuple(boot for boot in bad if _against_the_board(boot, works))
    return BoardHealth(name=name, boots=tuple(boots), failed=against, unjudged=len(bad) - len(against))


def _against_the_board(boot: HistoryEntry, works: set[tuple[str, str, str]]) -> bool:
    if boot.times.outcome in _OF_THE_BENCH:
        return True
    return not boot.times.by_host and _booted(boot) in works


def _booted(entry: HistoryEntry) -> tuple[str, str, str]:
    return entry.system, entry.revision, entry.variant
