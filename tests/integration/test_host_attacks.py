# SPDX-License-Identifier: MIT
"""The host stops, kills and starves a machine: no variant is called broken for it, and no recording is another."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.experiments.base import Base
from bootlab.experiments.bench import Bench, SilentObserver
from bootlab.experiments.trials import try_all

# Loaded here, not while the first machine runs: whoever attacks it has to look at it then.
from bootlab.launch import emulator, plugin, virtual_ending  # noqa: F401
from bootlab.model.recording import Outcome
from bootlab.model.system import Limits, Machine
from bootlab.model.verdict import Verdict
from bootlab.targets.qemu import QemuTarget
from tests.experiments.fake_bench import FakeTechnique

pytestmark = pytest.mark.qemu
LIMITS = Limits(virtual_s=60, stall_virtual_s=20, wall_s=300, stall_wall_s=1.0)


def emulators(folder: Path) -> list[int]:
    """Return the processes that work inside a folder: QEMU's is that of its recording."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink().is_relative_to(folder):
                found.append(int(link.parent.name))
        except OSError:
            continue
    return found


class Attacker(SilentObserver):
    """Sends a signal to the machine of each boot whose label it looks for, at most so many times."""

    def __init__(self, folder: Path, number: int, *, label: str, times: int) -> None:
        self.folder, self.number, self.label, self.left = folder, number, label, times
        self.again: list[str] = []

    def boot_progress(self, label, progress):
        # The text is out: the guest works.
        if label == self.label and self.left and "begin" in progress.last_line:
            self.left -= 1
            for pid in emulators(self.folder):
                os.kill(pid, self.number)

    def boot_again(self, label, why):
        self.again.append(why)


@pytest.fixture
def working(mini):
    """Return a system that prints, works for a second of the host or two, and reaches its goal."""
    return mini("begin\n", text_after="GOAL\n", delay_loops=1200, limits=LIMITS)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_emulator_is_started_again(working, cache, tmp_path, number):
    attacker = Attacker(tmp_path, number, label="x", times=1)
    with Bench(QemuTarget(cache), tmp_path / "store", observer=attacker) as bench:
        recording = bench.boot(working, "x")
        undisturbed = bench.boot(working, "y", fresh=1)
    assert attacker.left == 0, "the machine was killed"
    assert len(attacker.again) == 1
    assert f"signal {int(number)}" in attacker.again[0]
    assert recording.ok
    assert recording.console == undisturbed.console
    assert recording.meta.goal_insns == undisturbed.meta.goal_insns


def test_a_variant_that_is_killed_again_and_again_is_unknown(working, cache, tmp_path):
    technique = FakeTechnique("fake")
    attacker = Attacker(tmp_path, signal.SIGKILL, label=technique.changes(None)[0].id, times=99)
    with Bench(QemuTarget(cache), tmp_path / "store", observer=attacker) as bench:
        base = Base(system=working, recording=bench.boot(working, "base"), diagnosis=None, info=KernelInfo())
        (trial,) = try_all(bench, base, (technique,)).trials
        assert trial.outcome is Outcome.EMULATOR_DIED
        assert trial.verdict is Verdict.UNKNOWN
        assert "3 boots, each ended by the host" in trial.reason
    with Bench(QemuTarget(cache), tmp_path / "store") as bench:
        (later,) = try_all(bench, base, (technique,)).trials
    assert later.outcome is Outcome.GOAL, "what the host ended is not kept"


def test_an_emulator_that_waits_for_somebody_is_no_machine_that_hangs(mini, cache, tmp_path):
    # Started stopped: it waits for a debugger's word, each time at the same place, and does not compute.
    system = mini("GOAL\n", limits=msgspec.structs.replace(LIMITS, stall_wall_s=2.5))
    system = msgspec.structs.replace(system, machine=msgspec.structs.replace(system.machine, extra=("-S",)))
    attacker = Attacker(tmp_path, 0, label="", times=0)
    with Bench(QemuTarget(cache), tmp_path / "store", observer=attacker) as bench:
        recording = bench.boot(system, "x")
    assert recording.by_host, recording.meta.reason
    assert recording.meta.emulator_waited
    assert "QEMU did not compute" in recording.meta.reason
    assert "3 boots, each ended by the host" in recording.meta.reason
    assert len(attacker.again) == 2


def test_an_emulator_that_is_stopped_for_longer_than_every_limit_of_the_host(working, cache, tmp_path):
    attacker = Attacker(tmp_path, signal.SIGSTOP, label="x", times=1)

    def let_go() -> None:
        while attacker.left:
            time.sleep(0.01)
        time.sleep(3 * LIMITS.stall_wall_s)
        for pid in emulators(tmp_path):
            os.kill(pid, signal.SIGCONT)

    helper = threading.Thread(target=let_go)
    helper.start()
    with Bench(QemuTarget(cache), tmp_path / "store", observer=attacker) as bench:
        recording = bench.boot(working, "x")
        helper.join(30)
        undisturbed = bench.boot(working, "y", fresh=1)
    assert recording.ok, recording.meta.reason
    assert attacker.again == [], "it went on where it was"
    assert recording.console == undisturbed.console
    assert recording.meta.goal_insns == undisturbed.meta.goal_insns


@pytest.mark.parametrize("stopped_for_s", [0.0, 1.0])
def test_the_end_of_an_open_line_is_not_the_hosts_affair(mini, cache, tmp_path, stopped_for_s):
    # The goal's line stays open for 0.13 s of virtual time and then grows: `$` matches no more.
    system = mini("begin GOAL", text_after=" not yet\n", delay_loops=1000, goal="GOAL$", limits=LIMITS)
    system = msgspec.structs.replace(system, limits=Limits(virtual_s=60, stall_virtual_s=1, wall_s=300))
    attacker = Attacker(tmp_path, signal.SIGSTOP, label="x", times=1 if stopped_for_s else 0)

    def let_go() -> None:
        while attacker.left:
            time.sleep(0.01)
        time.sleep(stopped_for_s)
        for pid in emulators(tmp_path):
            os.kill(pid, signal.SIGCONT)

    helper = threading.Thread(target=let_go)
    helper.start()
    with Bench(QemuTarget(cache), tmp_path / "store", observer=attacker) as bench:
        recording = bench.boot(system, "x")
    helper.join(30)
    assert attacker.left == 0
    assert recording.meta.outcome is Outcome.HANG
    assert recording.console.endswith(b"begin GOAL not yet\n")


def test_a_garbled_plugin_is_built_again(cache, caplog):
    found = emulator.find(Machine())
    made = plugin.prepare(found, cache.root)
    whole = Path(str(made.path)).read_bytes()
    Path(str(made.path)).write_bytes(whole[:2000])
    assert plugin.prepare(found, cache.root) == made
    assert Path(str(made.path)).read_bytes()[:4] == b"\x7fELF"
    assert len(Path(str(made.path)).read_bytes()) > 2000
    assert "is damaged" in caplog.text
