# SPDX-License-Identifier: MIT
"""A shutdown: its key, its time from when it was asked, its stages; one that does not come fails with a reason."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from bootlab.analysis.stages import stages_of, timeline_of
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.emulator import Emulator
from bootlab.launch.ending import Decided, Ending
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.launch import LoadedPlugin
from bootlab.model.processors import Processors
from bootlab.model.recording import Outcome
from bootlab.model.shutdown import DOWN_FUNCTIONS, Shutdown
from bootlab.model.system import Clockwork, Goal, Kernel, SystemDescription
from bootlab.recordings.stamps import StampedMark, Stamps, Written
from bootlab.results.document import BootSummary
from bootlab.targets import shutdown
from bootlab.targets.asked_end import AskedEnd
from tests.launches import launch

MS = 1_000_000
SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="ready"), shutdown=Shutdown())
BOOT = b"ready\n# poweroff\r\n"
DOWN = b"The system is going down NOW!\nUnmounting file systems.\nreboot: Power down\n"
LATE = b"acpi: asleep\n"
PLAN = BootPlan(
    system=SYSTEM,
    purpose="timing",
    launch=launch(),
    key="k",
    machine_key="m",
    info=KernelInfo(),
    sizes_bytes={},
    sha256={},
    stamped=True,
    mark_names=("start-kernel", *DOWN_FUNCTIONS),
)


@pytest.fixture(autouse=True)
def _plugin(monkeypatch):
    monkeypatch.setattr(shutdown, "loaded", lambda *_: LoadedPlugin(file="/ends.so", arguments=("first=1",)))


def down(plan: BootPlan = PLAN) -> BootPlan:
    def keyed(launch, more):
        return msgspec.structs.replace(plan, key="+".join((*more, *(plugin.file for plugin in launch.plugins))))

    return shutdown.down(plan, keyed, Emulator(path="/q", version="7.2", numbers=(7, 2, 0)), SimpleNamespace(root=None))


def made(
    tmp_path, monkeypatch, *, written: Written | None = None, seen=("kernel_power_off", "machine_power_off"), **end
):
    """Return the recording of a shutdown that was asked for 1000 ms after power-on, at instruction 5000."""
    console = BOOT + DOWN + LATE
    lines = console.splitlines(keepends=True)
    ms = (400, 900, 1100, 1300, 1400, 1501)
    marks = {0: StampedMark(10 * MS, 50)}
    at = {"kernel_power_off": 1350, "machine_power_off": 1500, "kernel_restart": 600}
    marks |= {1 + DOWN_FUNCTIONS.index(name): StampedMark(at[name] * MS, 5 * at[name]) for name in seen}
    stamps = Stamps(
        ends=np.cumsum([len(line) for line in lines]),
        ns=np.array([n * MS for n in ms]),
        insns=np.array([5 * n for n in ms]),
        marks=marks,
        written=written,
    )
    monkeypatch.setattr(shutdown.StampFile, "read", lambda *_: stamps)
    folder = tmp_path / "boot"
    folder.mkdir()
    (folder / "console.log").write_bytes(console)
    (folder / "ends.bin").write_bytes(struct.pack("<q", 1))
    decided = Decided(Ending(Outcome.GOAL), ConsoleWatch(None, SYSTEM))
    usual = {"decided": decided, "how": "typed", "goal_ns": 400 * MS, "asked_ns": 1000 * MS, "asked_insns": 5000}
    recording = shutdown.record(down(), folder, AskedEnd(**usual | end), 2.0)
    assert not (folder / "ends.bin").exists()
    return recording


def test_time_begins_when_it_was_asked(tmp_path, monkeypatch):
    recording = made(tmp_path, monkeypatch)
    meta = recording.meta
    assert (meta.outcome, meta.goal_ns, meta.goal_insns, meta.goal_clock) == (Outcome.GOAL, 500 * MS, 2500, "virtual")
    assert recording.console == DOWN
    assert [(line.text[:12], line.first_ns) for line in recording.lines] == [
        ("The system i", 100 * MS),
        ("Unmounting f", 300 * MS),
        ("reboot: Powe", 400 * MS),
    ]
    assert [(mark.name, mark.ns // MS) for mark in recording.marks] == [
        ("asked", 0),
        ("last-processes", 100),
        ("unmounting", 300),
        ("kernel_power_off", 350),
        ("machine_power_off", 500),
        ("goal", 500),
    ]
    assert [(stage.name, stage.duration_ns // MS) for stage in stages_of(recording)] == [
        ("stopping services", 100),
        ("last processes", 200),
        ("unmounting", 50),
        ("devices down", 150),
    ]
    assert timeline_of(recording).missing == ()
    assert BootSummary.of(recording, timeline_of(recording)).whole == "asked to off"
    assert "time begins when the system was asked (power-button, 10 s" in meta.notes[-1]


@pytest.mark.parametrize(
    ("given", "outcome", "said"),
    [
        ({"trouble": "it did not go down"}, Outcome.HANG, "it did not go down"),
        ({"interrupted": True}, Outcome.INTERRUPTED, "from outside"),
        ({"asked_ns": 0}, Outcome.NO_GOAL, "by itself, before it was asked"),
        ({"seen": ("kernel_power_off",)}, Outcome.NO_GOAL, "none of its last functions"),
        ({"seen": ("kernel_restart",)}, Outcome.NO_GOAL, "none of its last functions"),
        ({"written": Written(taken=900, begun=900, failed=3)}, Outcome.CONSOLE_INCOMPLETE, "could not be written"),
    ],
)
def test_one_that_does_not_come_has_no_time(tmp_path, monkeypatch, given, outcome, said):
    meta = made(tmp_path, monkeypatch, **given).meta
    assert (meta.outcome, meta.goal_ns) == (outcome, None)
    assert said in meta.reason


def test_the_plan(monkeypatch):
    found = down()
    assert found.key == "k+power-button, 10 s of virtual time after the goal+/ends.so"
    assert found.machine_key == "", "no boot is read out of a shutdown"
    assert found.ends is not None
    assert found.launch.plugins[0].file == "/ends.so"
    diagnosis = msgspec.structs.replace(PLAN, purpose="diagnostic")
    assert down(diagnosis) is diagnosis
    boot = msgspec.structs.replace(PLAN, system=msgspec.structs.replace(SYSTEM, shutdown=None))
    assert down(boot) is boot


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"system": msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))}, "need exact mode"),
        ({"stamped": False, "lacks": ("no compiler",)}, "no compiler"),
        ({"mark_names": ("start-kernel",)}, "name none of machine_power_off"),
        ({"processors": Processors(count=2, mode="shared")}, "one processor only"),
    ],
)
def test_what_cannot_be_measured_is_refused(given, said):
    with pytest.raises(UserError, match=said):
        down(msgspec.structs.replace(PLAN, **given))
