# SPDX-License-Identifier: MIT
"""Verdicts: broken before proof, proof before numbers."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.sequential_test import design
from bootlab.errors import KernelBuildError, MeasurementError, SourceMissing, UserError
from bootlab.experiments.base import BaseFailedError, establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.selection import Selection
from bootlab.experiments.stack import Stacker
from bootlab.experiments.trial import judge_exact, judge_free
from bootlab.experiments.trials import proposals, try_all, try_all_free, winners
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.sample import Sample
from bootlab.model.verdict import Verdict
from bootlab.techniques.base import Answer, Applies, Evidence
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget, FakeTechnique, additive, base_of, system


def recording(goal_ns=100 * MS, **meta):
    return Recording(meta=Meta(goal_ns=goal_ns, **meta), lines=(), marks=())


@pytest.mark.parametrize(
    ("after", "shown", "verdict", "said"),
    [
        ({"goal_ns": 90 * MS}, True, Verdict.FASTER, ""),
        ({"goal_ns": 110 * MS}, True, Verdict.SLOWER, ""),
        ({"goal_ns": 100 * MS - 50_000}, True, Verdict.SAME, "within 0.050 ms"),
        ({"goal_ns": 100 * MS - 50_001}, True, Verdict.FASTER, ""),
        ({"goal_ns": 50 * MS}, False, Verdict.NO_EFFECT, "nothing to be seen"),
        ({"goal_ns": None}, True, Verdict.UNKNOWN, "not known"),
        ({"goal_ns": 90 * MS, "goal_clock": "printk"}, True, Verdict.UNKNOWN, "not known"),
        ({"goal_ns": 10 * MS, "outcome": Outcome.PANIC, "reason": "no init"}, True, Verdict.BROKEN, "panic: no init"),
        ({"goal_ns": 10 * MS, "outcome": Outcome.HANG}, False, Verdict.BROKEN, "hang"),
        ({"goal_ns": 10 * MS, "check_groups": (("7",),)}, True, Verdict.BROKEN, "text changed"),
    ],
)
def test_exact(after, shown, verdict, said):
    technique = FakeTechnique("t", shown=shown)
    (change,) = technique.changes(None)
    before = Evidence(system=SYSTEM, recording=recording())
    new = Evidence(system=SYSTEM, recording=recording(**after))
    rule = design(5)
    sample = Sample(
        base=(before.recording,) * rule.base_boots, variant=(new.recording,) * rule.most_boots, dithers=("as it is",)
    )
    found = judge_exact(technique, change, before, new, sample, rule)
    assert found.trial.verdict is verdict
    assert said in found.trial.reason
    assert found.trial.base_ns == 100 * MS
    assert not found.wanted


def test_one_boot_of_each_never_tells_a_gain():
    technique = FakeTechnique("t")
    (change,) = technique.changes(None)
    before, after = (Evidence(system=SYSTEM, recording=recording(goal_ns)) for goal_ns in (100 * MS, 10 * MS))
    sample = Sample(base=(before.recording,), variant=(after.recording,), dithers=("as it is",))
    many = msgspec.structs.replace(sample, base=(before.recording,) * 21)
    asked = judge_exact(technique, change, before, after, many, design(21))
    assert asked.wanted == 1, "with a dithered base one more boot answers"
    five = msgspec.structs.replace(sample, base=(before.recording,) * 5)
    few = judge_exact(technique, change, before, after, five, design(5))
    assert few.trial.verdict is Verdict.UNKNOWN
    assert few.wanted == 2


def test_a_replay_without_dithers_calls_nothing_faster():
    technique = FakeTechnique("t")
    (change,) = technique.changes(None)
    before, after = (Evidence(system=SYSTEM, recording=recording(goal_ns)) for goal_ns in (100 * MS, 10 * MS))
    sample = Sample(base=(before.recording,), variant=(after.recording,), dithers=("as it is",))
    found = judge_exact(technique, change, before, after, sample, None)
    assert (found.trial.verdict, found.wanted) == (Verdict.UNKNOWN, 0)
    assert "no dithered boots" in found.trial.reason
    assert found.trial.saved_ns == 90 * MS


@pytest.mark.telling("broken is not faster")
def test_a_variant_that_breaks_under_a_dither_is_broken():
    technique = FakeTechnique("t")
    (change,) = technique.changes(None)
    before, after = (Evidence(system=SYSTEM, recording=recording(goal_ns)) for goal_ns in (100 * MS, 10 * MS))
    panic = recording(None, outcome=Outcome.PANIC, reason="no init")
    sample = Sample(
        base=(before.recording,) * 5, variant=(after.recording, panic), dithers=("as it is", "dither 1", "dither 2")
    )
    found = judge_exact(technique, change, before, after, sample, design(5))
    assert found.trial.verdict is Verdict.BROKEN
    assert found.trial.reason == "panic: no init (under dither 1)"


def test_try_asks_boots_and_judges(tmp_path):
    techniques = (
        FakeTechnique("a"),
        FakeTechnique("b", labels=("1", "2")),
        FakeTechnique("broken"),
        FakeTechnique("no", applies=Applies.no("not here")),
        FakeTechnique("unknown", applies=Applies.unknown("who knows")),
        FakeTechnique("idle", labels=()),
    )
    cost = additive(100, a=10, b1=20, b2=-5)
    target = FakeTarget(lambda params: Outcome.PANIC if "broken" in params else cost(params))
    seen = []
    with Bench(target, tmp_path, jobs=2) as bench:
        tried = try_all(bench, base_of(bench), techniques, sink=seen.append)
        forced, _ = proposals(base_of(bench), techniques, forced=True)
    assert {t.change.id: t.verdict for t in tried.trials} == {
        "a": Verdict.FASTER, "b:1": Verdict.FASTER, "b:2": Verdict.SLOWER, "broken": Verdict.BROKEN,
        "unknown": Verdict.SAME,
    }  # fmt: skip
    assert {t.change.id: t for t in seen} == {t.change.id: t for t in tried.trials}
    assert [t.change.id for t in tried.trials] == ["a", "b:1", "b:2", "broken", "unknown"]
    faster = tried.trials[0]
    assert faster.spread is not None
    assert faster.base_spread is not None
    assert (faster.spread.boots, faster.base_spread.boots) == (4, 6)
    assert tried.trials[4].spread.boots == 1, "what does not differ is not booted again"
    assert faster.error_rate == pytest.approx(2 / 210)
    assert [t.change.id for t in winners(tried.trials)] == ["b:1", "a"]
    said = {s.technique: s for s in tried.applicability}
    assert (said["no"].tried, said["unknown"].tried) == (False, True)
    assert said["idle"].applies.answer is Answer.NO
    assert "nothing left to change" in said["idle"].applies.reason
    assert [s.technique for s in forced if s.forced] == ["no"]


def test_a_variant_is_booted_on_before_the_last_one_is_booted_at_all(tmp_path):
    techniques = tuple(FakeTechnique(name) for name in "abcdefgh")
    target = FakeTarget(additive(100, a=10))
    with Bench(target, tmp_path, jobs=1) as bench:
        base = base_of(bench)
        tried = try_all(bench, base, techniques)
    assert [t.change.id for t in tried.trials] == list("abcdefgh")
    of_a = [number for number, line in enumerate(target.booted) if line.startswith("base a")]
    assert len(of_a) > 1
    assert of_a[-1] < target.booted.index("base h")


def test_a_change_that_changes_nothing_is_not_booted(tmp_path):
    with Bench(FakeTarget(additive(100)), tmp_path) as bench:
        base = establish(bench, system("a"))
        tried = try_all(bench, base, (FakeTechnique("a"),))
        with pytest.raises(UserError, match="nothing left to change"):
            try_all(bench, base, (FakeTechnique("a"),), forced=True)
    assert tried.trials == ()
    assert not tried.applicability[0].tried


def test_a_base_without_goal(tmp_path):
    with Bench(FakeTarget(lambda _p: Outcome.HANG), tmp_path) as bench, pytest.raises(BaseFailedError) as caught:
        base_of(bench)
    assert caught.value.exit_code == 42
    assert "hang" in caught.value.message


class Noisy:
    """A machine of the host's clock: the same jitter each time it is asked for."""

    def __init__(self, saved=0.0, drift=0.0, fail_at=()):
        self.saved, self.drift, self.fail_at, self.boots = saved, drift, fail_at, 0
        self.fails = lambda _params: True

    def __call__(self, params):
        self.boots += 1
        if self.boots in self.fail_at and self.fails(params):
            return Outcome.PANIC
        jitter = (self.boots * 7919 % 13) / 13
        return 1000 + jitter + self.drift * self.boots - (self.saved if "a" in params else 0)


