# SPDX-License-Identifier: MIT
"""Decisions by the board's time: faster only at both ends; without costs nothing differs."""

from __future__ import annotations

from unittest.mock import Mock

import msgspec
import pytest

from bootlab import techniques
from bootlab.costs.named import LINE_TIMES, READ_TIMES, costs_of
from bootlab.experiments.bench import Bench
from bootlab.experiments.exact_pair import boot_pair
from bootlab.experiments.on_board import at_both
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.experiments.stack import Stacker
from bootlab.experiments.trials import try_all
from bootlab.model.verdict import Verdict
from bootlab.recordings import recording_dir
from tests.experiments.fake_bench import SYSTEM, FakeTarget, FakeTechnique, additive, base_of

MB = 1_000_000
# The base prints 20,000 characters and loads 10 MB.
PRINTED = {"quiet": -18_000, "chatty": 2_000}
LOADED = {"vmlinux": 40 * MB, "lz4": 1.2 * MB}


class Board(FakeTarget):
    """A target whose boots also print characters and load images."""

    def boot(self, plan, folder, *, stop, progress=None):
        recording = super().boot(plan, folder, stop=stop, progress=progress)
        params = {str(param) for param in plan.system.cmdline.params}
        meta = msgspec.structs.replace(
            recording.meta,
            console_bytes=20_000 + sum(count for name, count in PRINTED.items() if name in params),
            artefact_bytes={"kernel": 10 * MB + round(sum(size for name, size in LOADED.items() if name in params))},
        )
        recording_dir.save(folder, meta, (), b"", None)
        return recording_dir.load(folder)


COST = additive(3000, vmlinux=200, lz4=50, quiet=0, chatty=100)


@pytest.fixture
def run(tmp_path):
    def decide(words, *names):
        system = SYSTEM if words is None else msgspec.structs.replace(SYSTEM, costs=costs_of(words))
        techniques = tuple(FakeTechnique(name) for name in names)
        with Bench(Board(COST), tmp_path / str(words).replace("/", "_"), jobs=1) as bench:
            base = msgspec.structs.replace(base_of(bench), system=system)
            tried = try_all(bench, base, techniques)
            stacked = Stacker(bench, base, techniques).run(tried.trials)
        return {trial.change.id: trial for trial in tried.trials}, [change.id for change in stacked.changes], stacked

    return decide


NAMES = ("vmlinux", "lz4", "quiet", "chatty")


def test_without_costs_the_exact_time_decides(run):
    trials, stack, stacked = run(None, *NAMES)
    assert stack == ["vmlinux", "chatty", "lz4"]
    assert {name: trial.board for name, trial in trials.items()} == dict.fromkeys(NAMES)
    assert all(step.board is None for step in stacked.steps)


def test_a_slow_card_drops_the_large_image_and_a_line_wants_quiet(run):
    exact, _, _ = run(None, *NAMES)
    trials, stack, stacked = run("sd-card-20MB,115200", *NAMES)
    assert stack == ["quiet"], "lz4's image takes 60 ms longer, and it saves 50; 2000 characters take 174 ms"
    assert trials["vmlinux"].decision is Verdict.SLOWER
    assert trials["vmlinux"].verdict is Verdict.FASTER
    # 40 MB take 2000 ms at the rate that was given, 2.7 % more or less.
    assert trials["vmlinux"].board.saved_ns == pytest.approx((200 * MB - 2054 * MB, 200 * MB - 1946 * MB))
    assert {name: trial.goal_ns for name, trial in trials.items()} == {n: t.goal_ns for n, t in exact.items()}
    (left,) = stacked.left_out
    assert left.cost_ns == 0, "the exact column stays exact"
    assert left.cost_there.low == pytest.approx(18_000 / 11520 * 1e9 * LINE_TIMES.low)
    assert left.cost_there.high == pytest.approx(18_000 / 11520 * 1e9 * LINE_TIMES.high)
    least = 3000e6 + 500e6 * READ_TIMES.low + 2000 / 11520 * 1e9 * LINE_TIMES.low
    assert stacked.steps[0].board.board_ns.low == pytest.approx(least)


