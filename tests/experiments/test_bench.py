# SPDX-License-Identifier: MIT
"""The bench: every system once, every recording kept, stopped at any moment."""

from __future__ import annotations

import errno
import os
import threading

import pytest

from bootlab.errors import EnvironmentFault, TargetError
from bootlab.experiments import host_ends
from bootlab.experiments.bench import Bench, SilentObserver, Stopped
from bootlab.model.recording import Outcome
from tests.experiments.fake_bench import MS, FakeTarget, additive, system


@pytest.fixture
def target():
    return FakeTarget(additive(100, a=10, b=5))


def test_equal_systems_boot_once(target, tmp_path):
    with Bench(target, tmp_path, jobs=2) as bench:
        first, second = bench.submit(system("a"), "one"), bench.submit(system("a"), "two")
        assert first is second
        assert [r.meta.goal_ns for r in bench.wait_all([first, bench.submit(system(), "base")])] == [90 * MS, 100 * MS]
    assert sorted(target.booted) == ["base", "base a"]
    assert (bench.boots_made, bench.boots_reused) == (2, 0)


def test_a_second_campaign_boots_only_what_is_missing(target, tmp_path):
    for expected in (1, 1, 2):
        with Bench(target, tmp_path) as bench:
            recording = bench.boot(system("a"), "x")
            if expected == 2:
                bench.boot(system("b"), "y")
        assert len(target.booted) == expected
    assert recording.path == str(bench.place(recording.meta.key))


def test_fresh_boots_are_boots_of_their_own(target, tmp_path):
    with Bench(target, tmp_path) as bench:
        paths = {bench.boot(system("a"), "x", fresh=n).path for n in (0, 1, 2, 1)}
    assert len(paths) == len(target.booted) == 3


@pytest.mark.parametrize(
    ("outcome", "boots"),
    [
        (Outcome.PANIC, 1),
        (Outcome.HANG, 1),
        (Outcome.TIME_LIMIT, 2),
        (Outcome.EMULATOR_DIED, 2),
        (Outcome.CANNOT_START, 2),
    ],
)
def test_which_failures_are_kept(tmp_path, outcome, boots):
    target = FakeTarget(lambda _params: outcome)
    for _ in range(2):
        with Bench(target, tmp_path) as bench:
            assert bench.boot(system(), "x").meta.outcome is outcome
    assert len(target.booted) == boots


def test_what_the_host_ended_is_booted_again_and_never_kept(tmp_path):
    target = FakeTarget(lambda _params: Outcome.NO_CONSOLE)
    target.host_limit = True
    for _ in range(2):
        with Bench(target, tmp_path) as bench:
            recording = bench.boot(system(), "x")
            assert recording.by_host
            assert "3 boots, each ended by the host" in recording.meta.reason
    assert len(target.booted) == 6


def test_a_boot_that_the_host_lets_be_counts(tmp_path):
    again = []

    class Observer(SilentObserver):
        def boot_again(self, label, why):
            again.append((label, why))
            target.host_limit, target.cost = False, lambda _params: 7.0

    target = FakeTarget(lambda _params: Outcome.EMULATOR_DIED)
    target.host_limit = True
    with Bench(target, tmp_path, observer=Observer()) as bench:
        assert bench.boot(system(), "x").meta.goal_ns == 7 * MS
    assert again == [("x", "the host ended it: because")]
    assert len(target.booted) == 2


def test_a_damaged_recording_is_made_again(target, tmp_path):
    for _ in range(2):
        with Bench(target, tmp_path) as bench:
            recording = bench.boot(system(), "x")
        (bench.place(recording.meta.key) / "recording.json").write_text("{")
    assert len(target.booted) == 2


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("console.log", b"", b"more"), ("recording.json", b'"goal_ns": 100000000', b'"goal_ns": 90000000')],
)
def test_an_altered_recording_is_told_and_made_again(target, tmp_path, name, old, new):
    again = []

    class Observer(SilentObserver):
        def boot_again(self, label, why):
            again.append((label, why))

    for _ in range(2):
        with Bench(target, tmp_path, observer=Observer()) as bench:
            recording = bench.boot(system(), "x")
        assert recording.meta.goal_ns == 100 * MS
        path = bench.place(recording.meta.key) / name
        raw = path.read_bytes()
        path.write_bytes(raw.replace(old, new) if old else new)
        assert path.read_bytes() != raw
    assert len(target.booted) == 2
    assert [label for label, _ in again] == ["x"]
    assert f"{name} is damaged" in again[0][1]


