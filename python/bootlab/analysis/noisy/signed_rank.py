# SPDX-License-Identifier: MIT
"""A signed-rank test of paired differences that may be looked at after every block, with its error rate held.

Wilcoxon, Biometrics Bulletin 1 (1945), for the statistic; Lan and DeMets, Biometrika 70 (1983), for spending the error
rate over the looks. If a change means nothing, each difference could as well have had the other sign, because chance
chose the order inside its block. So the test counts, among all ways to set the signs of the differences that were seen,
those that it would have called a difference by now. This holds for every distribution, with outliers and with ties.

Ranks give the largest vote to the wildest difference, so that a few late boots hide a small regression. So the test of
a difference counts a second vote, Hampel's (Journal of the American Statistical Association 69, 1974), which falls
again for differences far from the others. It takes the larger of both, each measured by its spread over all signs. Both
depend on the sizes of the differences alone, so what was said above holds for their maximum, too. Ranks stay beside it
because a change that makes some boots very late, and not all, shows in far differences only.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.noisy.rank_test import middle_ranks

Side = Literal["both", "above", "below"]

_ALL_SIGNS_UP_TO = 16
"""So many differences have few enough signs (65 536) to count them all; of more, so many are drawn."""

_PARTS = 64
"""Near votes are multiples of this part, so that sums of them are exact."""

_FINE = 10_000
"""Steps of a standardised sum that are told apart."""

_SPENDING = 2
"""Of the error rate little is spent early, so that looking often costs little in the end."""

SPENT = 0.9
"""Share of the error rate that is spent. The test errs as often as it spends, so that a count of false alarms would
lie above the promised rate in half of all cases; with a tenth kept back it lies below it."""

_Numbers = NDArray[np.float64]
_Sums = NDArray[np.int64]


class SignedRankTest:
    """Looks at growing series of differences. `most`: how long the series gets at most; `alpha`: its error rate.

    `side`: a difference is called when the values are not around nought ("both"), lie above it, or below it.
    """

    def __init__(self, most: int, alpha: float, side: Side = "both", *, near: bool = False) -> None:
        """Plan to look at up to `most` differences (1 or more). `near`: count the votes of near differences, too."""
        self._near = near
        self._most = most
        self._alpha = alpha * SPENT
        self._side = side
        self._count = 0
        self._enumerated = most <= _ALL_SIGNS_UP_TO
        self._alive = np.ones(1 if self._enumerated else 1 << _ALL_SIGNS_UP_TO, dtype=bool)
        self._spent = 0.0

    def look(self, differences: Sequence[float]) -> bool:
        """Tell whether the series so far shows a difference. It must begin with what was looked at before.

        The share `alpha` x 0.9 x (length / `most`)² of all signs may be called a difference by now.
        """
        count = len(differences)
        if count > self._most:
            raise ValueError(f"{count} differences where {self._most} were planned")
        values = np.asarray(differences, dtype=float)
        votes = _votes(np.abs(values), near=self._near)
        seen = int(_strength(np.sign(values), votes, self._side))
        paths = _strength(_signs(self._most, count), votes, self._side)
        if self._enumerated:
            self._alive = np.repeat(self._alive, 1 << (count - self._count))
        self._count = count
        allowed = self._alpha * (count / self._most) ** _SPENDING - self._spent
        limit = _critical(paths[self._alive], allowed * len(paths))
        if limit is None:
            return False
        crossed = self._alive & (paths >= limit)
        self._spent += float(crossed.sum()) / len(paths)
        self._alive = self._alive & ~crossed
        return seen >= limit


def _votes(sizes: _Numbers, *, near: bool) -> list[NDArray[np.float32]]:
    """Return the votes of differences of these sizes as whole numbers (their sums stay below 2^24: exact)."""
    votes = [np.rint(rank_scores(sizes) * 2)]
    if near and (other := near_scores(sizes)).any():
        votes.append(np.rint(other * _PARTS))
    return [one.astype(np.float32) for one in votes]


def _strength(signs: NDArray[Any], votes: Sequence[NDArray[np.float32]], side: Side) -> _Sums:
    """Return how strongly votes with these signs speak for a difference."""
    turned = []
    for one in votes:
        sums = np.rint(signs @ one).astype(np.int64)
        sums = np.abs(sums) if side == "both" else -sums if side == "below" else sums
        # A sum alone is compared as it is; of several, each by its spread over all signs.
        spread = np.sqrt(float(one @ one))
        turned.append(sums if len(votes) == 1 else np.rint(sums * (_FINE / spread)).astype(np.int64))
    strongest: _Sums = functools.reduce(np.maximum, turned)
    return strongest


def near_scores(sizes: _Numbers) -> _Numbers:
    """Return Hampel's vote of each size, in medians of them: the size, at most 1.5, from 2 on less, from 5 on none."""
    middle = float(np.median(sizes)) if len(sizes) else 0.0
    if middle <= 0:
        return np.zeros_like(sizes)
    far = sizes / middle
    scores: _Numbers = np.clip(np.minimum(np.minimum(far, 1.5), 1.5 * (5 - far) / 3), 0.0, None)
    return scores


def rank_scores(sizes: _Numbers) -> _Numbers:
    """Return the rank of each size, equal ones the middle of theirs; 0 for a size of 0, which speaks for no side."""
    ranks, _ = middle_ranks(sizes)
    return np.where(sizes == 0, 0.0, ranks)


def signed_rank_p(differences: Sequence[float], *, near: bool = False) -> float:
    """Return the two-sided p value of one look at a series of differences; 1.0 of none."""
    values = np.asarray(differences, dtype=float)
    if not len(values):
        return 1.0
    votes = _votes(np.abs(values), near=near)
    seen = int(_strength(np.sign(values), votes, "both"))
    paths = _strength(_signs(len(values), len(values)), votes, "both")
    return float((paths >= seen).mean())


def _critical(sums: _Sums, allowed: float) -> int | None:
    """Return the smallest sum such that at most `allowed` of the sums reach it; None where none does."""
    room = int(allowed + 1e-9)
    if room <= 0 or not len(sums):
        return None
    lowest = int(sums.min())
    reached = np.cumsum(np.bincount(sums - lowest)[::-1])
    fitting = int(np.searchsorted(reached, room, side="right"))
    # The largest sums, equal ones together; a sum that no path has would be passed by none.
    return None if fitting == 0 else lowest + len(reached) - fitting


@functools.lru_cache(maxsize=64)
def _signs(most: int, count: int) -> NDArray[np.float32]:
    """Return ways to set `count` signs, one a row: all of them, the last sign changing fastest, or 65 536 drawn."""
    if most <= _ALL_SIGNS_UP_TO:
        rows = np.arange(1 << count)[:, None] >> np.arange(count - 1, -1, -1)[None, :]
        return (1 - 2 * (rows & 1)).astype(np.float32)
    random = np.random.default_rng(most)
    drawn = random.choice(np.array([-1, 1], dtype=np.float32), size=(1 << _ALL_SIGNS_UP_TO, most))
    return drawn[:, :count]
