# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bootlab.analysis.noisy.rank_test import mann_whitney_p


def p(first, second) -> float:
    return mann_whitney_p(np.array(first, dtype=float), np.array(second, dtype=float))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # What scipy.stats.mannwhitneyu(..., alternative="two-sided") of SciPy 1.17 returns.
        ([1, 2, 3], [4, 5, 6], 0.1),
        ([1.5, 2.5, 3.5, 9], [4, 5, 6, 7, 8], 0.2857142857142857),
        ([1, 2, 2, 3, 5], [2, 3, 3, 4, 4, 6], 0.22559760855754862),
        (range(0, 30, 2), [v + 7.5 for v in range(0, 20, 2)], 0.5982177644910319),
    ],
)
def test_agrees_with_scipy(first, second, expected) -> None:
    assert math.isclose(p(first, second), expected, rel_tol=1e-12)
    assert math.isclose(p(second, first), expected, rel_tol=1e-12)


def test_small_samples_are_counted_out() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0]
    first, second = values[:3], values[3:]

    def distance(chosen) -> float:
        others = [v for v in values if v not in chosen]
        return abs(sum(a > b for a in chosen for b in others) - len(chosen) * len(others) / 2)

    every = list(itertools.combinations(values, len(first)))
    as_far = sum(distance(chosen) >= distance(first) for chosen in every)
    assert math.isclose(p(first, second), as_far / len(every), rel_tol=1e-12)


def test_equal_values_are_no_difference() -> None:
    assert p([5] * 9, [5] * 12) == 1.0
