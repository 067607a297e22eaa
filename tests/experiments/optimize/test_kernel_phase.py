# SPDX-License-Identifier: MIT
"""When kernels are built: the shrunk one first, and none to leave out what cost a whole kernel to prove."""

from __future__ import annotations

import msgspec
import pytest

from bootlab import techniques
from bootlab.experiments.bench import Bench
from bootlab.experiments.ending import Tries
from bootlab.experiments.optimize import search
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.shrinking import Shrinking, UnusedOptions
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.system import Kernel, KernelBuild
from bootlab.model.verdict import Effect
from tests.experiments.fake_bench import SYSTEM, FakeTarget, FakeTechnique, additive
from tests.experiments.optimize.test_search import Remembering

BUILT = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild()))


class BuildingTarget(FakeTarget):
    """Options of a kernel cost what parameters of their name cost; `built`: kernels, in their order."""

    def __init__(self, cost):
        super().__init__(cost)
        self.built = []

    def plan(self, system, purpose="timing") -> BootPlan:
        build = system.kernel.build
        off = tuple(sorted({name for change in build.changes for name, value in change if value == "n"}))
        if off not in self.built:
            self.built.append(off)
        cmdline = system.cmdline
        for name in off:
            cmdline = cmdline.with_param(f"no-{name}")
        return super().plan(msgspec.structs.replace(system, cmdline=cmdline), purpose)


class Option(FakeTechnique):
    """Leaves out an option of its name."""

    builds = True

    def changes(self, context):
        return (Change(technique=self.id, ops=(SetKernelOptions(((self.id, "n"),)),)),)


class Shown(UnusedOptions):
    """With a proof that needs no image."""

    def took_effect(self, before, after):
        return Effect(True, "seen")


@pytest.fixture
def run(tmp_path, monkeypatch):
    def searched(cost, *own, spent=False, **wishes):
        by_id = {one.id: one for one in own}
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", by_id.__getitem__)
        change = Change(technique="unused-options", ops=(SetKernelOptions((("X", "n"), ("Y", "n"))),))
        found = Shrinking(technique=Shown(("X", "Y")), change=change, dropped=("X", "Y"), kept={}, asked=1)
        monkeypatch.setattr(search, "shrink_kernel", lambda *_args, **_rest: found)
        target, journal = BuildingTarget(cost), Remembering()
        with Bench(target, tmp_path, jobs=1) as bench:
            base = search.establish(bench, BUILT)
            plan, _ = plan_of(base, Wishes(shrink=True, **wishes), jobs=1)
            tries = Tries(bench, None)
            one = search._Search(bench, base, plan, journal, tries)
            if spent:
                whole = one._stacker.leave_one_out
                monkeypatch.setattr(
                    one._stacker,
                    "leave_one_out",
                    lambda *args, **rest: [tries.end(), whole(*args, **rest)][1],
                )
            result = one.run()
        return result, journal, target

    return searched


COST = additive(1000, **{"a": 100, "no-A": 50, "no-B": 40, "no-C": 0, "no-X": 200, "no-Y": 100})


def test_the_kernel_is_shrunk_before_any_other_is_built(run):
    found, journal, target = run(COST, FakeTechnique("a"), Option("A"), Option("B"))
    assert journal.rounds[:4] == ["command line", "unused kernel options", "again on the shrunk kernel", "kernel"]
    assert target.built[1] == ("X", "Y"), "the first kernel that is built is the small one"
    assert all({"X", "Y"} <= set(off) for off in target.built[1:])
    assert sorted(change.technique for change in found.stacked.changes) == ["A", "B", "a", "unused-options"]


class Waiting(FakeTechnique):
    """Nothing waits for it in the whole kernel, and the proof says so."""

    def took_effect(self, before, after):
        return Effect(
            any(("X", "n") in change for change in after.system.kernel.build.changes), "seen on the small kernel only"
        )


def test_what_had_no_effect_is_offered_again_on_the_shrunk_kernel(run):
    """As calibrating a timer, which the small kernel does and the whole one did not."""

    def cost(params):
        return COST(params) - (5 if "w" in params else 0) - (150 if {"w", "no-X"} <= params else 0)

    found, journal, _ = run(cost, FakeTechnique("a"), Waiting("w"), Option("A"))
    assert "w" in {change.technique for change in found.stacked.changes}
    (kept,) = [s for s in journal.steps if getattr(s, "phase", "") and s.kept and s.change.technique == "w"]
    assert kept.phase == "again on the shrunk kernel"


def test_what_needs_a_build_is_left_out_last(run):
    """Where the time ends, what only boots has been left out."""
    found, _, _ = run(COST, Option("A"), FakeTechnique("a"), Option("B"))
    rows = [row.change_id.partition(":")[0] for row in found.stacked.left_out]
    assert rows[0] == "a"
    assert set(rows[1:]) == {"A", "B", "unused-options"}
    assert all(row.kept for row in found.stacked.left_out)


def test_the_shrunk_kernel_is_not_left_out_once_more(run):
    found, _, _ = run(COST, FakeTechnique("a"), Option("A"))
    rows = {row.change_id.partition(":")[0]: row for row in found.stacked.left_out}
    assert rows["unused-options"].kept
    assert rows["unused-options"].cost_ns is None
    assert "that would build the full kernel" in rows["unused-options"].reason
    assert rows["A"].cost_ns == 50_000_000
    assert rows["a"].cost_ns == 100_000_000


def test_an_option_that_saves_nothing_is_built_once(run):
    _, journal, target = run(COST, FakeTechnique("a"), Option("C"), rounds=3)
    assert target.built == [(), ("X", "Y"), ("C", "X", "Y")]
    (offered,) = [s for s in journal.steps if hasattr(s, "phase") and [c.id for c in s.changes] == ["C"]]
    assert not offered.kept


def test_without_time_left_no_kernel_is_built_to_leave_one_out(run):
    found, _, target = run(COST, FakeTechnique("a"), Option("A"), Option("B"), spent=True)
    rows = {row.change_id.partition(":")[0]: row for row in found.stacked.left_out}
    assert "SIGUSR1 ended the search" in rows["A"].reason
    assert rows["A"].kept
    assert rows["a"].cost_ns == 100_000_000, "what needs no build is left out all the same"
    assert ("B", "X", "Y") not in target.built
