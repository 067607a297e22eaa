# SPDX-License-Identifier: MIT
"""How far changes that mean nothing move a system's goal, as far as its history knows: its boots under dithers."""

from __future__ import annotations

from collections.abc import Iterable

from bootlab.analysis.exact_boots import moved_ns
from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
from bootlab.history.boot_times import TOTAL, BootTimes, Side
from bootlab.history.entry import HistoryEntry

_SAME_FACTS = ("system", "cmdline", "emulator", "sha256 of kernel", "processors")


def known_moved_ns(entries: Iterable[HistoryEntry]) -> int | None:
    """Return the widest range of the goal within one revision, of those booted under five dithers or more.

    None where none was: two boots of one revision may differ in more than that.
    """
    revisions: dict[tuple[str, ...], list[BootTimes]] = {}
    for entry in entries:
        times = entry.times
        if times.exact and times.total_ns is not None and times.ok:
            facts = (times.facts.get(name, "") for name in _SAME_FACTS)
            revisions.setdefault((entry.revision, entry.variant, *facts), []).append(times)
    ranges = []
    for boots in revisions.values():
        distinct = Side(name="", boots=tuple(boots)).distinct_ns(TOTAL)
        if len(distinct) >= FEWEST_BASE_BOOTS and any(boot.dither for boot in boots):
            ranges.append(moved_ns(distinct) or 0)
    return max(ranges, default=None)
