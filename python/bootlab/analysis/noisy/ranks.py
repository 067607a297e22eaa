"""Ranks of values, for the rank tests: equal values share the middle of the places that they take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def middle_ranks(values: NDArray[np.float64] | Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rank of each value, the smallest 1, and how many values are equal at each level."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return middles[places], counts.astype(float)