def raising(error):
    def cost(_params):
        raise error

    return cost


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("error", [TargetError("no board"), ValueError("a bug"), TimeoutError("too slow")])
def test_an_error_in_a_boot_comes_out_and_leaves_nothing(tmp_path, error):
    with Bench(FakeTarget(raising(error)), tmp_path) as bench, pytest.raises((type(error), EnvironmentFault)) as caught:
        bench.boot(system(), "x")
    assert str(error) in str(caught.value)
    assert [str(path.relative_to(tmp_path)) for path in (tmp_path / "boots").rglob("*")] == ["boots/.locks"]


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(host_ends, "_PAUSES_S", (0.0, 0.0))


@pytest.mark.usefixtures("impatient")
def test_a_host_that_cannot_start_or_keep_a_boot_once_is_asked_again(tmp_path):
    faults = [OSError(11, "Resource temporarily unavailable"), EnvironmentFault("cannot start qemu: no memory")]

    def cost(_params):
        if faults:
            raise faults.pop()
        return 5.0

    with Bench(FakeTarget(cost), tmp_path) as bench:
        assert bench.boot(system(), "x").ok
        assert bench.boots_made == 1


@pytest.mark.usefixtures("impatient")
def test_a_disk_that_stays_read_only_costs_one_boot(target, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("pathlib.Path.rename", refuse)
    with Bench(target, tmp_path) as bench, pytest.raises(EnvironmentFault, match="cannot be kept"):
        bench.boot(system(), "x")
    assert len(target.booted) == 1


def test_no_room_is_said_with_the_folder(tmp_path):
    with (
        Bench(FakeTarget(raising(OSError(28, "No space left on device"))), tmp_path) as bench,
        pytest.raises(EnvironmentFault, match="No space left") as caught,
    ):
        bench.boot(system(), "x")
    assert str(tmp_path) in caught.value.hint


def test_leaving_the_bench_ends_every_machine(tmp_path):
    target = FakeTarget(additive(1), hold=threading.Event())
    with Bench(target, tmp_path, jobs=1) as bench:
        running, waiting = bench.submit(system(), "x"), bench.submit(system("a"), "y")
        while not target.booted:
            pass
    assert running.result().meta.outcome is Outcome.INTERRUPTED
    assert waiting.cancelled()
    assert [str(path.relative_to(tmp_path)) for path in (tmp_path / "boots").rglob("*")] == ["boots/.locks"]


def test_an_interrupted_boot_stops_the_campaign(tmp_path):
    with Bench(FakeTarget(lambda _params: Outcome.INTERRUPTED), tmp_path) as bench, pytest.raises(Stopped) as caught:
        bench.boot(system(), "x")
    assert caught.value.exit_code == 130
    assert "run the same command again" in caught.value.hint


def test_ctrl_c_while_waiting(tmp_path):
    target = FakeTarget(additive(1), hold=threading.Event())
    with Bench(target, tmp_path) as bench:
        future = bench.submit(system(), "x")

        class Pressed:
            def result(self, timeout):
                raise KeyboardInterrupt

        with pytest.raises(Stopped):
            bench.wait(Pressed())
        assert future.result(timeout=20).meta.outcome is Outcome.INTERRUPTED


def test_the_observer_is_told(target, tmp_path):
    said = []

    class Observer(SilentObserver):
        def boot_started(self, label):
            said.append(("started", label))

        def boot_progress(self, label, progress):
            said.append(("progress", label, progress.console_bytes))

        def boot_ended(self, label, recording, *, reused):
            said.append(("ended", label, reused))

    for _ in range(2):
        with Bench(target, tmp_path, observer=Observer()) as bench:
            bench.boot(system(), "x")
    assert said == [("started", "x"), ("progress", "x", 2), ("ended", "x", False), ("ended", "x", True)]
