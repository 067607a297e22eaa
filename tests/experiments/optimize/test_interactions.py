# SPDX-License-Identifier: MIT
"""A technique that helps only with another: noticed, and the other one named by halving the way to the result."""

from __future__ import annotations

import pytest

from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.interactions import with_partners
from bootlab.experiments.optimize.waterfall import waterfall
from bootlab.model.change import Change, SetParam, apply_all
from bootlab.model.recording import Outcome
from bootlab.model.waterfall import Bar
from tests.experiments.fake_bench import MS, FakeTarget, base_of

NAMES = tuple("abcdefgh")
CHANGES = tuple(Change(technique=name, ops=(SetParam(name),)) for name in NAMES)


@pytest.fixture
def partners(tmp_path):
    """Return which change works together with which, and how many boots that took."""

    def found(cost, changes=CHANGES):
        target = FakeTarget(cost)
        with Bench(target, tmp_path, jobs=1) as bench:
            base = base_of(bench)
            bars = waterfall(bench, base, changes)
            whole_ns = bars[-1].after_ns
            costs = {}
            for one in changes:
                without = bench.boot(apply_all(base.system, tuple(c for c in changes if c is not one)), "without")
                costs[one.id] = None if without.meta.goal_ns is None else without.meta.goal_ns - whole_ns
            before = len(target.booted)
            made = with_partners(bench, base, changes, bars, costs)
        return {bar.changes[0]: bar.partner for bar in made if bar.partner}, len(target.booted) - before

    return found


def each(params, ms=10):
    return 1000 - ms * len(params)


@pytest.mark.parametrize("other", ["b", "d", "f", "h"])
def test_one_that_helps_only_with_a_later_one(partners, other):
    named, boots = partners(lambda params: each(params) - (200 if {"a", other} <= params else 0))
    assert named == {"a": (other,)}
    assert boots <= 3


def test_two_that_save_the_same(partners):
    named, _ = partners(lambda params: each(params) - (200 if {"c", "g"} & params else 0))
    assert named == {"c": ("g",)}


def test_changes_that_have_nothing_to_do_with_each_other_take_no_boot(partners):
    assert partners(each) == ({}, 0)


def test_where_the_systems_between_do_not_work_none_is_named(partners):
    """Without `a` nothing up to `e` boots."""

    def cost(params):
        if "a" not in params and "b" in params and not {"b", "f", "g", "h"} <= params:
            return Outcome.PANIC
        return each(params) - (200 if {"a", "h"} <= params else 0)

    assert partners(cost)[0] == {}


def test_a_bar_says_whether_its_place_matters():
    bar = Bar(changes=("a",), before_ns=500 * MS, after_ns=400 * MS)
    assert bar.differs(200 * MS)
    assert bar.differs(50 * MS)
    assert not bar.differs(110 * MS)
    assert not Bar(changes=("a",), before_ns=MS, after_ns=None).differs(200 * MS)
