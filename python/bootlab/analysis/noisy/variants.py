# SPDX-License-Identifier: MIT
"""The verdict on one of several variants that were booted in the same blocks (`try` on boards and in free run).

Blocks: each block boots every variant once, in random order, so that a drift of the machine hits all alike. Kept:
every value. Decided by: a rank test, a bootstrap interval of the paired difference, and a practical threshold; where
the data do not carry an answer it is `unknown`.

The test is Wilcoxon's signed-rank test on the differences inside the blocks, which no drift between blocks reaches,
where there are blocks enough: with n of them its p is at least 2 / 2^n, times the number of variants. With fewer it is
the Mann-Whitney test, after the median of a block's other variants was taken from its two times (aligned ranks: Hodges
and Lehmann, Annals of Mathematical Statistics 33, 1962). They are in both times, so that the test errs to the safe
side. Where there are no two others either, the values are compared as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.noisy.rank_test import mann_whitney_p
from bootlab.analysis.noisy.signed_rank import signed_rank_p
from bootlab.analysis.smallest import smallest_that_matters
from bootlab.model.verdict import Verdict

ALPHA = 0.05
_RESAMPLES = 4000
_ROOM = 3
"""How far the smallest p of the signed-rank test must lie below ALPHA: else one odd block would silence it."""
_OTHERS = 2


class WallComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What the samples say. `interval_ns`: 95 % bootstrap interval of the median paired saving (base minus variant)."""

    verdict: Verdict
    saved_ns: int
    interval_ns: tuple[int, int]
    p_value: float
    cliffs_delta: float


def compare(
    base_ns: tuple[int, ...],
    variant_ns: tuple[int, ...],
    *,
    seed: int = 1,
    tests: int = 1,
    smallest_ns: int | None = None,
    others_ns: Sequence[tuple[int, ...]] = (),
    paired: bool = True,
) -> WallComparison:
    """Compare samples taken in the same blocks (`base_ns[i]` beside `variant_ns[i]`).

    `smallest_ns`: the smallest difference that matters; None: that of a boot. `others_ns`: the times of the other
    variants in the same blocks. `paired`: False where the samples were not taken in blocks.

    `tests`: how many variants are compared at once; p is multiplied by it (Bonferroni, the safe form of Holm's first
    step).
    """
    count = min(len(base_ns), len(variant_ns))
    base = np.asarray(base_ns[:count], dtype=float)
    variant = np.asarray(variant_ns[:count], dtype=float)
    saved = base - variant
    limit = smallest_that_matters(float(np.median(base)), exact=False) if smallest_ns is None else smallest_ns
    random = np.random.default_rng(seed)
    picks = random.integers(0, count, size=(_RESAMPLES, count))
    medians = np.median(saved[picks], axis=1)
    low, high = (int(v) for v in np.percentile(medians, [2.5, 97.5]))
    if np.all(base == base[0]) and np.all(variant == base[0]):
        p_value = 1.0
    else:
        others = [one[:count] for one in others_ns if len(one) >= count] if paired else []
        p_value = min(1.0, _p(base, variant, np.asarray(others, dtype=float), tests, paired=paired) * tests)
    greater = float(np.sign(base[:, None] - variant[None, :]).mean())
    median = int(np.median(saved))
    return WallComparison(
        verdict=_decide(median, low, high, p_value, limit, count),
        saved_ns=median,
        interval_ns=(low, high),
        p_value=p_value,
        cliffs_delta=greater,
    )


_Times = NDArray[np.float64]


def _p(base: _Times, variant: _Times, others: _Times, tests: int, *, paired: bool) -> float:
    """Return the p value of one comparison, by the strongest test that its blocks carry."""
    least = 2.0 ** (1 - len(base)) * tests
    if paired and least <= ALPHA / _ROOM:
        return signed_rank_p(list(base - variant), near=True)
    if len(others) >= _OTHERS:
        common = np.median(others, axis=0)
        return mann_whitney_p(base - common, variant - common)
    if paired and least < ALPHA:
        return signed_rank_p(list(base - variant), near=True)
    return mann_whitney_p(base, variant)


def _decide(median: int, low: int, high: int, p_value: float, limit: int, count: int) -> Verdict:
    if count < 3:
        return Verdict.UNKNOWN
    if p_value < ALPHA and low > 0 and median >= limit:
        return Verdict.FASTER
    if p_value < ALPHA and high < 0 and -median >= limit:
        return Verdict.SLOWER
    if low > -limit and high < limit:
        return Verdict.SAME
    return Verdict.UNKNOWN
