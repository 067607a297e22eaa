# SPDX-License-Identifier: MIT
"""The search on fake boots: groups, halving, late ones, rivals, what is masked, budgets; nothing is booted twice."""

from __future__ import annotations

import os
import signal

import msgspec
import pytest

from bootlab import techniques
from bootlab.errors import ProgramBuildError
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.experiments.selection import Selection
from bootlab.model.change import Change, PutFile, SetMachine, SetParam
from bootlab.model.plan import PHASES, phase_of
from bootlab.model.recording import Outcome
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Risk
from tests.experiments.fake_bench import MS, FakeTarget, FakeTechnique, additive, base_of


class Remembering:
    """A journal that only remembers."""

    def __init__(self):
        self.steps, self.rounds = [], []

    def base(self, base):
        pass

    def step(self, step):
        self.steps.append(step)

    def quanta(self, goals):
        pass

    def round(self, name, before_ns):
        self.rounds.append(name)


@pytest.fixture
def run(tmp_path, monkeypatch):
    def search(cost, *own, jobs=1, edit=lambda plan: plan, **wishes):
        by_id = {one.id: one for one in own}
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", by_id.__getitem__)
        target, journal = FakeTarget(cost), Remembering()
        with Bench(target, tmp_path, jobs=jobs) as bench:
            base = base_of(bench)
            plan, _ = plan_of(base, Wishes(**wishes), jobs=jobs)
            found = optimize(bench, base, edit(plan), journal)
        assert len(target.booted) == len(set(target.booted)), "no system is booted twice"
        return found, journal, target

    return search


def ids(found):
    return sorted(change.id for change in found.stacked.changes)


def named(*names, **facts):
    return tuple(FakeTechnique(name, **facts) for name in names)


@pytest.mark.parametrize("jobs", [1, 2])
def test_everything_that_helps_is_taken_at_once(run, jobs):
    names = [f"t{n}" for n in range(12)]
    found, journal, _ = run(additive(1000, **dict.fromkeys(names, 10)), *named(*names), jobs=jobs)
    assert ids(found) == sorted(names)
    assert found.stacked.recording.meta.goal_ns == 880 * MS
    assert len([s for s in journal.steps if getattr(s, "kept", False) and hasattr(s, "phase")]) == 1
    assert all(row.cost_ns == 10 * MS for row in found.stacked.left_out), "each one is proved by leaving it out"


def test_what_loses_in_a_group_is_found_by_leaving_it_out(run):
    found, _, _ = run(additive(1000, a=500, b=-20, c=30), *named("a", "b", "c"))
    assert ids(found) == ["a", "c"]
    assert found.stacked.recording.meta.goal_ns == 470 * MS


def test_what_breaks_is_found_by_halving(run):
    names = [f"t{n}" for n in range(16)]
    cost = additive(1000, **dict.fromkeys(names, 10))
    found, journal, _ = run(lambda p: Outcome.PANIC if "t11" in p else cost(p), *named(*names))
    assert ids(found) == sorted(set(names) - {"t11"})
    (alone,) = [s for s in journal.steps if hasattr(s, "phase") and s.change.id == "t11"]
    assert "panic" in alone.reason
    assert not alone.kept


def test_two_that_break_only_together(run):
    cost = additive(1000, a=50, b=40, c=30, d=20)
    found, _, _ = run(lambda p: Outcome.HANG if {"a", "c"} <= p else cost(p), *named("a", "b", "c", "d"))
    assert ids(found) == ["a", "b", "d"]


def test_one_without_an_effect_does_not_hold_up_the_others(run):
    own = (*named("a", "b", "c"), FakeTechnique("dud", shown=False))
    found, journal, _ = run(additive(1000, a=50, b=40, c=30), *own)
    assert ids(found) == ["a", "b", "c"]
    said, *_ = [s for s in journal.steps if hasattr(s, "phase") and s.change.id == "dud"]
    assert "no effect shown: nothing to be seen" in said.reason


def test_one_whose_ground_another_took_is_offered_again_on_what_stands(run):
    """In the group its proof fails; alone on what stands it shows its effect and saves time."""

    class Masked(FakeTechnique):
        """Shows its effect only where the change whose ground it shares stands already."""

        def took_effect(self, before, after):
            return Effect(before.system.cmdline.has("b"), "seen or masked")

    own = (*named("a", "b"), Masked("m"))
    found, _, _ = run(additive(1000, a=50, b=40, m=30), *own)
    assert ids(found) == ["a", "b", "m"]


def test_a_pair_of_which_each_alone_does_nothing(run):
    """A technique that helps only with another: in the group they meet."""

    def cost(params):
        return 1000 - (200 if {"a", "b"} <= params else 0) - (50 if "c" in params else 0)

    found, _, _ = run(cost, *named("a", "b", "c", "d"))
    assert ids(found) == ["a", "b", "c"]
    costs = {row.change_id: row.cost_ns for row in found.stacked.left_out if row.kept}
    assert costs["a"] == costs["b"] == 200 * MS


