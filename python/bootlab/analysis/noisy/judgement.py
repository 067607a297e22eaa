# SPDX-License-Identifier: MIT
"""Two systems on a noisy clock: faster, slower, same or unknown, for the whole boot and for each stage.

*Slower* and *faster* need the test and an estimate that matters; *same* needs a test that the difference is
smaller than what matters, on either side. What the boots carry neither for is *unknown*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.noisy.interval import of_pairs, of_two, pairs_carry, two_carry, walsh_median
from bootlab.analysis.noisy.rank_test import mann_whitney_p
from bootlab.analysis.noisy.signed_rank import SignedRankTest, rank_scores, signed_rank_p
from bootlab.model.verdict import Verdict

ALPHA = 0.05
"""How often two equal systems may be called different, at most, however often is looked: slower in half of these."""

ALPHA_SAME = 0.05
"""How often a difference that matters may be called the same, at most."""

MOST_BLOCKS = 15
LEAST_BLOCKS = 6


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with its numbers. `saved_ns`: base minus new, so that a loss is negative.

    `effect`: from -1 (every new boot slower) to 1 (every one faster): of pairs the rank-biserial correlation, of
    independent samples Cliff's delta. It, `p_value` and the 95 % `interval_ns` are None of boots that are exact, and of
    so few that no order of them is rare. `smallest_ns`: differences below it do not matter. `not_slower`: it is shown
    that the new side is slower by less than that, or faster. `error_rate`: of the rule for exact boots under dithers.
    """

    verdict: Verdict
    saved_ns: int
    interval_ns: tuple[int, int] | None = None
    p_value: float | None = None
    effect: float | None = None
    smallest_ns: int
    not_slower: bool
    boots: tuple[int, int]
    error_rate: float | None = None


class Sequential:
    """Judges block after block, and says when it is enough. Looks at each block from the sixth."""

    def __init__(self, *, smallest_ns: int, most: int = MOST_BLOCKS, alpha: float = ALPHA) -> None:
        """Plan up to `most` blocks; differences below `smallest_ns` do not matter."""
        self._smallest = smallest_ns
        self._most = most
        self._different = SignedRankTest(most, alpha, near=True)
        self._not_slower = SignedRankTest(most, ALPHA_SAME, "above")
        self._not_faster = SignedRankTest(most, ALPHA_SAME, "below")
        self._seen = {"different": False, "not slower": False, "not faster": False}
        self._saved: list[int] = []

    @property
    def blocks(self) -> int:
        """How many blocks were added."""
        return len(self._saved)

    def add(self, base_ns: int, new_ns: int) -> Verdict | None:
        """Add a block and look. Return the verdict where it is one; None: boot another block.

        Once the test has called a difference it stays called; more blocks may still say whether it matters.
        """
        return self.add_all([base_ns], [new_ns])

    def add_all(self, base_ns: Sequence[int], new_ns: Sequence[int]) -> Verdict | None:
        """Add blocks and look once, behind the last of them."""
        self._saved += [base - new for base, new in zip(base_ns, new_ns, strict=True)]
        if self.blocks < min(LEAST_BLOCKS, self._most):
            return None
        saved = np.asarray(self._saved, dtype=float)
        self._look("different", self._different, saved)
        self._look("not slower", self._not_slower, saved + self._smallest)
        self._look("not faster", self._not_faster, saved - self._smallest)
        verdict = self._verdict(walsh_median(saved))
        return verdict if verdict is not Verdict.UNKNOWN or self.blocks == self._most else None

    def judged(self) -> Judged:
        """Return verdict and numbers of the blocks so far (one or more)."""
        estimate = of_pairs(self._saved)
        carried = pairs_carry(self.blocks)
        return Judged(
            verdict=self._verdict(estimate.value_ns),
            saved_ns=estimate.value_ns,
            interval_ns=estimate.interval_ns if carried else None,
            p_value=signed_rank_p(self._saved, near=True) if carried else None,
            effect=_rank_biserial(self._saved) if carried else None,
            smallest_ns=self._smallest,
            not_slower=self._seen["not slower"],
            boots=(self.blocks, self.blocks),
        )

    def _look(self, name: str, test: SignedRankTest, values: NDArray[np.float64]) -> None:
        self._seen[name] = test.look(values.tolist()) or self._seen[name]

    def _verdict(self, saved_ns: float) -> Verdict:
        if self._seen["different"] and abs(saved_ns) >= self._smallest:
            return Verdict.FASTER if saved_ns > 0 else Verdict.SLOWER
        if self._seen["not slower"] and self._seen["not faster"]:
            return Verdict.SAME
        return Verdict.UNKNOWN


def judge_pairs(
    base_ns: Sequence[int], new_ns: Sequence[int], *, smallest_ns: int, alpha: float = ALPHA, tests: int = 1
) -> Judged:
    """Judge boots of the same blocks at once. `tests`: so many are judged side by side (stages): Bonferroni."""
    test = Sequential(smallest_ns=smallest_ns, most=len(base_ns), alpha=alpha / tests)
    test.add_all(base_ns, new_ns)
    return test.judged()


def judge_apart(
    base_ns: Sequence[int], new_ns: Sequence[int], *, smallest_ns: int, alpha: float = ALPHA, tests: int = 1
) -> Judged:
    """Judge boots that were made apart from each other, such as those of last week against today's.

    What changed besides the system in between (the board's temperature, the host's load) counts as the system's.
    """
    base, new = np.asarray(base_ns, dtype=float), np.asarray(new_ns, dtype=float)
    estimate = of_two(base_ns, new_ns)
    p_value = min(1.0, max(mann_whitney_p(base, new), 2 / _orders(base, new)) * tests)
    not_slower = _below(new - smallest_ns, base)
    verdict = Verdict.UNKNOWN
    if p_value < alpha and abs(estimate.value_ns) >= smallest_ns:
        verdict = Verdict.FASTER if estimate.value_ns > 0 else Verdict.SLOWER
    elif not_slower and _below(base - smallest_ns, new):
        verdict = Verdict.SAME
    carried = two_carry(len(base_ns), len(new_ns))
    return Judged(
        verdict=verdict,
        saved_ns=estimate.value_ns,
        interval_ns=estimate.interval_ns if carried else None,
        p_value=p_value if carried else None,
        effect=float(np.sign(base[:, None] - new[None, :]).mean()) if carried else None,
        smallest_ns=smallest_ns,
        not_slower=not_slower,
        boots=(len(base_ns), len(new_ns)),
    )


def _below(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Tell whether one sample is shown to lie below the other."""
    below = float(np.sign(other[:, None] - one[None, :]).sum()) > 0
    return below and max(mann_whitney_p(one, other) / 2, 1 / _orders(one, other)) < ALPHA_SAME


def _orders(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    """Return how many orders the values of both sides can have.

    No test of them has a smaller p value than two of these; with equal values its approximation may say so.
    """
    return math.comb(len(one) + len(other), len(one))


def _rank_biserial(saved_ns: Sequence[int]) -> float:
    values = np.asarray(saved_ns, dtype=float)
    scores = rank_scores(np.abs(values))
    total = float(scores.sum())
    return float(np.sign(values) @ scores) / total if total else 0.0
