# SPDX-License-Identifier: MIT
"""Where a series of boots changed its level: after which revision.

Exact series: wherever the value moves by more than what matters. Noisy ones: Pettitt's test (Applied Statistics 28,
1979) for one change in the ranks of a series, its p value by shuffling the series, and again in both parts. The core
does that (crates/levels): the years of many boots are shuffled in milliseconds, and without numpy, which takes longer
to import than that.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec

from bootlab import _core

ALPHA = 0.01


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
    return tuple(itertools.starmap(ChangePoint, _core.level_changes(values_ns, smallest_ns, alpha)))
