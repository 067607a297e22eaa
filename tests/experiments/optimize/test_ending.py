# SPDX-License-Identifier: MIT
"""How a search ends before its end: with Ctrl-C at once, at a budget's end near its time; what is proved is kept."""

from __future__ import annotations

import os
import signal

import pytest

from bootlab import techniques
from bootlab.api import optimizing
from bootlab.errors import BootlabError
from bootlab.experiments.bench import Bench, Stopped
from bootlab.experiments.ending import CTRL_C, NO_TIME, Tries
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.results import file as results_file
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget, FakeTechnique, additive, base_of
from tests.experiments.optimize.test_search import Remembering


@pytest.fixture
def run(tmp_path, monkeypatch):
    def search(cost, *own, **wishes):
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", {one.id: one for one in own}.__getitem__)
        target = FakeTarget(cost)
        with Bench(target, tmp_path, jobs=1) as bench:
            base = base_of(bench)
            plan, _ = plan_of(base, Wishes(**wishes), jobs=1)
            return optimize(bench, base, plan, Remembering()), target

    return search


def interrupting(cost, when):
    """A cost that presses Ctrl-C in the first boot with these parameters."""
    asked = []

    def found(params):
        if when <= params and not asked:
            asked.append(os.kill(os.getpid(), signal.SIGINT))
        return cost(params)

    return found


RIVALS = tuple(FakeTechnique(name, exclusive=True, labels=("1", "2")) for name in "xy")
OWN = (*(FakeTechnique(name) for name in "abc"), *RIVALS)
COST = additive(1000, a=10, b=500, c=20, x1=100, y1=100, x2=100, y2=100)


def test_ctrl_c_ends_a_search_with_what_is_proved(run):
    before = signal.getsignal(signal.SIGINT)
    found, target = run(interrupting(COST, {"x1"}), *OWN)
    assert {change.id for change in found.stacked.changes} == {"a", "b", "c"}
    assert found.ended == CTRL_C
    assert found.stacked.recording.meta.goal_ns == 470 * MS
    assert len(found.stacked.boots) >= 2, "the boots that the proof rests on"
    assert found.system.cmdline.value("b") is None
    assert "b" in str(found.system.cmdline).split()
    assert sum("x1" in line or "y1" in line for line in target.booted) <= 2, "what runs may end, nothing more begins"
    assert signal.getsignal(signal.SIGINT) == before


def test_ctrl_c_before_anything_is_proved_stops(run):
    with pytest.raises(Stopped, match="nothing is proved yet"):
        run(interrupting(COST, {"a"}), *OWN)


def test_ctrl_c_while_the_base_is_booted_stops(run):
    count = []

    def cost(params):
        count.append(params)
        if len(count) == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return COST(params)

    with pytest.raises(Stopped) as stopped:
        run(cost, *OWN)
    assert len(count) < 10
    assert stopped.value.exit_code == 130


def test_the_second_ctrl_c_stops_at_once(run, monkeypatch):
    pressed = []

    def again(_bench, text):
        if "Ctrl-C again" in text and not pressed:
            pressed.append(text)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Bench, "decided", again)
    with pytest.raises((KeyboardInterrupt, BootlabError)):
        run(interrupting(COST, {"x1"}), *OWN)
    assert pressed


def test_at_the_end_of_a_budget_nothing_more_is_waited_for(run, monkeypatch):
    """The boot under way would not be waited for either, were it of an hour."""
    used = [0.0]
    monkeypatch.setattr(Tries, "_used_s", lambda _tries: used[0])

    def cost(params):
        used[0] = 601.0 if "x1" in params else used[0]
        return COST(params)

    found, target = run(cost, *OWN, budget_s=600)
    assert found.ended == NO_TIME
    assert {"a", "b", "c"} <= {change.id for change in found.stacked.changes} <= {"a", "b", "c", "x:1"}
    assert not any("y1" in line for line in target.booted)
    assert not found.stacked.left_out
    assert not found.waterfall


def test_a_budget_keeps_time_for_the_proof_of_the_result(tmp_path):
    with Bench(FakeTarget(COST), tmp_path, jobs=2) as bench:
        tries = Tries(bench, 600)
        tries.closing_s = lambda: 100.0
        for used_s, over, cut in ((400, "", ""), (501, NO_TIME, ""), (599, NO_TIME, ""), (601, NO_TIME, NO_TIME)):
            bench.machine_s = 2 * used_s
            assert (tries.over(), tries.cut()) == (over, cut), used_s
        tries.closing_s, bench.machine_s = (lambda: 6000.0), 2 * 449
        assert not tries.over(), "a proof that would take longer than the whole budget takes a quarter of it"


def test_how_far_it_is_is_said_with_each_gain(run, monkeypatch):
    said = []
    monkeypatch.setattr(Bench, "decided", lambda _bench, text: said.append(text))
    run(COST, *OWN)
    proved = [line for line in said if line.startswith("proved so far: ")]
    assert proved[0].startswith("proved so far: 1000.000 to 470.000 ms, 47.0 % of the base (")
    assert proved[-1].startswith("proved so far: 1000.000 to 270.000 ms, 27.0 % of the base (")


def test_the_same_command_goes_on_after_ctrl_c(tmp_path, monkeypatch):
    own = tuple(OWN)
    monkeypatch.setattr(techniques, "all_techniques", lambda: own)
    monkeypatch.setattr(techniques, "get", {one.id: one for one in own}.__getitem__)
    folders = []
    for cost in (interrupting(COST, {"x1"}), COST):
        with Bench(FakeTarget(cost), tmp_path, jobs=1) as bench:
            base, plan, said = optimizing.planned(bench, SYSTEM, optimizing.wishes_of())
            results = optimizing.carried_out(bench, tmp_path, base, plan, said)
        folders.append(results.run.folder)
        document = results_file.load(results.run.results)
        faster = (results.run.folder / "optimized" / "system.toml").read_text(encoding="utf-8")
        if len(folders) == 1:
            assert any(note.startswith("Ctrl-C ended the search: ") for note in document.notes)
            assert document.final.goal_ns == 470 * MS
            assert "b" in faster
    assert folders[0] == folders[1]
    assert document.final.goal_ns == 270 * MS
    assert not any("Ctrl-C" in note for note in document.notes)
