# SPDX-License-Identifier: MIT
"""The rule for parts of a boot: two sets of values differ when nothing lies between them but a clear gap.

A boot has many parts (stages, marks, processes), and every one of them that is looked at is one more chance to be
wrong. So complete separation, which the boots of one verdict reach by luck in up to 1 % of all orders, is not enough:
the gap between the two sets must also be wider than either set is. Values of one source reach that in less than 0.1 %
of the draws where they are spread, in 0.2 % where they are one of two (tests/analysis/test_separation.py draws them).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bootlab.model.verdict import Verdict

LEAST_ORDERS = 200
"""The values must have at least so many orders: five against five have 252, 21 against two have 253."""


def separation(base: Sequence[int], variant: Sequence[int], *, least: int = 0) -> Verdict:
    """Judge values of which less is better. `least`: a gap up to this is called the same.

    Unknown: they are apart, but too few to say so.
    """
    if not base or not variant:
        return Verdict.UNKNOWN
    enough = math.comb(len(base) + len(variant), len(base)) >= LEAST_ORDERS
    width = max(_range(base), _range(variant), least)
    if min(base) - max(variant) > width:
        return Verdict.FASTER if enough else Verdict.UNKNOWN
    if min(variant) - max(base) > width:
        return Verdict.SLOWER if enough else Verdict.UNKNOWN
    return Verdict.SAME


def _range(values: Sequence[int]) -> int:
    return max(values) - min(values)