def test_one_that_loses_alone_and_wins_on_what_stands(run):
    class Dear(FakeTechnique):
        """Its change builds nothing, but its phase comes last."""

    def cost(params):
        return 1000 - (300 if "a" in params else 0) + (-40 if {"a", "v2"} <= params else 30 if "v2" in params else 0)

    found, _, _ = run(cost, FakeTechnique("a"), Dear("v", labels=("1", "2")))
    assert ids(found) == ["a", "v:2"]


def test_of_variants_the_fastest_stays(run):
    own = FakeTechnique("v", labels=("1", "2", "3"))
    found, _, _ = run(additive(1000, v1=10, v2=40, v3=20), own, jobs=2)
    assert ids(found) == ["v:2"]


def test_of_two_that_exclude_each_other_the_faster_stays(run):
    own = (FakeTechnique("a", conflicts=("b",)), FakeTechnique("b"), FakeTechnique("c"))
    found, _, _ = run(additive(1000, a=10, b=60, c=5), *own)
    assert ids(found) == ["b", "c"]


def test_what_costs_security_is_neither_taken_nor_booted(run):
    own = (FakeTechnique("a"), FakeTechnique("unsafe", risk=Risk(security="less")))
    found, _, target = run(additive(1000, a=10, unsafe=500), *own)
    assert ids(found) == ["a"]
    assert not any("unsafe" in line for line in target.booted)
    found, _, _ = run(additive(1000, a=10, unsafe=500), *own, selection=Selection(allow=frozenset({"security"})))
    assert ids(found) == ["a", "unsafe"]


def test_an_edited_plan_is_obeyed(run):
    def edit(plan):
        (phase,) = plan.phases
        one = tuple(msgspec.structs.replace(t, take=t.id != "b") for t in phase.techniques)
        return msgspec.structs.replace(plan, phases=(msgspec.structs.replace(phase, techniques=one),))

    found, _, target = run(additive(1000, a=10, b=500), *named("a", "b"), edit=edit)
    assert ids(found) == ["a"]
    assert not any(" b" in line for line in target.booted)


def test_a_budget_that_is_used_up_ends_in_what_is_proved(run):
    found, journal, _ = run(additive(1000, a=10, b=500), *named("a", "b"), budget_s=1e-9)
    assert ids(found) == []
    assert found.stacked.recording.meta.goal_ns == 1000 * MS
    assert journal.rounds == []
    left = {step.change.id: step.reason for step in journal.steps}
    assert left == dict.fromkeys(("a", "b"), "the time budget is used up"), "what was not begun is said"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_variant_that_cannot_be_built_is_an_answer_and_no_end(run, monkeypatch, jobs):
    """With two jobs, variants are built ahead of their turn."""
    plan = FakeTarget.plan

    def refusing(target, system, purpose="timing"):
        if "libc2" in {str(p) for p in system.cmdline.params}:
            raise ProgramBuildError("the application does not build")
        return plan(target, system, purpose)

    monkeypatch.setattr(FakeTarget, "plan", refusing)
    libc = FakeTechnique("libc", exclusive=True, labels=("1", "2", "3"))
    found, journal, _ = run(additive(1000, a=10, libc1=20, libc3=40), *named("a"), libc, jobs=jobs)
    assert ids(found) == ["a", "libc:3"]
    said = [s.reason for s in journal.steps if hasattr(s, "phase") and s.change.id == "libc:2"]
    assert said == ["cannot be built on top of the others: the application does not build"]


def test_a_signal_ends_the_tries_and_what_stands_is_left_out_once(run):
    before, asked = signal.getsignal(signal.SIGUSR1), []
    cost = additive(1000, a=10, b=500, c=20, **dict.fromkeys(("x1", "x2", "y1", "y2"), 100))

    def asking(params):
        if "x1" in params and not asked:
            asked.append(os.kill(os.getpid(), signal.SIGUSR1))
        return cost(params)

    rivals = [FakeTechnique(name, exclusive=True, labels=("1", "2")) for name in "xy"]
    found, _, target = run(asking, *named("a", "b", "c"), *rivals)
    assert asked
    assert set("abc") <= set(ids(found)) <= {"a", "b", "c", "x:1"}, "what is under way is finished, and may stay"
    costs = {row.change_id: row.cost_ns for row in found.stacked.left_out}
    assert {one: costs[one] for one in "abc"} == {"a": 10 * MS, "b": 500 * MS, "c": 20 * MS}
    assert not any("y1" in line for line in target.booted), "the next ones are not tried"
    assert signal.getsignal(signal.SIGUSR1) == before


def test_the_waterfall_leads_from_the_base_to_the_result(run):
    found, _, _ = run(additive(1000, a=10, b=500, c=30), *named("a", "b", "c"))
    assert found.waterfall[0].before_ns == 1000 * MS
    assert found.waterfall[-1].after_ns == found.stacked.recording.meta.goal_ns
    assert sum(bar.saved_ns for bar in found.waterfall) == 540 * MS


