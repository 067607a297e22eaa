# SPDX-License-Identifier: MIT
"""The sequential signed-rank test: its p values are SciPy's, and its error rate holds exactly."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bootlab.analysis.noisy.signed_rank import SignedRankTest, near_scores, rank_scores, signed_rank_p

stats = pytest.importorskip("scipy.stats", reason="SciPy is what the p values are compared with")


@pytest.mark.parametrize("seed", range(8))
def test_the_p_value_is_that_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(0.4, 1, size=5 + seed).tolist()
    assert signed_rank_p(values) == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, abs=1e-12)


def test_equal_sizes_share_their_rank_and_nought_has_none() -> None:
    assert rank_scores(np.array([2.0, 0.0, 2.0, 5.0])).tolist() == [2.5, 0.0, 2.5, 4.0]


def test_near_votes_grow_stay_and_fall_again() -> None:
    sizes = np.array([1.0, 2.0, 3.0, 4.0, 7.0, 10.0, 99.0])
    assert near_scores(sizes / 4 * 1e7).tolist() == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.5, 1.25, 0.0])
    assert near_scores(np.array([0.0, 0.0, 0.0, 5.0])).tolist() == [0.0] * 4


def test_a_few_wild_differences_do_not_hide_the_others() -> None:
    values = [21.0, 18, 25, 20, 15, 22, 19, 24, 17, 23, 16, 26, -400, -300, -500]
    assert signed_rank_p(values) > 0.3
    assert signed_rank_p(values, near=True) < 0.01


def test_where_only_some_are_far_the_ranks_still_see_it() -> None:
    values = [500.0, 510, 520, 505, 515, 490, 530, 1.0, -2, 3, -4, 2, -1, 4, -3]
    assert signed_rank_p(values, near=True) < 0.03


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("side", ["both", "above", "below"])
@pytest.mark.parametrize("sizes", [[3, 1, 4, 1, 5, 9, 2], [1, 1, 1, 1, 1, 1, 1], [5, 0, 3, 0, 8, 1, 90]])
def test_of_all_signs_no_more_than_alpha_are_called(sizes: list[int], side: str, *, near: bool) -> None:
    """Every way to set the signs is one null experiment, looked at after each difference."""
    alpha = 0.1
    called = 0
    for signs in itertools.product((1, -1), repeat=len(sizes)):
        test = SignedRankTest(len(sizes), alpha, side, near=near)  # type: ignore[arg-type]
        values = [sign * size for sign, size in zip(signs, sizes, strict=True)]
        called += any(test.look(values[:count]) for count in range(3, len(sizes) + 1))
    assert called / 2 ** len(sizes) <= alpha
    # The rate is used, too: a test that never calls anything would hold it as well.
    if 0 not in sizes:
        assert called > 0


def test_more_than_was_planned_is_refused() -> None:
    with pytest.raises(ValueError, match="5 differences where 4 were planned"):
        SignedRankTest(4, 0.05).look([1.0] * 5)