@pytest.mark.parametrize(
    ("noise", "verdict"),
    [(Noisy(saved=50), Verdict.FASTER), (Noisy(saved=-50), Verdict.SLOWER), (Noisy(), Verdict.SAME)],
)
def test_free_mode(tmp_path, noise, verdict):
    with Bench(FakeTarget(noise), tmp_path, jobs=1) as bench:
        tried = try_all_free(bench, base_of(bench), (FakeTechnique("a"),), blocks=7, seed=1)
    (trial,) = tried.trials
    assert trial.verdict is verdict
    assert len(trial.samples_ns) == len(trial.base_samples_ns) == 7


def test_free_mode_is_honest_about_failures(tmp_path):
    noise = Noisy()
    with Bench(FakeTarget(noise), tmp_path, jobs=1) as bench:
        base = base_of(bench)
        noise.fail_at = range(noise.boots + 3, noise.boots + 6)
        with pytest.raises(BaseFailedError, match="panic"):
            try_all_free(bench, base, (), blocks=4, seed=1)
    with Bench(FakeTarget(Noisy()), tmp_path / "2", jobs=2) as bench, pytest.raises(MeasurementError):
        try_all_free(bench, base, (), blocks=3, seed=1)


def test_a_base_that_fails_now_and_then_is_booted_again(tmp_path):
    noise = Noisy(saved=50, fail_at=(5, 6, 11))
    noise.fails = lambda params: "a" not in params
    with Bench(FakeTarget(noise), tmp_path, jobs=1) as bench:
        base = base_of(bench)
        noise.fail_at = {noise.boots + n for n in range(1, 30, 3)}
        tried = try_all_free(bench, base, (FakeTechnique("a"),), blocks=7, seed=1)
    (trial,) = tried.trials
    assert set(tried.failed_base) == {"panic"}
    assert trial.verdict is Verdict.FASTER
    assert len(trial.samples_ns) == len(trial.base_samples_ns) == 7
    assert all(trial.base_samples_ns)


