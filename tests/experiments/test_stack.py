# SPDX-License-Identifier: MIT
"""Stacking: greedy, late ones again, each left out once."""

from __future__ import annotations

import zlib

import msgspec
import pytest

from bootlab.analysis.sequential_test import design
from bootlab.experiments.base import with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.stack import Stacker
from bootlab.experiments.trials import try_all
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Effect, Verdict
from tests.experiments.fake_bench import MS, FakeTarget, FakeTechnique, additive, base_of


@pytest.fixture
def stack(tmp_path):
    def run(cost, *techniques, jobs=2):
        target = FakeTarget(cost)
        seen = []
        with Bench(target, tmp_path, jobs=jobs) as bench:
            base = base_of(bench)
            tried = try_all(bench, base, techniques)
            stacked = Stacker(bench, base, techniques, sink=seen.append).run(tried.trials)
        assert len(target.booted) == len(set(target.booted)), "no system is booted twice"
        return stacked, seen

    return run


def ids(changes):
    return [c.id for c in changes]


def named(*names, **facts):
    return tuple(FakeTechnique(n, **facts) for n in names)


@pytest.mark.telling("stack")
@pytest.mark.parametrize("jobs", [1, 2])
def test_costs_that_add_up(stack, jobs):
    stacked, seen = stack(additive(100, a=10, b=30, c=-5), *named("a", "b", "c"), jobs=jobs)
    assert ids(stacked.changes) == ["b", "a"], "the largest saving first; what loses is not tried"
    assert stacked.recording.meta.goal_ns == 60 * MS
    assert [(s.change.id, s.before_ns, s.after_ns, s.kept) for s in stacked.steps] == [
        ("b", 100 * MS, 70 * MS, True), ("a", 70 * MS, 60 * MS, True)
    ]  # fmt: skip
    assert [(r.change_id, r.cost_ns, r.kept) for r in stacked.left_out] == [("b", 30 * MS, True), ("a", 10 * MS, True)]
    assert seen == [*stacked.steps, *stacked.left_out]


def test_what_brings_nothing_on_top_of_another(stack):
    def cost(params):
        return 100 - (30 if "a" in params else 20 if "b" in params else 0)

    stacked, _ = stack(cost, *named("a", "b"))
    assert ids(stacked.changes) == ["a"]
    assert stacked.steps[1].reason == "no gain on top of the others"


def test_one_boot_that_is_far_behind_is_not_called_the_same(stack):
    def cost(params):
        return 100 - (30 if "a" in params else 20 if "b" in params else 0) + (44 if {"a", "b"} <= params else 0)

    stacked, _ = stack(cost, *named("a", "b"))
    assert ids(stacked.changes) == ["a"]
    assert stacked.steps[1].verdict in {Verdict.UNKNOWN, Verdict.SLOWER}


def test_a_combination_that_breaks(stack):
    stacked, _ = stack(
        lambda p: Outcome.PANIC if {"a", "b"} <= p else additive(100, a=30, b=20, c=10)(p), *named("a", "b", "c")
    )
    assert ids(stacked.changes) == ["a", "c"]
    (broken,) = [s for s in stacked.steps if not s.kept]
    assert (broken.change.id, broken.after_ns) == ("b", None)
    assert "panic" in broken.reason
    assert broken.saved_ns == 0


def test_conflicts_and_variants_of_one_technique(stack):
    techniques = (
        FakeTechnique("a", conflicts=("b",)),
        FakeTechnique("b"),
        FakeTechnique("v", labels=("1", "2")),
        FakeTechnique("w", labels=("1", "2"), exclusive=False),
    )
    stacked, _ = stack(additive(200, a=50, b=40, v1=30, v2=20, w1=10, w2=5), *techniques)
    assert ids(stacked.changes) == ["a", "v:1", "w:1", "w:2"]
    said = {s.change.id: s.reason for s in stacked.steps if not s.kept}
    assert said == {"b": "it excludes a, which is in the stack", "v:2": "v:1 is in the stack already"}


def test_a_late_one_is_tried_again(stack):
    def cost(params):
        # "late" loses alone and wins once "a" is there: its sign turns.
        return 100 - (30 if "a" in params else 0) + (-8 if {"a", "late"} <= params else 2 if "late" in params else 0)

    stacked, _ = stack(cost, FakeTechnique("a"), FakeTechnique("late", late=True))
    assert ids(stacked.changes) == ["a", "late"]
    assert [(s.change.id, s.phase) for s in stacked.steps if s.kept] == [("a", "greedy"), ("late", "late")]


def test_a_late_variant_takes_the_place_of_its_sibling(stack):
    def cost(params):
        return (
            100
            - (30 if "a" in params else 0)
            - ((9 if "a" in params else 1) if "v2" in params else 5 if "v1" in params else 0)
        )

    stacked, _ = stack(cost, FakeTechnique("a"), FakeTechnique("v", labels=("1", "2"), late=True))
    assert ids(stacked.changes) == ["a", "v:2"]


def test_a_late_one_that_lost_too_much_is_not_tried_again(stack):
    stacked, _ = stack(additive(100, a=30, late=-90), FakeTechnique("a"), FakeTechnique("late", late=True))
    (hopeless,) = [s for s in stacked.steps if s.change.id == "late"]
    assert not hopeless.kept
    assert "too much to be worth another try" in hopeless.reason


