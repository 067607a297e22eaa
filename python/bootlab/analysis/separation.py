"""The rule for parts of a boot: two sets of values differ when nothing lies between them but a clear gap.

A boot has many parts (stages, marks, processes), and every one of them that is looked at is one more chance to be
wrong. So complete separation, which five boots a side reach by luck once in 126 times, is not enough: the gap between
the two sets must also be wider than either set is. Values of one source reach that in 0.02 % of the draws where they
are spread, in 0.2 % where they are one of two (tests/analysis/test_separation.py draws them).
"""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.model.verdict import Verdict

LEAST_BOOTS = 5
"""Fewer values a side carry no verdict: four, each one of two values, are separated so in 0.8 % of the draws."""


def separation(base: Sequence[int], variant: Sequence[int], *, least: int = 0) -> Verdict:
    """Judge values of which less is better. `least`: a gap up to this is called the same."""
    if min(len(base), len(variant)) < LEAST_BOOTS:
        return Verdict.UNKNOWN
    width = max(_range(base), _range(variant), least)
    if min(base) - max(variant) > width:
        return Verdict.FASTER
    if min(variant) - max(base) > width:
        return Verdict.SLOWER
    return Verdict.SAME


def _range(values: Sequence[int]) -> int:
    return max(values) - min(values)
