# SPDX-License-Identifier: MIT
"""Is a variant earlier than its base? An exact sequential rank test on boots under neutral dithers.

If a change means nothing, the variant's goals are more draws from where the base's come from: every order of the two
is as likely as every other, whatever that distribution is (heavy tails, a grid, two peaks). So the share of orders
that a rule calls *faster* or *slower* is its error rate, counted and not estimated.

A rule looks at the variant after its first few boots and perhaps once more. What is counted is the pairs (one boot of
each side) in which the variant came earlier; a pair that came at the same time counts for neither side. The rule stops
as soon as no further boot can change the answer, or is likely to: that makes it err less often, never more.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import statistics

import msgspec
import numpy as np

from bootlab.analysis.smallest import EXACT_NS
from bootlab.model.verdict import Verdict

ALPHA = 0.01
"""How often a change that means nothing may be called faster or slower, at most."""

SAME_NS = EXACT_NS
"""Differences up to this do not matter in practice."""

_Goals = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

_POWER = 0.9
_DRAWS = 1000
_FURTHER_BOOTS = 3
"""So many boots after the first look comes the second one."""

_PROMISING = 0.85
"""Below this share of agreeing pairs no further boot is made: one gain in twenty is missed, a third less is booted."""

_AT_ONCE = 2
"""So many boots are asked for at a time before the first look, behind it one: most that means nothing is seen then."""


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """Boots of the base, and after how many boots of a variant the rule looks at it.

    `needed[i]`: the pairs that must agree at look `i`. `error_rate`: share of all orders that the rule calls faster or
    slower when nothing was changed.
    """

    base_boots: int
    looks: tuple[int, ...]
    needed: tuple[int, ...]
    error_rate: float

    @property
    def most_boots(self) -> int:
        """The boots of a variant that the rule asks for at most."""
        return self.looks[-1]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What the boots so far say. `verdict` None: `wanted` boots of the variant are needed. `saved_ns`: of medians."""

    verdict: Verdict | None
    saved_ns: int
    wanted: int = 0


@functools.cache
def design(base_boots: int) -> Design:
    """Return the rule for so many boots of the base (1 or more)."""
    first = next(m for m in itertools.count(1) if 2 / math.comb(base_boots + m, m) <= ALPHA)
    spent = 1 / math.comb(base_boots + first, first)
    needed = first * base_boots
    if first > 2:
        return Design(base_boots=base_boots, looks=(first,), needed=(needed,), error_rate=2 * spent)
    further = first + _FURTHER_BOOTS
    pairs, added = _second_look(base_boots, first, further, ALPHA / 2 - spent)
    rate = 2 * (spent + added)
    return Design(base_boots=base_boots, looks=(first, further), needed=(needed, pairs), error_rate=rate)


def _second_look(base_boots: int, first: int, further: int, allowed: float) -> tuple[int, float]:
    """Return how many pairs must agree at the second look, and how often they do though nothing was changed.

    Every way to lay the variant's boots into the gaps between the base's is as likely as every other, and the ones
    that came first are any of them.
    """
    gaps = np.array(list(itertools.combinations_with_replacement(range(base_boots + 1), further)))
    agreeing = further * base_boots - gaps.sum(axis=1)
    ahead = (gaps == 0).sum(axis=1)
    stopped = np.array([math.comb(k, first) / math.comb(further, first) for k in range(further + 1)])[ahead]
    chance, needed = 0.0, further * base_boots + 1
    for pairs in range(further * base_boots, -1, -1):
        more = float((1 - stopped)[agreeing == pairs].sum()) / len(gaps)
        if chance + more > allowed:
            break
        chance, needed = chance + more, pairs
    return needed, chance


_BASE_BOOTS = (5, 6, 9, 21)
FEWEST_BASE_BOOTS = min(_BASE_BOOTS)
"""Every rule that `cheapest` gives takes so many boots of the base."""


def cheapest(variants: int) -> Design:
    """Return the rule that takes the fewest boots for so many variants of one base.

    About half of what is tried turns out to make a difference and is booted to the first look.
    """
    return min((design(n) for n in _BASE_BOOTS), key=lambda d: d.base_boots + variants * (1 + d.looks[0]) / 2)


