# SPDX-License-Identifier: MIT
"""Order of blocks, intervals, power, oddities."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bootlab.analysis.noisy import oddities, power
from bootlab.analysis.noisy.blocks import orders
from bootlab.analysis.noisy.interval import of_pairs, of_two
from bootlab.errors import MeasurementError


def test_each_block_has_every_side_and_both_orders_come() -> None:
    drawn = list(itertools.islice(orders(2, seed=7), 40))
    assert {tuple(sorted(order)) for order in drawn} == {(0, 1)}
    assert 10 <= sum(order == (0, 1) for order in drawn) <= 30
    assert drawn == list(itertools.islice(orders(2, seed=7), 40))
    assert drawn != list(itertools.islice(orders(2, seed=8), 40))


def test_an_interval_lies_around_its_estimate_and_few_values_widen_it() -> None:
    random = np.random.default_rng(1)
    values = [round(v) for v in random.normal(1e8, 1e7, size=40)]
    long, short = of_pairs(values), of_pairs(values[:6])
    for one in (long, short, of_two(values, [0] * 6)):
        assert one.interval_ns[0] <= one.value_ns <= one.interval_ns[1]
    assert long.interval_ns[1] - long.interval_ns[0] < short.interval_ns[1] - short.interval_ns[0]
    assert of_pairs([5]).interval_ns == (5, 5)


def test_more_blocks_see_less_and_what_does_not_matter_is_never_promised() -> None:
    def told(blocks: int, smallest: int = 1) -> float:
        return power.detectable(30e6, blocks=blocks, alpha=0.05, smallest_ns=smallest)

    assert told(60) < told(15) < told(6)
    assert told(15) / told(60) == pytest.approx(2)
    assert told(10_000, smallest=30_000_000) > 30_000_000


def test_the_pilot_knows_the_noise_and_a_drift_is_none() -> None:
    random = np.random.default_rng(2)
    pilot = [round(3e9 + random.normal(0, 3e7)) for _ in range(200)]
    drifting = [value + 10_000_000 * boot for boot, value in enumerate(pilot)]
    assert power.noise_of(pilot) == pytest.approx(3e7, rel=0.15)
    assert power.noise_of(drifting) == pytest.approx(3e7, rel=0.2)
    short, long = (
        power.forecast(pilot[:count], blocks=15, alpha=0.05, smallest_ns=1).detectable_ns for count in (6, 200)
    )
    assert long < short
    with pytest.raises(MeasurementError, match="2 pilot boots"):
        power.noise_of(pilot[:2])


def test_wild_values_are_named() -> None:
    values = [100, 101, 99, 100, 102, 98, 180, 101]
    assert [(far.boot, far.value_ns) for far in oddities.outliers(values)] == [(7, 180)]
    assert oddities.outliers([100] * 5 + [900]) == ()
    assert oddities.outliers(values[:4]) == ()


def test_a_slow_start_is_told() -> None:
    assert oddities.warm_up([150, 130, 100, 101, 99, 100, 102, 98]) == 2
    assert oddities.warm_up([100, 150, 100, 101, 99, 100, 102, 98]) == 0


def test_a_drift_is_told_with_its_slope() -> None:
    random = np.random.default_rng(1)
    rising = [round(1e9 + 1e7 * boot + random.normal(0, 5e6)) for boot in range(15)]
    found = oddities.drift(rising)
    assert found is not None
    assert found.per_boot_ns == pytest.approx(1e7, rel=0.2)
    shuffled = list(rising)
    random.shuffle(shuffled)
    assert oddities.drift(shuffled) is None
    assert oddities.drift([5] * 10) is None


def test_the_drift_is_kendalls() -> None:
    stats = pytest.importorskip("scipy.stats", reason="SciPy is what the p value is compared with")
    values = [3, 1, 4, 6, 5, 9, 8, 11, 10, 12, 15, 13]
    found = oddities.drift(values)
    wanted = stats.kendalltau(range(len(values)), values, method="asymptotic").pvalue
    assert found is not None
    # SciPy leaves out the correction for continuity, which makes p a little smaller.
    assert wanted < found.p_value < 2 * wanted