def test_another_board_another_stack(run):
    _, stack, _ = run("nvme,no-console", *NAMES)
    assert sorted(stack) == ["chatty", "lz4", "vmlinux"]


def test_what_depends_on_the_board_is_not_taken_and_says_from_where_on(run):
    trials, stack, _ = run("emmc-hs400,no-console", *NAMES)
    assert trials["vmlinux"].decision is Verdict.DEPENDS
    assert "vmlinux" not in stack
    assert "lz4" in stack
    low, high = trials["vmlinux"].board.saved_ns
    assert low < 0 < high
    (point,) = (one for one in trials["vmlinux"].board.turns if one.of == "medium")
    assert point.faster == "above"
    assert 200 < point.at.low / MB <= point.at.high / MB < 230


@pytest.mark.parametrize(
    ("words", "faster", "slower"),
    [
        (None, {"chatty", "lz4", "vmlinux"}, set()),
        ("sd-card-20MB,115200", {"quiet"}, {"vmlinux"}),
        ("nvme,no-console", {"chatty", "lz4", "vmlinux"}, set()),
        ("sd-card-20MB,9600", {"quiet"}, {"chatty", "vmlinux"}),
    ],
)
def test_the_search_keeps_what_pays_on_the_board(tmp_path, monkeypatch, words, faster, slower):
    own = tuple(FakeTechnique(name) for name in NAMES)
    monkeypatch.setattr(techniques, "all_techniques", lambda: own)
    monkeypatch.setattr(techniques, "get", {one.id: one for one in own}.__getitem__)
    system = SYSTEM if words is None else msgspec.structs.replace(SYSTEM, costs=costs_of(words))
    with Bench(Board(COST), tmp_path, jobs=1) as bench:
        base = msgspec.structs.replace(base_of(bench), system=system)
        plan, _ = plan_of(base, Wishes(), jobs=1)
        found = optimize(bench, base, plan, Mock())
    kept = {change.id for change in found.stacked.changes}
    assert kept == faster
    assert not kept & slower


@pytest.mark.parametrize(
    ("words", "new", "exact", "there"),
    [
        ("sd-card-20MB,115200", "vmlinux", Verdict.FASTER, Verdict.SLOWER),
        ("emmc-hs400,no-console", "vmlinux", Verdict.FASTER, Verdict.DEPENDS),
        ("sd-card-20MB,115200", "quiet", Verdict.SAME, Verdict.FASTER),
        ("nvme,no-console", "quiet", Verdict.SAME, Verdict.SAME),
    ],
)
def test_a_gate_by_the_board(tmp_path, words, new, exact, there):
    costs = costs_of(words)
    changed = msgspec.structs.replace(SYSTEM, cmdline=SYSTEM.cmdline.with_param(new), costs=costs)
    with Bench(Board(COST), tmp_path, jobs=1) as bench:
        found = boot_pair(bench, SYSTEM, changed, smallest_of=lambda _: 3 * MB)
    assert found.judged.verdict is exact
    assert found.board.judged.verdict is there
    low, high = found.board.saved_ns.low, found.board.saved_ns.high
    assert low <= high
    assert (there is Verdict.DEPENDS) == (low < -3 * MB < 3 * MB < high)


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ((Verdict.FASTER, Verdict.FASTER), Verdict.FASTER),
        ((Verdict.SAME, Verdict.FASTER), Verdict.DEPENDS),
        ((Verdict.SLOWER, Verdict.FASTER), Verdict.DEPENDS),
        ((Verdict.SLOWER, Verdict.SAME), Verdict.DEPENDS),
        ((Verdict.SAME,), Verdict.SAME),
        ((Verdict.UNKNOWN, Verdict.FASTER), Verdict.UNKNOWN),
        ((Verdict.SLOWER, Verdict.BROKEN), Verdict.BROKEN),
    ],
)
def test_both_ends(verdicts, said):
    assert at_both(verdicts) is said
