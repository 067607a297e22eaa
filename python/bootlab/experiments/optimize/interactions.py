# SPDX-License-Identifier: MIT
"""Which changes of a result work together: one that saves another amount in the result than where it was taken.

The waterfall and leaving each change out once show that there is such a one. Which other change it hangs on is found by
halving: the systems along the waterfall are booted without it, until two neighbours differ.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import msgspec

from bootlab.experiments.base import Base
from bootlab.experiments.bench import Bench
from bootlab.experiments.trial import GROUNDS, require_told, why_broken
from bootlab.model.change import Change, apply_all
from bootlab.model.sample import goals_ns
from bootlab.model.waterfall import Bar

MOST = 5
"""So many changes are looked into, those first whose worth differs most."""


def with_partners(
    bench: Bench, base: Base, changes: tuple[Change, ...], bars: tuple[Bar, ...], costs: Mapping[str, int | None]
) -> tuple[Bar, ...]:
    """Name in each bar that works together with another the changes of that other one.

    `costs`: how much later the result comes without each change, by id. What takes a build is not looked into.
    """
    by_id = {change.id: change for change in changes}
    scatter = goals_ns(base.boots)
    least_ns = max(scatter) - min(scatter) if scatter else 0
    paired = list(bars)
    noticed: list[tuple[int, int]] = []
    for number, bar in enumerate(bars):
        cost_ns = costs.get(bar.changes[0]) if len(bar.changes) == 1 else None
        if cost_ns is not None and bar.differs(cost_ns) and abs(cost_ns - (bar.saved_ns or 0)) > least_ns:
            noticed.append((abs(cost_ns - (bar.saved_ns or 0)), number))
    noticed = sorted(noticed, reverse=True)[:MOST]
    if noticed:
        bench.phase("what works together", len(noticed) * max(1, len(bars).bit_length()))
    for _, number in noticed:
        own = by_id[bars[number].changes[0]]
        cost_ns = costs[own.id] or 0
        partner = _Worth(bench, base, by_id, bars, own, number).turns(cost_ns)
        if partner is not None:
            paired[number] = msgspec.structs.replace(bars[number], partner=bars[partner].changes)
            bench.decided(f"  {own.id} works together with {', '.join(bars[partner].changes)}")
    return tuple(paired)


class _Worth:
    """What one change saves in the systems along the waterfall."""

    def __init__(
        self, bench: Bench, base: Base, by_id: Mapping[str, Change], bars: Sequence[Bar], own: Change, number: int
    ) -> None:
        self._bench, self._base, self._by_id, self._bars = bench, base, by_id, bars
        self._own, self._number = own, number

    def turns(self, cost_ns: int) -> int | None:
        """Return the number of the bar at which its worth turns from what it was to `cost_ns`; None: not found."""
        first_ns = self._bars[self._number].saved_ns or 0
        low, high = self._number, len(self._bars) - 1
        while high - low > 1:
            middle = (low + high) // 2
            worth_ns = self._at(middle)
            if worth_ns is None:
                return None
            if abs(worth_ns - first_ns) < abs(worth_ns - cost_ns):
                low = middle
            else:
                high = middle
        return high if high > self._number else None

    def _at(self, number: int) -> int | None:
        """Boot the system of a bar without the change; None where that takes a build, or does not work."""
        names = itertools.chain.from_iterable(bar.changes for bar in self._bars[: number + 1])
        changes = tuple(self._by_id[name] for name in names)
        whole = apply_all(self._base.system, changes)
        system = apply_all(self._base.system, tuple(change for change in changes if change is not self._own))
        with_ns = self._bars[number].after_ns
        if system.kernel.build != whole.kernel.build or with_ns is None:
            return None
        label = f"waterfall {number + 1} without {self._own.id}"
        try:
            recording = self._bench.boot(system, label)
        except GROUNDS:
            return None
        broken = why_broken(self._base.recording, recording)
        require_told(broken, label)
        goal_ns = recording.meta.goal_ns
        return None if broken or goal_ns is None else goal_ns - with_ns
