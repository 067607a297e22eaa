# SPDX-License-Identifier: MIT
"""Boots that repeat to the nanosecond, on two sides: what differs, and whether that is more than what dithers cause.

One boot of each side repeats, so that their difference is certain; it is not certain that it means something. The
smallest change moves what follows it against the timer's ticks, in either direction. So a verdict needs boots of both
sides that differ in nothing that matters (dithers, revisions), or a difference that is too small to matter.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from bootlab.analysis.noisy.judgement import Judged
from bootlab.analysis.separation import LEAST_ORDERS, separation
from bootlab.analysis.sequential_test import Design, Judgement
from bootlab.model.verdict import Verdict


def judge_exact(base_ns: Sequence[int], new_ns: Sequence[int], *, smallest_ns: int, moved_ns: int = 0) -> Judged:
    """Judge goals of distinct boots, one or more a side.

    *Slower* and *faster* need every boot of one side behind every boot of the other, in so many boots that chance does
    it in at most 1 % of all orders. `moved_ns`: how far changes that mean nothing are known to move the goal.
    """
    saved = round(statistics.median(base_ns) - statistics.median(new_ns))
    apart = max(new_ns) < min(base_ns) or min(new_ns) > max(base_ns)
    verdict = Verdict.FASTER if saved > 0 else Verdict.SLOWER
    if abs(saved) <= smallest_ns or not apart:
        verdict = Verdict.SAME
    elif math.comb(len(base_ns) + len(new_ns), len(base_ns)) < LEAST_ORDERS:
        verdict = Verdict.SAME if abs(saved) <= moved_ns else Verdict.UNKNOWN
    return _judged(verdict, saved, (len(base_ns), len(new_ns)), smallest_ns)


def judge_exact_part(base_ns: Sequence[int], new_ns: Sequence[int], *, smallest_ns: int) -> Judged:
    """Judge the lengths of a part of the boot. There are many parts, so that the gap must be wider than either side."""
    saved = round(statistics.median(base_ns) - statistics.median(new_ns))
    verdict = separation(base_ns, new_ns, least=smallest_ns)
    return _judged(verdict, saved, (len(base_ns), len(new_ns)), smallest_ns)


def judged_in_turn(found: Judgement, rule: Design, boots: tuple[int, int], *, smallest_ns: int) -> Judged:
    """Return what the sequential test said of boots under the same dithers. *Unknown* where it has not ended."""
    verdict = found.verdict or Verdict.UNKNOWN
    return _judged(verdict, found.saved_ns, boots, smallest_ns, error_rate=rule.error_rate)


def moved_ns(goals_ns: Sequence[int]) -> int | None:
    """Return how far boots that differ in nothing that matters lie apart; None of fewer than two."""
    return max(goals_ns) - min(goals_ns) if len(goals_ns) > 1 else None


def _judged(
    verdict: Verdict, saved_ns: int, boots: tuple[int, int], smallest_ns: int, *, error_rate: float | None = None
) -> Judged:
    return Judged(
        verdict=verdict,
        saved_ns=saved_ns,
        smallest_ns=smallest_ns,
        not_slower=verdict in {Verdict.SAME, Verdict.FASTER},
        boots=boots,
        error_rate=error_rate,
    )
