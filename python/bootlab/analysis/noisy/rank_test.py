# SPDX-License-Identifier: MIT
"""The two-sided Mann-Whitney U test of whether two samples come from one distribution.

Mann and Whitney, Annals of Mathematical Statistics 18 (1947), for the exact distribution; the normal approximation is
corrected for ties and continuity. Exact where the smaller sample has at most eight values and no two are equal, as
SciPy's `mannwhitneyu` chooses by default. Written out because this one function is all that bootlab needs of SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_EXACT_UP_TO = 8


def mann_whitney_p(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the two-sided p value of two samples, neither of them empty. 1.0 when all values are equal."""
    n, m = len(first), len(second)
    ranks, counts = middle_ranks(np.concatenate([first, second]))
    rank_sum = float(ranks[:n].sum())
    smaller_u = rank_sum - n * (n + 1) / 2
    u = max(smaller_u, n * m - smaller_u)
    if min(n, m) <= _EXACT_UP_TO and len(counts) == n + m:
        return min(1.0, 2 * _exact_tail(round(u), n, m))
    ties = float((counts**3 - counts).sum())
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    z = (u - n * m / 2 - 0.5) / math.sqrt(variance)
    return min(1.0, math.erfc(z / math.sqrt(2)))


def _exact_tail(u: int, n: int, m: int) -> float:
    """Return the probability of a U of at least `u` where every order of the values is equally likely."""
    # The number of orders with each U: the coefficients of the Gaussian binomial, prod (1 - q^(m+i)) / (1 - q^i).
    orders = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for at in range(n * m, m + i - 1, -1):
            orders[at] -= orders[at - m - i]
        for at in range(i, n * m + 1):
            orders[at] += orders[at - i]
    return sum(orders[u:]) / math.comb(n + m, n)


def middle_ranks(values: NDArray[np.float64] | Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rank of each value, the smallest 1, and how many values are equal at each level."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return middles[places], counts.astype(float)