def judge(
    base_ns: tuple[int, ...], variant_ns: tuple[int, ...], rule: Design, *, smallest_ns: int = SAME_NS
) -> Judgement:
    """Say what goal times under the same dithers tell, or how many more boots the variant needs.

    Both in the order of the dithers: some dithers move every system to the same side, and a variant is booted under the
    first few only. So a difference matters where it is one between boots under the same dithers too. `smallest_ns`:
    differences up to it do not matter.
    """
    saved = round(statistics.median(base_ns) - statistics.median(variant_ns))
    ordered = sorted(base_ns)
    earlier = sum(len(ordered) - bisect.bisect_right(ordered, goal) for goal in variant_ns)
    later = sum(bisect.bisect_left(ordered, goal) for goal in variant_ns)
    count = len(variant_ns)
    for boots, needed in zip(rule.looks, rule.needed, strict=True):
        if count == boots and max(earlier, later) >= needed:
            paired = statistics.median(old - new for old, new in zip(base_ns, variant_ns, strict=False))
            matters = min(saved, paired) > smallest_ns if earlier > later else max(saved, paired) < -smallest_ns
            verdict = Verdict.FASTER if earlier > later else Verdict.SLOWER
            return Judgement(verdict=verdict if matters else Verdict.SAME, saved_ns=saved)
    few = min(rule.looks[0] - count, _AT_ONCE) if count < rule.looks[0] else 1
    promising = max(earlier, later) >= _PROMISING * count * rule.base_boots
    for boots, needed in zip(rule.looks, rule.needed, strict=True):
        if promising and boots > count and max(earlier, later) + (boots - count) * rule.base_boots >= needed:
            return Judgement(verdict=None, saved_ns=saved, wanted=few)
    return Judgement(verdict=Verdict.SAME, saved_ns=saved)


def apart(before_ns: tuple[int, ...], after_ns: tuple[int, ...], range_ns: int) -> int:
    """Tell whether two systems, booted twice or more each, lie further apart than `range_ns`: 1 earlier, -1 later, 0.

    With the range of 21 boots of a system that scatters alike, two of a side must be the first two or the last two of
    all 25: 1.3 % of the orders. They must also be that far away, which makes it less than half of that for every
    distribution that was tried (tests/analysis/test_sequential_test.py).
    """
    if min(len(before_ns), len(after_ns)) < 2:
        return 0
    limit = max(range_ns, SAME_NS)
    if min(before_ns) - max(after_ns) > limit:
        return 1
    return -1 if min(after_ns) - max(before_ns) > limit else 0


def lost(before_ns: tuple[int, ...], after_ns: int, range_ns: int) -> bool:
    """Tell whether one boot comes later than all of `before_ns` by more than `range_ns`.

    Enough to keep what a step has proved already; of two systems that scatter alike one in a hundred is called so.
    """
    return bool(before_ns) and after_ns - max(before_ns) > max(range_ns, SAME_NS)


def no_later(before_ns: tuple[int, ...], after_ns: int) -> bool:
    """Tell whether one boot lies so far among those of another system that no rule would call it later.

    `judge` makes no further boot then either: of five or more it comes after too small a share.
    """
    later = sum(goal < after_ns for goal in before_ns)
    return len(before_ns) >= FEWEST_BASE_BOOTS and later < _PROMISING * len(before_ns)


def visible_gain_ns(base_ns: tuple[int, ...], rule: Design) -> int:
    """Return the smallest gain that the rule calls faster in nine of ten cases, where the base scatters so.

    Foretold from the base's own goals as further ones are from a sample of a normal distribution (Student's t), so that
    few boots promise less. Rare places far off are not foreseen.
    """
    random = np.random.default_rng(1)
    count = len(base_ns)
    width = statistics.stdev(base_ns) * math.sqrt(1 + 1 / count) if count > 1 else 0.0
    drawn = random.standard_t(max(count - 1, 1), size=(_DRAWS, rule.base_boots)) * width
    variant = random.standard_t(max(count - 1, 1), size=(_DRAWS, rule.most_boots)) * width
    low, high = SAME_NS, round(2 * SAME_NS + float(np.ptp(drawn) + np.ptp(variant)))
    while high - low > SAME_NS // 10:
        middle = (low + high) // 2
        if _found(drawn, variant - middle, rule) >= _POWER:
            high = middle
        else:
            low = middle
    return high


def _found(base: _Goals, variant: _Goals, rule: Design) -> float:
    found = np.zeros(len(base), dtype=bool)
    going = np.ones(len(base), dtype=bool)
    earlier = (variant[:, :, None] < base[:, None, :]).sum(axis=2).cumsum(axis=1)
    for boots in range(1, rule.most_boots + 1):
        pairs = earlier[:, boots - 1]
        if boots in rule.looks:
            common = min(boots, rule.base_boots)
            paired = np.median(base[:, :common] - variant[:, :common], axis=1)
            saved = np.minimum(paired, np.median(base, axis=1) - np.median(variant[:, :boots], axis=1))
            found |= going & (pairs >= rule.needed[rule.looks.index(boots)]) & (saved > SAME_NS)
        # As `judge` stops, apart from what is asked for two at a time.
        going &= pairs >= _PROMISING * boots * rule.base_boots
    return float(found.mean())
