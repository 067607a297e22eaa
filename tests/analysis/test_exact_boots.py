# SPDX-License-Identifier: MIT
"""Exact boots of two sides: what one boot each proves, and what it takes to call one side slower."""

from __future__ import annotations

import itertools

import pytest

from bootlab.analysis.exact_boots import judge_exact, judge_exact_part, moved_ns
from bootlab.model.verdict import Verdict

BOOT = 3_000_000_000
SMALLEST = 3_000_000


@pytest.mark.parametrize(
    ("later_ns", "verdict"), [(SMALLEST, "same"), (SMALLEST + 1, "unknown"), (-BOOT // 2, "unknown")]
)
def test_one_boot_of_each_proves_only_what_is_too_small_to_matter(later_ns: int, verdict: str) -> None:
    """A goal that waits for the second to turn moves by all of it when something came a microsecond later."""
    for judge in (judge_exact, judge_exact_part):
        found = judge([BOOT], [BOOT + later_ns], smallest_ns=SMALLEST)
        assert found.verdict == verdict
        assert (found.interval_ns, found.p_value, found.effect) == (None, None, None)


def test_what_means_nothing_is_known_to_move_as_far() -> None:
    new = [BOOT + 40_000_000]
    assert judge_exact([BOOT], new, smallest_ns=SMALLEST, moved_ns=50_000_000).verdict is Verdict.SAME
    assert judge_exact([BOOT], new, smallest_ns=SMALLEST, moved_ns=30_000_000).verdict is Verdict.UNKNOWN


def test_slower_takes_enough_boots_apart() -> None:
    base = [BOOT + place * 1_000_000 for place in range(5)]
    late = [goal + 20_000_000 for goal in base]
    assert judge_exact(base, late, smallest_ns=SMALLEST).verdict is Verdict.SLOWER
    assert judge_exact(late, base, smallest_ns=SMALLEST).verdict is Verdict.FASTER
    assert judge_exact(base, late[:4], smallest_ns=SMALLEST).verdict is Verdict.UNKNOWN
    assert judge_exact(base, [*late[:4], base[2]], smallest_ns=SMALLEST).verdict is Verdict.SAME
    # A part is one of many: the gap must be wider than either side.
    assert judge_exact_part(base, late, smallest_ns=SMALLEST).verdict is Verdict.SLOWER
    near = [goal + 7_000_000 for goal in base]
    assert judge_exact(base, near, smallest_ns=SMALLEST).verdict is Verdict.SLOWER
    assert judge_exact_part(base, near, smallest_ns=SMALLEST).verdict is Verdict.SAME


def test_the_error_rate_is_counted_over_all_orders() -> None:
    """Ten goals of one source, dealt out as base and new in every way: two of 252 are called slower or faster."""
    goals = [BOOT + place * 10 * SMALLEST for place in range(10)]
    told = 0
    for base in itertools.combinations(goals, 5):
        new = [goal for goal in goals if goal not in base]
        told += judge_exact(base, new, smallest_ns=SMALLEST).verdict in {Verdict.SLOWER, Verdict.FASTER}
    assert told == 2


def test_a_range_needs_two_boots() -> None:
    assert moved_ns([]) is moved_ns([BOOT]) is None
    assert moved_ns([BOOT, BOOT + 5, BOOT + 2]) == 5
