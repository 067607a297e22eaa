# SPDX-License-Identifier: MIT
"""Where a series of boots changed its level: after which revision.

Exact series: wherever the value moves by more than what matters. Noisy ones: Pettitt's test (Applied Statistics 28,
1979) for one change in the ranks of a series, its p value by shuffling the series, and again in both parts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.noisy.rank_test import middle_ranks

ALPHA = 0.01
_SHUFFLES = 2000
_RANKS_AT_ONCE = 50_000
"""So many numbers are shuffled at once: as many series as fit, which no step of Python's divides."""
_ONE_SERIES_IN = 1e-6
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
    if not len(values) or values.max() - values.min() < smallest_ns:
        # No two medians lie further apart than the values do, and nothing needs to be shuffled for that.
        return ()
    cuts = sorted(_cuts(values, 0, alpha))
    edges = [0, *(place for place, _ in cuts), len(values)]
    found = []
    for number, (place, p_value) in enumerate(cuts):
        old = float(np.median(values[edges[number] : place]))
        new = float(np.median(values[place : edges[number + 2]]))
        if abs(new - old) >= smallest_ns:
            found.append(ChangePoint(place - 1, round(old), round(new), p_value))
    return tuple(found)


def _cuts(values: NDArray[np.float64], start: int, alpha: float) -> list[tuple[int, float]]:
    if len(values) < 2 * _LEAST:
        return []
    ranks, _ = middle_ranks(values)
    place, size = _largest(ranks)
    p_value = _p_value(ranks, size, alpha, start)
    if p_value > alpha:
        return []
    # The parts are looked at only because there was a change, so that the rate holds for series without one.
    left, right = values[:place], values[place:]
    return [
        *_cuts(left, start, alpha / 2),
        (start + place, p_value),
        *_cuts(right, start + place, alpha / 2),
    ]


def _p_value(ranks: NDArray[np.float64], size: float, alpha: float, start: int) -> float:
    """Return how often shuffled ranks differ as much; above `alpha` only that it is more often than that.

    Years of boots are shuffled only where that decides: a change so large that no shuffle comes near it needs none, and
    where enough shuffles were as large, the others cannot make it a change any more.
    """
    if _no_shuffle_reaches(size, len(ranks)):
        return 1 / (1 + _SHUFFLES)
    random = np.random.default_rng((1, start, len(ranks)))
    as_large, too_many = 0, alpha * (1 + _SHUFFLES) - 1
    at_once, made = max(1, _RANKS_AT_ONCE // len(ranks)), 0
    while made < _SHUFFLES and as_large <= too_many:
        # Of a series without a change every second shuffle is as large: few decide. However many at once, they are
        # the same ones.
        count = min(at_once, _SHUFFLES - made, max(made, 2 * math.ceil(too_many + 1)))
        shuffled = random.permuted(np.broadcast_to(ranks, (count, len(ranks))), axis=1)
        as_large += int((_differences(shuffled).max(axis=1) >= size - 1e-9).sum())
        made += count
    return (1 + as_large) / (1 + _SHUFFLES)


def _no_shuffle_reaches(size: float, count: int) -> bool:
    """Tell whether one of the shuffles would be as large in less than one of a million series.

    A rank sum has the tails of a normal variable of its own variance, k (n - k) (n + 1) / 12, at most (Chernoff): its
    generating function is that of Mann and Whitney (Annals 18, 1947), a product of sinh(a x) i / (a sinh(i x)), and
    log(sinh(x) / x) is a concave function of the square of x. Middle ranks of equal values spread less. That, for each
    place of a cut.
    """
    bound = 2 * count * _SHUFFLES * math.exp(-6 * size**2 / (count + 1))
    return bound < _ONE_SERIES_IN


def _largest(ranks: NDArray[np.float64]) -> tuple[int, float]:
    """Return where the rank sums of both parts differ most beside what chance does there, and by how much."""
    inner = _differences(ranks[np.newaxis])[0]
    best = int(np.argmax(inner))
    return best + _LEAST, float(inner[best])


def _differences(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, a row a series, how far the rank sums of both parts differ at each place where a cut may be."""
    count = ranks.shape[1]
    lengths = np.arange(_LEAST, count - _LEAST + 1)
    # In place: arrays of thousands of shuffled series do not fit into a cache.
    off: NDArray[np.float64] = np.cumsum(ranks, axis=1)[:, _LEAST - 1 : count - _LEAST]
    off -= lengths * (count + 1) / 2
    np.abs(off, out=off)
    off /= np.sqrt(lengths * (count - lengths))
    return off
