# SPDX-License-Identifier: MIT
"""A gate in exact mode: what it boots, and that nothing but dithers never makes it say slower."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from bootlab.analysis.sequential_test import design
from bootlab.experiments.bench import Bench
from bootlab.experiments.exact_pair import ExactPair, boot_in_turn, boot_pair
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.target import ProgressSink
from bootlab.model.recording import Outcome, Recording
from bootlab.model.sample import goals_ns
from bootlab.targets.replay import NotRecordedError
from tests.experiments.fake_bench import MS, FakeTarget, system

BASE, NEW = system(), system("new")
SMALLEST = 10 * MS


class Moved(FakeTarget):
    """Takes ten seconds; a dither, or any change, moves that by up to `moved_ms`, and NEW is `late_ms` later."""

    def __init__(self, moved_ms: float, late_ms: float = 0.0, *, seed: int = 0, failing: frozenset[int] = frozenset()):
        super().__init__(self._cost)
        self.moved_ms, self.late_ms, self.seed, self.failing = moved_ms, late_ms, seed, failing
        self.dither = 0

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        self.dither = plan.system.clock.seed - 1
        return super().boot(plan, folder, stop=stop, progress=progress)

    def _cost(self, params: frozenset[str]) -> float | Outcome:
        if "new" in params and self.dither in self.failing:
            return Outcome.HANG
        drawn = random.Random(f"{self.seed} {sorted(params)} {self.dither}")
        return 10_000 + drawn.uniform(0, self.moved_ms) + (self.late_ms if "new" in params else 0)


class OneEach(FakeTarget):
    """A replay: it holds the systems as they are, and none under a dither."""

    def plan(self, system, purpose="timing") -> BootPlan:
        if system.clock.seed != 1:
            raise NotRecordedError("not recorded", hint="none")
        return super().plan(system, purpose)


def run(folder: Path, target: FakeTarget, *, moved_ns: int | None = None) -> ExactPair:
    with Bench(target, folder, jobs=1) as bench:
        return boot_pair(bench, BASE, NEW, smallest_of=lambda _: SMALLEST, moved_ns=moved_ns)


def test_a_calm_system_takes_one_boot_of_the_new_side(tmp_path: Path) -> None:
    target = Moved(2, late_ms=4)
    found = run(tmp_path, target)
    assert found.judged is not None
    assert (found.judged.verdict, len(found.base), len(found.new)) == ("same", 5, 1)
    assert found.judged.saved_ns < -2 * MS


def test_what_the_history_knows_saves_the_dithers(tmp_path: Path) -> None:
    target = Moved(100)
    found = run(tmp_path, target, moved_ns=150 * MS)
    assert found.judged is not None
    assert (found.judged.verdict, len(target.booted)) == ("same", 2)
    slow = Moved(100, late_ms=500)
    found = run(tmp_path / "slow", slow, moved_ns=150 * MS)
    assert found.judged is not None
    assert (found.judged.verdict, len(slow.booted)) == ("slower", 10)


def test_nothing_but_dithers_is_slower_in_one_case_of_a_hundred(tmp_path: Path) -> None:
    """One boot a side, judged by 0.1 %, called half of these slower."""
    verdicts = [run(tmp_path / str(n), Moved(100, seed=n)) for n in range(200)]
    told = [one.judged.verdict.value for one in verdicts if one.judged is not None]
    assert len(told) == 200
    assert told.count("slower") + told.count("faster") <= 4
    assert sum(len(one.new) for one in verdicts) < 2.5 * 200
    alone = [goals_ns((one.base[0], one.new[0])) for one in verdicts]
    assert sum(new - base > SMALLEST for base, new in alone) > 60


def test_a_slower_system_is_slower_under_every_dither(tmp_path: Path) -> None:
    found = run(tmp_path, Moved(100, late_ms=150))
    assert found.judged is not None
    assert (found.judged.verdict, len(found.base), len(found.new)) == ("slower", 5, 5)
    assert found.judged.error_rate == design(5).error_rate
    assert found.dithers == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(("failing", "booted"), [(0, 1), (2, 3)])
def test_a_boot_that_fails_ends_it_without_a_verdict(tmp_path: Path, failing: int, booted: int) -> None:
    found = run(tmp_path, Moved(100, late_ms=150, failing=frozenset({failing})))
    assert found.judged is None
    assert len(found.new) >= booted
    assert [boot.ok for boot in found.new].count(False) == 1


def test_a_replay_of_one_boot_each_stays_unknown(tmp_path: Path) -> None:
    found = run(tmp_path, OneEach(lambda params: 700.0 if "new" in params else 500.0))
    assert found.judged is not None
    assert (found.judged.verdict, found.judged.boots) == ("unknown", (1, 1))


def test_a_system_against_goals_that_were_made_before(tmp_path: Path) -> None:
    base_ns = tuple((10_000 + 5 * place) * MS for place in range(21))
    with Bench(Moved(100), tmp_path / "a", jobs=1) as bench:
        found = boot_in_turn(bench, NEW, base_ns, design(21), smallest_ns=SMALLEST)
    assert found.judged is not None
    assert found.judged.verdict == "same"
    with Bench(Moved(5, late_ms=500), tmp_path / "b", jobs=1) as bench:
        found = boot_in_turn(bench, NEW, base_ns, design(21), smallest_ns=SMALLEST)
    assert found.judged is not None
    assert (found.judged.verdict, len(found.new)) == ("slower", 2)
