# SPDX-License-Identifier: MIT
"""Ctrl-C ends a stack with what is proved so far, at whatever moment it comes; before that it stops."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from bootlab import techniques
from bootlab.errors import BootlabError
from bootlab.experiments import campaign
from bootlab.experiments.bench import Bench, Stopped
from bootlab.experiments.campaign import Stack
from bootlab.experiments.ending import CTRL_C
from bootlab.experiments.selection import Selection
from bootlab.results import assemble
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget, FakeTechnique, additive

OWN = tuple(FakeTechnique(name) for name in "abc")
COST = additive(1000, a=10, b=500, c=20)
Run = Callable[..., tuple[Stack, FakeTarget]]


class Silent:
    """A journal that writes nothing."""

    def __getattr__(self, name: str) -> Callable[[object], None]:
        return lambda _found: None


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def stacked(when: Callable[[list[str]], bool], cost=COST, own=OWN, jobs: int = 1) -> tuple[Stack, FakeTarget]:
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", {one.id: one for one in own}.__getitem__)
        target = FakeTarget(cost)
        pressed: list[int] = []

        def counted(params: frozenset[str]):
            if not pressed and when(target.booted):
                pressed.append(1)
                os.kill(os.getpid(), signal.SIGINT)
            return cost(params)

        target.cost = counted
        with Bench(target, tmp_path, jobs=jobs) as bench:
            return campaign.stack(bench, SYSTEM, Selection(), Silent()), target

    return stacked


def ids(found: Stack) -> set[str]:
    return {change.id for change in found.stacked.changes}


def test_without_ctrl_c_it_is_whole(run: Run):
    found, _ = run(lambda _booted: False)
    assert ids(found) == {"a", "b", "c"}
    assert found.ended == ""
    assert len(found.stacked.left_out) == 3


def test_what_is_stacked_is_handed_over(run: Run):
    before = signal.getsignal(signal.SIGINT)
    found, target = run(lambda booted: booted[-1] == "base b c")
    assert found.ended == CTRL_C
    assert ids(found) == {"b"}
    assert found.stacked.recording.meta.goal_ns == 500 * MS
    assert str(found.system.cmdline) == "base b"
    assert not found.stacked.left_out
    assert signal.getsignal(signal.SIGINT) == before
    assert not any("a" in line.split() and "b" in line.split() for line in target.booted), "nothing more begins"


def test_of_trials_alone_the_best_is_handed_over(run: Run):
    # By its second boot the trial before it is judged.
    found, target = run(lambda booted: booted[-1].startswith("base c (seed"))
    assert found.ended == CTRL_C
    assert ids(found) == {"b"}
    assert not any("b" in line.split() and len(line.split(" (")[0].split()) > 2 for line in target.booted)


def test_what_was_left_out_stays_told(run: Run):
    # The stack's boots without b come last of all.
    found, _ = run(lambda booted: booted[-1] == "base c a")
    assert found.ended == CTRL_C
    assert ids(found) == {"a", "b", "c"}
    assert all(row.kept for row in found.stacked.left_out)


@pytest.mark.parametrize("boots", [1, 3])
def test_before_anything_is_proved_it_stops(run: Run, boots: int):
    with pytest.raises(Stopped, match="nothing is proved yet") as stopped:
        run(lambda booted: len(booted) == boots)
    assert stopped.value.exit_code == 130


def test_trials_that_prove_nothing_are_no_result(run: Run):
    with pytest.raises(Stopped):
        run(lambda booted: booted[-1] == "base c", cost=additive(1000, a=-5))


def test_the_second_ctrl_c_stops_at_once(run: Run, monkeypatch: pytest.MonkeyPatch):
    pressed: list[str] = []

    def again(_bench: Bench, text: str) -> None:
        if "Ctrl-C again" in text and not pressed:
            pressed.append(text)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Bench, "decided", again)
    with pytest.raises((KeyboardInterrupt, BootlabError)):
        run(lambda booted: booted[-1] == "base b c")
    assert pressed


def test_the_notes_say_that_it_was_cut_short(run: Run):
    found, _ = run(lambda booted: booted[-1] == "base b c")
    (said,) = assemble.ended_notes(found.ended, found.stacked)
    assert said == f"{CTRL_C}: what stands below is proved, the rest was not tried; the same command goes on"
    assert assemble.ended_notes("", found.stacked) == ()
