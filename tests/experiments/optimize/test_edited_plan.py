# SPDX-License-Identifier: MIT
"""A plan that a person edited: the search does what it says, in its order, and says what came of each technique."""

from __future__ import annotations

import msgspec
import pytest

from bootlab import techniques
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize import planning
from bootlab.experiments.optimize import search as searching
from bootlab.experiments.optimize.planning import Expected, Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.model.plan import PlannedPhase, PlannedTechnique
from bootlab.techniques.base import Applies
from tests.experiments.fake_bench import MS, FakeTarget, FakeTechnique, additive, base_of
from tests.experiments.optimize.test_search import Remembering

GAINS = {"a": 30, "b": 20, "c": 10}


class OnlyWithoutA(FakeTechnique):
    """Applies to the base, and no longer once "a" stands."""

    def applies(self, context):
        return Applies.no("`a` does it already") if context.system.cmdline.has("a") else Applies.yes("always")


@pytest.fixture
def search(tmp_path, monkeypatch):
    def expected(_base, changes):
        return {one: Expected(gain_ns=GAINS[one] * MS, basis="told") for one in changes if one in GAINS}

    monkeypatch.setattr(planning, "expected_gains", expected)
    monkeypatch.setattr(searching, "expected_gains", expected)

    def run(edit, *own, rounds=1):
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", {one.id: one for one in own}.__getitem__)
        journal = Remembering()
        with Bench(FakeTarget(additive(1000, **GAINS)), tmp_path, jobs=1) as bench:
            base = base_of(bench)
            plan, _ = plan_of(base, Wishes(rounds=rounds), jobs=1)
            optimize(bench, base, edit(plan), journal)
        return [step for step in journal.steps if hasattr(step, "phase")]

    return run


def in_order(*names):
    def edit(plan):
        (phase,) = plan.phases
        by_id = {one.id: one for one in phase.techniques}
        ordered = tuple(by_id[name] for name in names)
        return msgspec.structs.replace(plan, phases=(msgspec.structs.replace(phase, techniques=ordered),))

    return edit


def tried(steps):
    return [[change.id for change in step.changes] for step in steps]


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")])
def test_techniques_are_tried_in_the_order_of_the_file(search, order):
    assert tried(search(in_order(*order), *map(FakeTechnique, "abc"))) == [list(order)]


def test_a_technique_that_was_removed_is_not_tried(search):
    assert tried(search(in_order("a", "c"), *map(FakeTechnique, "abc"))) == [["a", "c"]]


@pytest.mark.parametrize(
    ("gains", "reordered"),
    [
        ((3, 2, 1), False),
        ((3, None, None), False),
        ((None, 3), True),
        ((1, 3), True),
        ((None, None), False),
        ((), False),
    ],
)
def test_another_order_is_told_from_that_of_the_gains(gains, reordered):
    those = tuple(PlannedTechnique(id=f"t{n}", gain_ns=gain) for n, gain in enumerate(gains))
    assert PlannedPhase(name="kernel", techniques=those).reordered is reordered
    out = PlannedTechnique(id="out", take=False)
    assert PlannedPhase(name="kernel", techniques=(out, *those)).reordered is reordered


def test_what_does_not_apply_to_what_stands_says_so(search):
    """It was planned, so its user looks for it in the report."""

    def later(plan):
        (phase,) = plan.phases
        first, last = (tuple(t for t in phase.techniques if (t.id == "a") is here) for here in (True, False))
        return msgspec.structs.replace(
            plan, phases=tuple(msgspec.structs.replace(phase, techniques=those) for those in (first, last))
        )

    steps = search(later, FakeTechnique("a"), OnlyWithoutA("b"))
    (said,) = [step for step in steps if step.change.technique == "b"]
    assert said.reason == "it does not apply to what stands: `a` does it already"
    assert not said.kept


def test_the_floor_hears_what_was_tried_in_vain(search, monkeypatch):
    """It may name a technique for a part that takes long; this one was tried on this system."""
    heard = []
    monkeypatch.setattr(searching, "floor_found", lambda *words: heard.append(words[-1]) or "no floor: a test")
    search(lambda plan: plan, FakeTechnique("a"), FakeTechnique("idle"))
    assert heard == [{"idle": "no gain in the end"}]
