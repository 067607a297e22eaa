"""Where a series of boots changed its level: after which revision.

Exact series: wherever the value moves by more than what matters. Noisy ones: Pettitt's test (Applied Statistics 28,
1979) for one change in the ranks of a series, its p value by shuffling the series, and again in both parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.noisy.rank_test import middle_ranks

ALPHA = 0.01
_SHUFFLES = 2000
_LEAST = 4
"""So many boots on each side of a change, at least."""


class ChangePoint(msgspec.Struct, frozen=True):
    """The level moved between boot `before` and the next one (counted from 0). Medians of both parts, nanoseconds."""

    before: int
    from_ns: int
    to_ns: int
    p_value: float

    @property
    def grew_ns(self) -> int:
        """How much longer it takes since."""
        return self.to_ns - self.from_ns


def exact_changes(values_ns: Sequence[int], smallest_ns: int) -> tuple[ChangePoint, ...]:
    """Return every step by more than `smallest_ns` between boots that repeat to the nanosecond."""
    steps = enumerate(itertools.pairwise(values_ns))
    return tuple(ChangePoint(place, old, new, 0.0) for place, (old, new) in steps if abs(new - old) > smallest_ns)


def noisy_changes(values_ns: Sequence[int], smallest_ns: int, *, alpha: float = ALPHA) -> tuple[ChangePoint, ...]:
    """Return the changes of level by `smallest_ns` or more in a noisy series, in order.

    `alpha`: how often a series without a change is said to have one, at most.
    """
    values = np.asarray(values_ns, dtype=float)
    cuts = sorted(_cuts(values, 0, alpha, np.random.default_rng(1)))
    edges = [0, *(place for place, _ in cuts), len(values)]
    found = []
    for number, (place, p_value) in enumerate(cuts):
        old = float(np.median(values[edges[number] : place]))
        new = float(np.median(values[place : edges[number + 2]]))
        if abs(new - old) >= smallest_ns:
            found.append(ChangePoint(place - 1, round(old), round(new), p_value))
    return tuple(found)


def _cuts(
    values: NDArray[np.float64], start: int, alpha: float, random: np.random.Generator
) -> list[tuple[int, float]]:
    if len(values) < 2 * _LEAST:
        return []
    ranks, _ = middle_ranks(values)
    place, size = _largest(ranks)
    shuffled = np.array([_largest(random.permutation(ranks))[1] for _ in range(_SHUFFLES)])
    p_value = float((1 + (shuffled >= size - 1e-9).sum()) / (1 + _SHUFFLES))
    if p_value > alpha:
        return []
    # The parts are looked at only because there was a change, so that the rate holds for series without one.
    left, right = values[:place], values[place:]
    return [
        *_cuts(left, start, alpha / 2, random),
        (start + place, p_value),
        *_cuts(right, start + place, alpha / 2, random),
    ]


def _largest(ranks: NDArray[np.float64]) -> tuple[int, float]:
    """Return where the rank sums of both parts differ most beside what chance does there, and by how much."""
    count = len(ranks)
    lengths = np.arange(1, count)
    off = np.cumsum(ranks)[:-1] - lengths * (count + 1) / 2
    scaled = np.abs(off) / np.sqrt(lengths * (count - lengths))
    inner = scaled[_LEAST - 1 : count - _LEAST]
    best = int(np.argmax(inner))
    return best + _LEAST, float(inner[best])
