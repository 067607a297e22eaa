# SPDX-License-Identifier: MIT
"""A search on a slow machine: what the host ended decides nothing, and the next run ends as on an idle one."""

from __future__ import annotations

import msgspec
import pytest

from bootlab import techniques
from bootlab.experiments.base import DiagnosisNotMade, diagnosis_of
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.experiments.trial import EndedByHost
from bootlab.model.recording import Outcome
from bootlab.recordings import recording_dir
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget, FakeTechnique, additive, base_of
from tests.experiments.optimize.test_search import Remembering

OWN = tuple(FakeTechnique(name) for name in "abc")
COST = additive(1000, a=500, b=40, c=30)


class SlowHost(FakeTarget):
    """Ends the boots of systems with one of `slow` after `reached_ms` of their own time."""

    def __init__(self, slow=frozenset(), reached_ms=700):
        super().__init__(self._cost)
        self._slow, self._reached_ms = slow, reached_ms
        self.slow_seeds = frozenset()
        self.left = -1

    def _cost(self, params):
        self.host_limit = (bool(params & self._slow) or self._slow_here) and self.left != 0
        self.left -= self.host_limit
        return Outcome.TIME_LIMIT if self.host_limit else COST(params)

    def boot(self, plan, folder, **rest):
        self._slow_here = plan.system.clock.seed in self.slow_seeds
        made = super().boot(plan, folder, **rest)
        if not made.meta.host_limit:
            return made
        meta = msgspec.structs.replace(made.meta, end_ns=self._reached_ms * MS)
        recording_dir.save(folder, meta, (), b"", None)
        return recording_dir.load(folder)


@pytest.fixture
def search(tmp_path, monkeypatch):
    monkeypatch.setattr(techniques, "all_techniques", lambda: OWN)
    monkeypatch.setattr(techniques, "get", {one.id: one for one in OWN}.__getitem__)

    def run(target):
        journal = Remembering()
        with Bench(target, tmp_path, jobs=1) as bench:
            base = base_of(bench)
            plan, _ = plan_of(base, Wishes(), jobs=1)
            found = optimize(bench, base, plan, journal)
        return sorted(change.id for change in found.stacked.changes), journal

    return run


@pytest.mark.parametrize("slow", [{"a"}, {"b"}, {"a", "b", "c"}])
def test_what_the_host_ended_decides_nothing(search, slow):
    with pytest.raises(EndedByHost, match="the host ended a boot") as caught:
        search(SlowHost(slow))
    assert "limits.wall_s" in caught.value.hint
    ids, _ = search(SlowHost())
    assert ids == ["a", "b", "c"]


def test_a_search_outlasts_an_hour_in_which_the_host_has_other_work(search):
    """Nobody is there to give the command again."""
    target = SlowHost({"a"})
    target.left = 4
    ids, _ = search(target)
    assert ids == ["a", "b", "c"]
    assert target.left == 0


@pytest.mark.parametrize("seed", [2, 5])
def test_a_base_that_the_host_ended_under_a_dither_is_not_replaced_by_another(search, seed):
    """The next run uses the same dithers, and so decides the same."""
    target = SlowHost()
    target.slow_seeds = frozenset({seed})
    with pytest.raises(EndedByHost, match=r"the host ended a boot of base \(dither"):
        search(target)


def test_a_boot_far_behind_the_bases_goal_is_an_answer_though_the_host_ended_it(search):
    """A guest that computes for ever would stop the search on every slow machine."""
    ids, journal = search(SlowHost({"b"}, reached_ms=2_001))
    assert ids == ["a", "c"]
    said = [s.reason for s in journal.steps if hasattr(s, "phase") and s.change.id == "b" and s.key]
    assert said
    assert said[0].startswith("no goal by 2001 virtual ms, the base's comes at 1000")


def test_half_a_diagnosis_is_none(tmp_path, monkeypatch):
    """Its log ends early: every proof that reads it would say that nothing happened."""
    with Bench(SlowHost({"a"}), tmp_path, jobs=1) as bench:
        base = base_of(bench)
        slow = msgspec.structs.replace(SYSTEM, cmdline=SYSTEM.cmdline.with_param("a"))
        monkeypatch.setattr("bootlab.experiments.base.diagnostic_system", lambda *_: slow)
        with pytest.raises(DiagnosisNotMade, match="the host ended the diagnostic boot of x"):
            diagnosis_of(bench, base.system, base.recording, "x")