def test_leave_one_out_drops_what_has_become_moot(stack):
    def cost(params):
        # "first" wins most alone; "b" and "c" together do all of its work.
        if {"b", "c"} <= params:
            return 60
        return 100 - (25 if "first" in params else 0) - (10 if "b" in params else 0) - (10 if "c" in params else 0)

    stacked, _ = stack(cost, *named("first", "b", "c"))
    assert ids(stacked.changes) == ["b", "c"]
    assert stacked.recording.meta.cmdline == "base b c"
    (moot,) = [r for r in stacked.left_out if not r.kept]
    assert (moot.change_id, moot.cost_ns) == ("first", 0)


def test_two_of_which_either_will_do_do_not_both_go(stack):
    def cost(params):
        # Either of "a" and "b" is enough once "c" is there.
        if "c" in params:
            return 50 if {"a", "b"} & params else 75
        return 100 - (10 if "a" in params else 0) - (8 if "b" in params else 0)

    stacked, seen = stack(cost, FakeTechnique("a"), FakeTechnique("b"), FakeTechnique("c", late=True, labels=("",)))
    assert stacked.recording.meta.goal_ns == 50 * MS
    assert {r.change_id for r in stacked.left_out if r.kept} == set(ids(stacked.changes))
    assert isinstance(seen[-1], LeaveOneOut)


def test_a_check_that_changes_breaks(tmp_path):
    target = FakeTarget(additive(100, a=50))
    target.check = lambda params: "other" if "a" in params else "same"
    with Bench(target, tmp_path) as bench:
        base = base_of(bench)
        (trial,) = try_all(bench, base, named("a")).trials
        stacked = Stacker(bench, base, named("a")).run((trial,))
    assert trial.verdict.value == "broken"
    assert stacked.changes == ()
    assert stacked.recording.meta.goal_ns == 100 * MS


def test_a_boot_that_the_host_ended_can_be_written_down(tmp_path):
    def cost(params):
        target.host_limit = params & {"a", "b", "c"} == {"a", "c"}
        return Outcome.TIME_LIMIT if target.host_limit else additive(100, a=20, b=30, c=10)(params)

    target = FakeTarget(cost)
    with Bench(target, tmp_path, jobs=1) as bench:
        base = base_of(bench)
        techniques = named("a", "b", "c")
        stacked = Stacker(bench, base, techniques).run(try_all(bench, base, techniques).trials)
    (lost,) = [row for row in stacked.left_out if row.change_id == "b"]
    assert lost.kept
    assert b"time-limit" in msgspec.json.encode(lost.reason), "a kind of text of its own cannot be encoded"


def test_nothing_to_stack(stack):
    stacked, seen = stack(additive(100), *named("a"))
    assert (stacked.changes, stacked.steps, stacked.left_out, seen) == ((), (), (), [])


def test_every_step_shows_its_effect_against_the_stack_before(tmp_path):
    class Absorbed(FakeTechnique):
        """Shows its effect on the base, and none once "a" is there."""

        def took_effect(self, before, after):
            assert self.id not in {p.key for p in before.system.cmdline.params}, "the stack before it, not the base"
            return Effect("a" not in {p.key for p in before.system.cmdline.params}, "the same line as before")

    techniques = (FakeTechnique("a"), Absorbed("b"))
    with Bench(FakeTarget(additive(100, a=30, b=20)), tmp_path) as bench:
        base = base_of(bench)
        stacked = Stacker(bench, base, techniques).run(try_all(bench, base, techniques).trials)
    assert ids(stacked.changes) == ["a"]
    (missed,) = [s for s in stacked.steps if not s.kept]
    assert missed.verdict is Verdict.NO_EFFECT
    assert "no proof of effect on top of the others: the same line as before" in missed.reason
    assert stacked.steps[0].effect == Effect(True, "seen")


def test_the_final_system_and_every_step_say_how_many_boots_they_rest_on(stack):
    stacked, _ = stack(additive(100, a=10, b=30), *named("a", "b"))
    assert [(s.before.boots, s.after.boots) for s in stacked.steps] == [(5, 5), (5, 5)]
    assert len(stacked.boots) == 6
    assert all(row.spread.boots == 4 for row in stacked.left_out)


def test_what_costs_more_than_the_range_is_left_out_in_one_boot(tmp_path):
    class Scattering(FakeTarget):
        def boot(self, plan, folder, **rest):
            # Up to 2 ms, another for each boot.
            cost = additive(100, a=30, b=20)
            self.cost = lambda params: cost(params) + zlib.crc32(plan.key.encode()) % 200 / 100
            return super().boot(plan, folder, **rest)

    techniques = named("a", "b")
    with Bench(Scattering(additive(100)), tmp_path, jobs=1) as bench:
        base = with_dithers(bench, base_of(bench), design(21))
        stacked = Stacker(bench, base, techniques).run(try_all(bench, base, techniques).trials)
    assert ids(stacked.changes) == ["a", "b"]
    assert [(row.kept, row.verdict, row.spread.boots) for row in stacked.left_out] == [(True, Verdict.SLOWER, 1)] * 2
    assert len(stacked.boots) == 5


def test_a_system_that_scatters_keeps_nothing_by_luck(tmp_path):
    class Scattering(FakeTarget):
        def boot(self, plan, folder, **rest):
            # Every boot of a key of its own comes anywhere in 10 ms.
            self.cost = lambda _params: 100 + zlib.crc32(plan.key.encode()) % 1000 / 100
            return super().boot(plan, folder, **rest)

    techniques = named(*(f"t{n}" for n in range(20)))
    with Bench(Scattering(additive(100)), tmp_path, jobs=1) as bench:
        base = base_of(bench)
        tried = try_all(bench, base, techniques)
        stacked = Stacker(bench, base, techniques).run(tried.trials)
    assert [t.verdict for t in tried.trials].count(Verdict.FASTER) == 0
    assert stacked.changes == ()
