# SPDX-License-Identifier: MIT
"""Parts of a boot are called faster only where nothing but a clear gap lies between both sides."""

from __future__ import annotations

import random

import pytest

from bootlab.analysis.separation import separation
from bootlab.model.verdict import Verdict

BASE = (100, 101, 102, 103, 104)


@pytest.mark.parametrize(
    ("variant", "verdict"),
    [
        ((80, 81, 82, 83, 84), Verdict.FASTER),
        ((120, 121, 122, 123, 124), Verdict.SLOWER),
        (BASE, Verdict.SAME),
        # Apart, but by no more than each is wide.
        ((92, 93, 94, 95, 96), Verdict.SAME),
        ((91, 92, 93, 94, 95), Verdict.FASTER),
        # One value among the others: no separation.
        ((80, 81, 82, 83, 102), Verdict.SAME),
        ((80, 81, 82), Verdict.UNKNOWN),
        ((130,), Verdict.UNKNOWN),
        ((95, 96, 97), Verdict.SAME),
        ((), Verdict.UNKNOWN),
    ],
)
def test_separation(variant, verdict):
    assert separation(BASE, variant) is verdict


def test_the_least_gap_that_matters():
    assert separation((7,) * 5, (6,) * 5) is Verdict.FASTER
    assert separation((7,) * 5, (6,) * 5, least=1) is Verdict.SAME


@pytest.mark.parametrize(
    ("draw", "at_most"),
    [
        (lambda r: r.gauss(0, 1e6), 0.001),
        (lambda r: r.uniform(0, 1e6), 0.001),
        (lambda r: r.expovariate(1e-6), 0.001),
        (lambda r: r.choice((0, 4_000_000)) + r.gauss(0, 1000), 0.004),
    ],
    ids=["normal", "uniform", "exponential", "one of two"],
)
@pytest.mark.parametrize("boots", [(5, 5), (6, 4), (9, 3), (21, 2)])
def test_boots_of_one_source_are_called_the_same(draw, at_most, boots):
    random_numbers = random.Random(1)
    draws = 10_000
    wrong = 0
    for _ in range(draws):
        base, variant = ([round(draw(random_numbers)) for _ in range(count)] for count in boots)
        wrong += separation(base, variant) is not Verdict.SAME
    assert wrong / draws < at_most
