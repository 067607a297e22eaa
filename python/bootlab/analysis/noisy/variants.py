"""The verdict on one of several variants that were booted in the same blocks (`try` on boards and in free run).

Blocks: each block boots every variant once, in random order, so that a drift of the machine hits all alike. Kept:
every value. Decided by: a rank test (Mann-Whitney, as Perfherder and Pinpoint do), a bootstrap interval of the paired
difference, and a practical threshold; where the data do not carry an answer it is `unknown`.
"""

from __future__ import annotations

import msgspec
import numpy as np

from bootlab.analysis.noisy.rank_test import mann_whitney_p
from bootlab.analysis.smallest import smallest_that_matters
from bootlab.model.verdict import Verdict

ALPHA = 0.05
_RESAMPLES = 4000


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
) -> WallComparison:
    """Compare samples taken in the same blocks (`base_ns[i]` beside `variant_ns[i]`).

    `smallest_ns`: the smallest difference that matters; None: that of a boot.

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
        p_value = min(1.0, mann_whitney_p(base, variant) * tests)
    greater = float(np.sign(base[:, None] - variant[None, :]).mean())
    median = int(np.median(saved))
    return WallComparison(
        verdict=_decide(median, low, high, p_value, limit, count),
        saved_ns=median,
        interval_ns=(low, high),
        p_value=p_value,
        cliffs_delta=greater,
    )


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
