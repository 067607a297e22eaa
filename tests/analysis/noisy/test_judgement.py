# SPDX-License-Identifier: MIT
"""Verdicts on noisy boots: each of the four, the stopping, and boots that were made apart."""

from __future__ import annotations

import numpy as np
import pytest

from bootlab.analysis.noisy.judgement import MOST_BLOCKS, Sequential, judge_apart, judge_pairs
from bootlab.model.verdict import Verdict

BOOT = 3_000_000_000
SMALLEST = 30_000_000


def boots(count: int, *, seed: int, effect: int = 0, noise: int = 5_000_000) -> list[int]:
    random = np.random.default_rng(seed)
    return [round(BOOT + effect + random.normal(0, noise)) for _ in range(count)]


def run(effect: int, *, noise: int = 5_000_000, most: int = MOST_BLOCKS) -> Sequential:
    rule = Sequential(smallest_ns=SMALLEST, most=most)
    base, new = boots(most, seed=1, noise=noise), boots(most, seed=2, effect=effect, noise=noise)
    for one, other in zip(base, new, strict=True):
        if rule.add(one, other) is not None:
            break
    return rule


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [(60_000_000, Verdict.SLOWER), (-60_000_000, Verdict.FASTER), (0, Verdict.SAME), (5_000_000, Verdict.SAME)],
)
def test_clear_cases_stop_early(effect: int, verdict: Verdict) -> None:
    rule = run(effect)
    assert rule.judged().verdict is verdict
    assert rule.blocks < MOST_BLOCKS
    assert abs(rule.judged().saved_ns + effect) < 5_000_000
    low, high = rule.judged().interval_ns
    assert low <= -effect <= high


def test_much_noise_stays_unknown_until_the_blocks_are_used_up() -> None:
    rule = run(20_000_000, noise=300_000_000)
    assert rule.judged().verdict is Verdict.UNKNOWN
    assert rule.blocks == MOST_BLOCKS


def test_nothing_is_called_before_the_sixth_block() -> None:
    rule = Sequential(smallest_ns=SMALLEST)
    assert [rule.add(BOOT, 2 * BOOT) for _ in range(5)] == [None] * 5


def test_one_wild_boot_moves_no_verdict() -> None:
    base, new = boots(15, seed=1), boots(15, seed=2)
    quiet = judge_pairs(base, new, smallest_ns=SMALLEST)
    new[4] += 3 * BOOT
    wild = judge_pairs(base, new, smallest_ns=SMALLEST)
    assert quiet.verdict is wild.verdict is Verdict.SAME
    assert abs(wild.saved_ns - quiet.saved_ns) < SMALLEST / 3


def test_equal_values_are_the_same() -> None:
    assert judge_pairs([BOOT] * 15, [BOOT] * 15, smallest_ns=SMALLEST).verdict is Verdict.SAME


def test_boots_made_apart() -> None:
    base = boots(10, seed=1)
    assert judge_apart(base, boots(10, seed=2, effect=60_000_000), smallest_ns=SMALLEST).verdict is Verdict.SLOWER
    assert judge_apart(base, boots(10, seed=3), smallest_ns=SMALLEST).verdict is Verdict.SAME
    found = judge_apart(base, boots(10, seed=2, effect=-60_000_000), smallest_ns=SMALLEST)
    assert (found.verdict, found.effect) == (Verdict.FASTER, 1.0)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_boots_made_apart_prove_nothing(count: int) -> None:
    found = judge_apart([BOOT] * count, [2 * BOOT] * count, smallest_ns=SMALLEST)
    assert found.verdict is Verdict.UNKNOWN
    assert not found.not_slower
    assert (found.interval_ns, found.p_value, found.effect) == (None, None, None)


@pytest.mark.parametrize(("base", "new", "carried"), [(1, 38, False), (1, 39, True), (3, 4, False), (4, 4, True)])
def test_an_interval_needs_a_sample_in_which_some_order_is_rare(base: int, new: int, carried: bool) -> None:
    """The widest interval of 3 and 4 boots misses the true shift in 2 of 35 cases: it is none of 95 %."""
    found = judge_apart(boots(base, seed=1), boots(new, seed=2), smallest_ns=SMALLEST)
    assert ((found.interval_ns is not None), (found.p_value is not None)) == (carried, carried)


@pytest.mark.parametrize(("blocks", "carried"), [(1, False), (5, False), (6, True)])
def test_an_interval_of_pairs_needs_six(blocks: int, carried: bool) -> None:
    found = judge_pairs(boots(blocks, seed=1), boots(blocks, seed=2), smallest_ns=SMALLEST)
    assert (found.interval_ns is not None) == carried
