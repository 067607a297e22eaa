# SPDX-License-Identifier: MIT
"""The rank test holds its rate whatever the distribution is, and sees what it says it sees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.analysis.sequential_test import ALPHA, SAME_NS, apart, cheapest, design, judge, lost, visible_gain_ns
from bootlab.model.verdict import Verdict

MS = 1_000_000
SHARP = {Verdict.FASTER, Verdict.SLOWER}


def run(base, variant, rule):
    """Judge as an experiment does: look, boot what is asked for, look again."""
    count = 1
    while True:
        found = judge(tuple(base), tuple(variant[:count]), rule)
        if found.verdict is not None:
            return found.verdict, count
        count += 1


def drawn(kind, random, size):
    """Return goal times: spread, with heavy tails, on a grid, of two places far apart, or nearly always the same."""
    values = {
        "spread": lambda: random.normal(0, MS, size),
        "heavy": lambda: np.clip(random.standard_cauchy(size), -1e6, 1e6) * MS,
        "grid": lambda: random.integers(0, 4, size) * 4.0 * MS,
        "two": lambda: (random.random(size) < 0.3) * 985.0 * MS + random.normal(0, MS, size),
        "still": lambda: (random.random(size) < 0.05) * 1.0 * MS,
    }
    return (values[kind]() + 3e9).astype(int).tolist()


@pytest.mark.parametrize("base_boots", [5, 6, 9, 21])
@pytest.mark.parametrize("kind", ["spread", "heavy", "grid", "two", "still"])
def test_what_means_nothing_is_rarely_called_faster_or_slower(kind, base_boots):
    rule, random, draws = design(base_boots), np.random.default_rng(7), 2000
    wrong = 0
    for _ in range(draws):
        values = drawn(kind, random, rule.base_boots + rule.most_boots)
        wrong += run(values[: rule.base_boots], values[rule.base_boots :], rule)[0] in SHARP
    # Three standard deviations of a share of 1 % in so many draws.
    assert wrong / draws <= ALPHA + 3 * math.sqrt(ALPHA / draws)
    assert rule.error_rate <= ALPHA


@pytest.mark.parametrize("base_boots", [5, 21])
def test_the_rate_is_counted_and_no_bound(base_boots):
    rule, random, draws = design(base_boots), np.random.default_rng(3), 5000
    wrong = sum(
        run(values[: rule.base_boots], values[rule.base_boots :], rule)[0] in SHARP
        for values in (drawn("spread", random, rule.base_boots + rule.most_boots) for _ in range(draws))
    )
    assert wrong / draws == pytest.approx(rule.error_rate, abs=3.5 * math.sqrt(rule.error_rate / draws))


@pytest.mark.parametrize("base_boots", [5, 9, 21])
def test_the_gain_that_is_told_is_seen(base_boots):
    rule, random, draws = design(base_boots), np.random.default_rng(5), 500
    gains = []
    for _ in range(20):
        base = drawn("spread", random, rule.base_boots)
        gains.append(visible_gain_ns(tuple(base), rule))
    gain = int(np.median(gains))
    seen = 0
    for _ in range(draws):
        values = drawn("spread", random, rule.base_boots + rule.most_boots)
        variant = [value - gain for value in values[rule.base_boots :]]
        seen += run(values[: rule.base_boots], variant, rule)[0] is Verdict.FASTER
    # Told from the few values that a base has: about nine in ten.
    assert 0.8 <= seen / draws <= 0.99


@given(
    st.lists(st.integers(0, 40), min_size=9, max_size=9),
    st.lists(st.integers(0, 40), min_size=3, max_size=3),
    st.integers(0, 10**6),
)
def test_the_answer_knows_no_unit_and_no_origin(base, variant, shift):
    rule = design(9)
    one = run([v * MS for v in base], [v * MS for v in variant], rule)
    moved = run([v * MS + shift for v in base], [v * MS + shift for v in variant], rule)
    mirrored = run([-v * MS for v in base], [-v * MS for v in variant], rule)
    assert one == moved
    turned = {Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER}
    assert mirrored == (turned.get(one[0], one[0]), one[1])


@given(
    st.lists(st.integers(0, 1000), min_size=21, max_size=21),
    st.lists(st.integers(0, 1000), min_size=5, max_size=5),
)
def test_stopping_early_adds_no_answer(base, variant):
    rule = design(21)
    verdict, _ = run([v * MS for v in base], [v * MS for v in variant], rule)
    pairs = sum(v < b for v in variant for b in base), sum(v > b for v in variant for b in base)
    two = sum(v < b for v in variant[:2] for b in base), sum(v > b for v in variant[:2] for b in base)
    sharp = max(two) >= rule.needed[0] or max(pairs) >= rule.needed[1]
    if verdict in SHARP:
        assert sharp
    if max(two) >= rule.needed[0]:
        assert verdict in SHARP, "what the first look decides is never given up before it"


def test_what_is_not_promising_is_given_up():
    base, rule = tuple(n * MS for n in range(21)), design(21)
    # 17 of 21 pairs: the second look could still be reached, and hardly ever is.
    assert judge(base, (4 * MS - 1,), rule).verdict is Verdict.SAME
    assert judge(base, (3 * MS - 1,), rule).wanted == 1
    assert judge(base, (3 * MS - 1, 3 * MS - 1), rule).wanted == 1, "one at a time behind the first look"
    assert judge(base[:5], (-1,), design(5)).wanted == 2, "two at a time before it"


def test_what_does_not_matter_is_the_same():
    base, rule = tuple(range(0, 21 * 100, 100)), design(21)
    assert run(base, [-SAME_NS + 1000 + n for n in range(5)], rule) == (Verdict.SAME, 2)
    assert run(base, [-SAME_NS - 2000 + n for n in range(5)], rule) == (Verdict.FASTER, 2)


def test_dithers_that_move_every_system_are_no_gain():
    # Under dithers 0 and 1 every system is 0.1 ms earlier: a variant that does nothing has only these two boots.
    base, rule = [0, 1000, *range(100_000, 100_000 + 19_000, 1000)], design(21)
    assert run(base, [-2000, -1000], rule)[0] is Verdict.SAME
    assert run([v + 500_000 for v in base], [-2000, -1000], rule)[0] is Verdict.FASTER


def test_what_lies_in_the_midst_is_not_booted_again():
    assert run(tuple(n * MS for n in range(21)), [10 * MS] * 5, design(21)) == (Verdict.SAME, 1)


def test_few_variants_get_few_boots_of_the_base():
    assert cheapest(1).base_boots == 5
    assert cheapest(40).base_boots == 21
    for variants in (1, 3, 10, 40):
        assert cheapest(variants).error_rate <= ALPHA


def test_apart_by_more_than_the_range():
    assert apart((10 * MS, 11 * MS), (5 * MS, 6 * MS), 3 * MS) == 1
    assert apart((10 * MS, 11 * MS), (5 * MS, 8 * MS), 3 * MS) == 0
    assert apart((5 * MS, 6 * MS), (10 * MS, 11 * MS), 3 * MS) == -1
    assert apart((10 * MS,), (5 * MS, 6 * MS), 3 * MS) == 0, "one boot of a side is never enough"


@pytest.mark.parametrize("kind", ["spread", "heavy", "grid", "two", "still"])
def test_apart_and_lost_are_rare_where_both_scatter_as_the_base_does(kind):
    random, draws, wrong, kept = np.random.default_rng(11), 3000, 0, 0
    for _ in range(draws):
        values = drawn(kind, random, 26)
        width = max(values[5:]) - min(values[5:])
        wrong += apart(tuple(values[:2]), tuple(values[2:4]), width) != 0
        kept += lost(tuple(values[:5]), values[5], max(values[6:]) - min(values[6:]))
    assert wrong / draws <= ALPHA / 2
    # One boot decides, and all it decides is that nothing is dropped.
    assert kept / draws <= 2 * ALPHA


def test_what_loses_more_than_the_range_is_seen_by_one_boot():
    here = (10 * MS, 11 * MS, 12 * MS, 10 * MS, 10 * MS)
    assert lost(here, 16 * MS, 3 * MS)
    assert not lost(here, 15 * MS, 3 * MS)
    assert not lost(here, 5 * MS, 3 * MS)
    assert not lost((), 5 * MS, 0)