def test_a_variant_that_fails_as_the_base_does_is_unknown_and_alone_it_is_broken(tmp_path):
    found = []
    for place, both in enumerate((True, False)):
        noise = Noisy(saved=50)
        with Bench(FakeTarget(noise), tmp_path / str(place), jobs=1) as bench:
            base = base_of(bench)
            noise.fail_at = {noise.boots + n for n in range(1, 30, 4)}
            noise.fails = lambda params, both=both: both or "a" in params
            tried = try_all_free(bench, base, (FakeTechnique("a"),), blocks=7, seed=1)
        found.append(tried.trials[0])
    assert [trial.verdict for trial in found] == [Verdict.UNKNOWN, Verdict.BROKEN]
    assert "of the base" in found[0].reason


def test_the_first_boot_of_a_noisy_base_may_fail(tmp_path):
    free = msgspec.structs.replace(SYSTEM, clock=msgspec.structs.replace(SYSTEM.clock, mode="free"))
    with Bench(FakeTarget(Noisy(fail_at=(1, 2))), tmp_path, jobs=1) as bench:
        assert establish(bench, free, diagnostic=False).recording.ok
    with Bench(FakeTarget(Noisy(fail_at=(1, 2, 3))), tmp_path / "2", jobs=1) as bench, pytest.raises(BaseFailedError):
        establish(bench, free, diagnostic=False)
    with Bench(FakeTarget(Noisy(fail_at=(1,))), tmp_path / "3", jobs=1) as bench, pytest.raises(BaseFailedError):
        establish(bench, SYSTEM, diagnostic=False)


def test_selection():
    every = Selection().techniques()
    costly = next(t for t in every if t.risk.security)
    harmless = next(t for t in every if not t.risk.off_by_default)
    assert Selection().why_not_stacked(harmless) == ""
    assert f"--also {costly.id}" in Selection().why_not_stacked(costly)
    assert "security" in Selection(allow=frozenset({"function"})).why_not_stacked(costly)
    assert Selection(allow=frozenset({"function", "security"})).why_not_stacked(costly) == ""
    assert Selection(also=(costly.id,)).why_not_stacked(costly) == ""
    assert Selection(ids=(costly.id,)).why_not_stacked(costly) == ""
    assert [t.id for t in Selection(ids=("quiet", "quiet")).techniques()] == ["quiet"]
    assert Selection(ids=("quiet",)).forced
    with pytest.raises(UserError, match="there is no technique 'quite'"):
        Selection(also=("quite",)).techniques()


