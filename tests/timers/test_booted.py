# SPDX-License-Identifier: MIT
"""Timers in booted systems beside each other: boots are kept, several are made at a time, and it is a run like any."""

from __future__ import annotations

import threading

import msgspec
import pytest
from typer.testing import CliRunner

import bootlab
from bootlab.api import System
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.cli.__main__ import app
from bootlab.errors import TargetError
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.change import SetParam
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Meta, Outcome
from bootlab.model.system import Clockwork, Goal, Kernel, SystemDescription
from bootlab.recordings import recording_dir
from bootlab.timers import booted, comparison
from bootlab.timers.request import StressRequest
from tests.timers.samples import HEAD, ROW, output

REQUEST = StressRequest(populations=(1000,), scale=200)


class Printed:
    """A target whose systems print the account of timers at once; those with `late` are later."""

    def __init__(self):
        self.booted: list[str] = []
        self.hold: threading.Barrier | None = None
        self.broken = ""

    def plan(self, system, purpose="timing"):
        key = "".join(c if c.isalnum() else "_" for c in f"{system.name}_{system.cmdline}")
        return BootPlan(system=system, purpose=purpose, key=key, info=KernelInfo(), sizes_bytes={}, sha256={})

    def boot(self, plan, folder, *, stop, progress=None):
        del stop, progress
        words = str(plan.system.cmdline)
        if self.hold is not None:
            self.hold.wait(timeout=60)
        if self.broken and self.broken in words:
            raise TargetError("the machine burnt down")
        self.booted.append(f"{plan.system.name} {words}")
        row = ROW | ({"lateness": ROW["lateness"] | {"p50_ns": 90_000}} if "late" in words else {})
        exact = plan.system.clock.mode == "exact"
        meta = Meta(
            key=plan.key, outcome=Outcome.GOAL, goal_ns=5, goal_insns=7, goal_clock="virtual" if exact else "wall",
            cmdline=words,
        )  # fmt: skip
        folder.mkdir(parents=True)
        recording_dir.save(folder, meta, (), output(HEAD, row) + b"@timers end 0\r\n", None)
        return recording_dir.load(folder)


@pytest.fixture
def target():
    return Printed()


@pytest.fixture
def system(tmp_path, target):
    value = SystemDescription(
        name="board",
        target="replay",
        kernel=Kernel(image="none"),
        goal=Goal(console="g"),
        cmdline=CommandLine.parse("base"),
    )
    return System(value, store=tmp_path / "store", cache=tmp_path / "cache", target=target, jobs=4)


def run(system, *words, times=2):
    keep = system.begin_run("timers")
    group = [(system.name, system), *((word, system.changed(comparison.change_of(word))) for word in words)]
    results = []
    booted.configurations(
        [group], REQUEST, times, unequal=pytest.fail,
        sink=lambda made: results.append(keep(comparison.compare(made))),
    )  # fmt: skip
    return results[-1]


def test_it_is_a_run_that_the_report_shows(system, tmp_path):
    found = run(system, "late", "late nohz=off").comparison
    assert bootlab.Results.open(store=tmp_path / "store").comparison == found
    shown = CliRunner().invoke(app, ["report", "last", "--store", str(tmp_path / "store")])
    assert found.headline in " ".join(shown.output.split())
    assert "lateness p50" in shown.output


def test_a_second_run_boots_nothing(system, target):
    first = run(system, "late")
    assert sorted(target.booted) == ["board base", "board base", "board base late", "board base late"]
    assert run(system, "late").comparison == first.comparison
    assert len(target.booted) == 4
    run(system, "late", times=3)
    assert len(target.booted) == 6, "one more of each"


def test_several_machines_run_at_a_time(system, target):
    target.hold = threading.Barrier(4)
    run(system, "late")
    assert len(target.booted) == 4


def test_a_run_that_is_cut_off_keeps_what_it_has_and_goes_on(system, target, tmp_path):
    target.broken = "nohz"
    with pytest.raises(TargetError):
        run(system, "late", "nohz=off")
    kept = bootlab.Results.open(store=tmp_path / "store").comparison
    assert [column.title for column in kept.columns] == ["quantity", "board", "late"]
    target.broken = ""
    made = len(target.booted)
    run(system, "late", "nohz=off")
    assert len(target.booted) == made + 2


def test_on_the_hosts_clock_all_systems_take_turns(system, target):
    free = system.like(msgspec.structs.replace(system.value, clock=Clockwork(mode="free")))
    other = free.like(msgspec.structs.replace(SetParam("late").apply(free.value), name="other"))
    sides = booted.configurations(
        [[("a", free)], [("b", other)]], REQUEST, 3, unequal=pytest.fail, sink=lambda _made: None
    )
    assert target.booted == ["board base", "other base late"] * 3
    assert [(side.name, len(side.results), side.equal) for side in sides] == [("a", 3, None), ("b", 3, None)]
