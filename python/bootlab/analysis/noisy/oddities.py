# SPDX-License-Identifier: MIT
"""What was odd about a series of boots: values far off, a slow start, a drift. All are kept and named, none is removed.

Far off: a modified z-score above 3.5 (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993). Drift: Kendall's
rank correlation with the order of the boots (Mann, Econometrica 13, 1945), the slope that of Theil and Sen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

_FAR = 3.5
_DRIFTS_BELOW_P = 0.01
_LEAST = 6
"""So few values say nothing about each other."""


class Outlier(msgspec.Struct, frozen=True):
    """A value far from the others of its side. `boot`: which boot of that side, from 1."""

    boot: int
    value_ns: int
    score: float


class Drift(msgspec.Struct, frozen=True):
    """Values that rise or fall with the order of the boots. `p_value`: how often chance alone does so."""

    per_boot_ns: int
    p_value: float


def outliers(values_ns: Sequence[int]) -> tuple[Outlier, ...]:
    """Return the values that lie far from the rest; none of less than six values, or where more than half are equal."""
    values = np.asarray(values_ns, dtype=float)
    scores = _scores(values)
    return tuple(
        Outlier(place + 1, int(values_ns[place]), round(float(scores[place]), 1))
        for place in np.flatnonzero(np.abs(scores) > _FAR).tolist()
    )


def warm_up(values_ns: Sequence[int]) -> int:
    """Return how many boots at the beginning are slower than the rest by far, without a gap; 0: none."""
    scores = _scores(np.asarray(values_ns, dtype=float))
    count = 0
    while count < len(scores) and scores[count] > _FAR:
        count += 1
    return count


def drift(values_ns: Sequence[int]) -> Drift | None:
    """Return the drift of values in the order of their boots, None where chance explains it."""
    values = np.asarray(values_ns, dtype=float)
    count = len(values)
    if count < _LEAST:
        return None
    later, earlier = np.tril_indices(count, -1)
    steps = np.sign(values[later] - values[earlier])
    # The variance of Kendall's sum, less what equal values take of it.
    _, equal = np.unique(values, return_counts=True)
    ties = float((equal * (equal - 1) * (2 * equal + 5)).sum())
    variance = (count * (count - 1) * (2 * count + 5) - ties) / 18
    total = float(steps.sum())
    if variance <= 0 or total == 0:
        return None
    z = (abs(total) - 1) / math.sqrt(variance)
    p_value = math.erfc(z / math.sqrt(2))
    if p_value >= _DRIFTS_BELOW_P:
        return None
    slopes = (values[later] - values[earlier]) / (later - earlier)
    return Drift(round(float(np.median(slopes))), p_value)


def _scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(values) < _LEAST:
        return np.zeros(len(values))
    off = values - np.median(values)
    width = float(np.median(np.abs(off)))
    if width == 0:
        return np.zeros(len(values))
    scores: NDArray[np.float64] = 0.6745 * off / width
    return scores