def test_every_decision_is_said(run, monkeypatch):
    said = []
    monkeypatch.setattr(Bench, "decided", lambda _bench, text: said.append(text))
    run(additive(1000, a=100, b=-500, c=30), *named("a", "b", "c"))
    assert any(text.startswith("  kept ") and "a" in text for text in said)
    assert any(text.startswith("  not kept b: ") for text in said)
    assert any(text.startswith("  without a: +100.000 ms; it stays") for text in said)


def test_without_a_trace_there_is_no_floor_but_its_reason(run):
    found, _, _ = run(additive(1000, a=100), *named("a"))
    assert found.floor is None
    assert found.no_floor.startswith("no floor: ")


def test_nothing_helps(run):
    found, _, _ = run(additive(1000, a=-10), *named("a", "b"))
    assert ids(found) == []
    assert found.waterfall == ()


def test_phases_are_those_of_what_is_made_anew():
    changes = {one.id: one for one in named("a")}["a"].changes(None)
    assert phase_of(changes) == PHASES[0]


class InAnotherPhase(FakeTechnique):
    """Its change belongs to the machine: that phase comes behind the command line."""

    def changes(self, context):
        ops = (SetMachine(memory_mib=context.system.machine.memory_mib), SetParam(self.id))
        return (Change(technique=self.id, ops=ops),)


def test_a_late_one_that_lost_is_tried_again_when_what_turns_its_sign_stands(run):
    """As a compression: it loses on the base, and wins where another phase has taken the ground from the loss."""

    def cost(params):
        late = (-30 if "turn" in params else 20) if "late" in params else 0
        return 1000 - (100 if "turn" in params else 0) + late

    found, journal, _ = run(cost, FakeTechnique("late", late=True), InAnotherPhase("turn"))
    assert ids(found) == ["late", "turn"]
    offered = [s for s in journal.steps if hasattr(s, "phase") and s.change.id == "late"]
    assert [(s.phase, s.kept) for s in offered] == [("command line", False), ("again 2", True)]
    assert offered[0].after_ns - offered[0].before_ns == 20 * MS


def test_two_of_different_phases_that_help_only_together(run):
    def cost(params):
        return 1000 - (200 if {"a", "b"} <= params else 0)

    found, journal, _ = run(cost, FakeTechnique("a"), InAnotherPhase("b"))
    assert ids(found) == ["a", "b"]
    kept = [s.phase for s in journal.steps if hasattr(s, "phase") and s.kept]
    assert kept == ["again 2"]
    costs = {row.change_id: row.cost_ns for row in found.stacked.left_out}
    assert costs == {"a": 200 * MS, "b": 200 * MS}


@pytest.mark.parametrize("names", [("a", "b", "x", "y"), ("x", "a", "y", "b")])
def test_a_gain_that_a_loss_hides_in_its_group_is_found(run, names):
    """Together they come to nothing; nothing in the log told that one of them saves."""
    found, _, _ = run(additive(1000, a=30, x=-30), *named(*names))
    assert ids(found) == ["a"]
    assert found.stacked.recording.meta.goal_ns == 970 * MS


def test_what_does_not_show_beside_another_is_not_booted_with_it(run):
    """As printk's stamps: where `quiet` stands there is no line that could lose one."""
    found, journal, target = run(
        additive(1000, a=100, q=50, h=1), *named("a", "q"), FakeTechnique("h", hidden_by=("q",))
    )
    assert ids(found) == ["a", "q"]
    assert not any("h" in line.split() for line in target.booted)
    assert {s.reason for s in journal.steps if hasattr(s, "phase") and s.change.id == "h"} == {
        "nothing of it shows beside q"
    }


def test_two_that_write_one_file_are_not_offered_together(run, monkeypatch):
    """The second would undo the first; on what stands afterwards it is made anew."""

    class Writing(FakeTechnique):
        def changes(self, context):
            own = super().changes(context)[0]
            file = PutFile("/etc/init.d/rcS", Entry(kind="file", text=self.id))
            return (msgspec.structs.replace(own, ops=(*own.ops, file)),)

    found, journal, _ = run(additive(1000, a=100, v=50, w=30), *named("a"), Writing("v"), Writing("w"))
    groups = [{change.id for change in s.changes} for s in journal.steps if hasattr(s, "phase") and s.key]
    assert groups[0] == {"a"} or not {"v", "w"} <= groups[0]
    assert ids(found) == ["a", "v", "w"]
    assert found.stacked.recording.meta.goal_ns == 820 * MS


def test_the_stack_is_not_booted_again_for_what_is_as_fast_without(run):
    """One boot that lies among those of the stack is enough: what nothing proves useful does not stay."""
    names = [f"t{n:02}" for n in range(16)]
    cost = additive(1000, **dict.fromkeys(names, 10))
    found, _, target = run(cost, *named(*names, "idle"))
    assert ids(found) == names
    whole = [line for line in target.booted if {*names, "idle"} <= set(line.split())]
    assert len(whole) <= 5, "as many as its range takes, not as many as the base has"
    assert len([line for line in target.booted if set(line.split("(")[0].split()) == {"base", *names}]) <= 5