def test_a_kernel_that_cannot_be_built_is_an_answer_and_no_end(tmp_path):
    class Refusing(FakeTarget):
        def plan(self, system, purpose="timing"):
            params = {str(p) for p in system.cmdline.params}
            if "never" in params or {"a", "b"} <= params:
                raise KernelBuildError("CONFIG_X=y did not take effect")
            return super().plan(system, purpose)

    techniques = tuple(FakeTechnique(name) for name in ("a", "b", "never"))
    with Bench(Refusing(additive(100, a=20, b=10)), tmp_path, jobs=1) as bench:
        base = base_of(bench)
        tried = try_all(bench, base, techniques)
        stacked = Stacker(bench, base, techniques).run(tried.trials)
    assert [t.change.id for t in tried.trials] == ["a", "b", "never"]
    never = tried.trials[-1]
    assert (never.verdict, never.reason) == (Verdict.BROKEN, "it cannot be built: CONFIG_X=y did not take effect")
    assert (never.saved_ns, never.key) == (None, None)
    assert [c.id for c in stacked.changes] == ["a"]
    assert [s.reason for s in stacked.steps if not s.kept] == [
        "cannot be built on top of the others: CONFIG_X=y did not take effect"
    ]


class Refusing(FakeTarget):
    """A target that cannot plan a boot with one of the parameters."""

    def __init__(self, parameter, error):
        super().__init__(additive(100, a=20))
        self.parameter, self.error = parameter, error

    def plan(self, system, purpose="timing"):
        if self.parameter in {str(p) for p in system.cmdline.params}:
            raise self.error
        return super().plan(system, purpose)


def test_what_only_this_machine_cannot_build_is_not_booted_and_says_what_it_lacks(tmp_path):
    lacking = Refusing("applets", SourceMissing("no source of BusyBox here", hint="scripts/fetch-busybox-source.sh"))
    techniques = tuple(FakeTechnique(name) for name in ("a", "applets"))
    with Bench(lacking, tmp_path, jobs=1) as bench:
        base = base_of(bench)
        tried = try_all(bench, base, techniques)
        stacked = Stacker(bench, base, techniques).run(tried.trials)
    applets = tried.trials[-1]
    reason = "it cannot be built on this machine: no source of BusyBox here; scripts/fetch-busybox-source.sh"
    assert (applets.verdict, applets.reason) == (Verdict.NOT_BOOTED, reason)
    assert [c.id for c in stacked.changes] == ["a"]


def test_a_change_that_makes_a_system_which_cannot_be_booted_ends_nothing(tmp_path):
    treeless = Refusing("tree", UserError("the boot loader has no device tree for the kernel", hint="name one"))
    techniques = tuple(FakeTechnique(name) for name in ("a", "tree"))
    with Bench(treeless, tmp_path, jobs=1) as bench:
        base = base_of(bench)
        tried = try_all(bench, base, techniques)
        step = Stacker(bench, base, techniques).offer((tried.trials[-1].change,), "again")
    tree = tried.trials[-1]
    reason = "it cannot be booted: the boot loader has no device tree for the kernel"
    assert (tree.verdict, tree.reason) == (Verdict.BROKEN, reason)
    assert step is not None
    assert (step.kept, step.verdict) == (False, Verdict.BROKEN)
    assert step.reason == "cannot be booted on top of the others: the boot loader has no device tree for the kernel"


@pytest.mark.parametrize(("blocks", "carried"), [(3, False), (5, False), (6, True)])
def test_few_blocks_carry_no_interval(blocks, carried):
    """The widest interval of three blocks misses the true saving in a quarter of all cases."""
    technique = FakeTechnique("a")
    (change,) = technique.changes(None)
    sides = [
        [
            Evidence(
                system=system(),
                recording=Recording(meta=Meta(goal_ns=1_000_000_000 - early + n * 1000), lines=(), marks=()),
            )
            for n in range(blocks)
        ]
        for early in (0, 100_000_000)
    ]
    trial = judge_free(technique, change, *sides, tests=1)
    assert (trial.interval_ns is not None) is carried
