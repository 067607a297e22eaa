# SPDX-License-Identifier: MIT
"""Every way a boot can end, each by a real machine."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget

pytestmark = [pytest.mark.qemu, pytest.mark.telling("endings")]


def boot(system: SystemDescription, cache: Cache, folder: Path) -> Recording:
    target = QemuTarget(cache)
    return target.boot(target.plan(system), folder, stop=threading.Event())


def test_goal_is_reached_and_stamped(mini, cache, tmp_path):
    recording = boot(mini("hello\nGOAL 1\nmore\n"), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.GOAL
    assert recording.meta.goal_clock == "virtual"
    assert recording.meta.goal_ns == recording.meta.goal_insns * 2
    assert recording.console.endswith(b"GOAL 1\n"), "nothing behind the goal's line is kept"
    assert all(line.first_ns is not None for line in recording.lines)
    assert [m.name for m in recording.marks] == ["power-on", "firmware", "kernel-entry", "goal"]


def test_goal_in_a_line_that_never_ends(mini, cache, tmp_path):
    recording = boot(mini("login: ", goal="login: $"), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.GOAL
    assert recording.console.endswith(b"login: ")


def test_hang_says_its_last_line(mini, cache, tmp_path):
    recording = boot(mini("starting the flux\n", "spin"), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.HANG
    assert "starting the flux" in recording.meta.reason
    assert recording.meta.outcome.exit_code == 42


def test_hang_names_the_initcall_that_did_not_return(mini, cache, tmp_path):
    text = (
        "calling  good_init+0x0/0x10 @ 1\ninitcall good_init+0x0/0x10 returned 0 after 1 usecs\n"
        "calling  stuck_init+0x0/0x10 @ 1\n"
    )
    recording = boot(mini(text, "spin"), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.HANG
    assert recording.meta.last_initcall == "stuck_init"


def test_a_machine_that_prints_for_ever_is_stopped(mini, cache, tmp_path):
    limits = Limits(virtual_s=0.03, stall_virtual_s=3, wall_s=30, stall_wall_s=10)
    recording = boot(mini("tick\n", "repeat", limits=limits), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.HANG
    assert "0.03 s of virtual time" in recording.meta.reason


def test_reset_before_the_goal(mini, cache, tmp_path):
    recording = boot(mini("bye\n", "reset"), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.NO_GOAL
    assert "bye" in recording.meta.reason


def test_panic(mini, cache, tmp_path):
    text = "Kernel panic - not syncing: VFS: Unable to mount root fs\n---[ end Kernel panic - not syncing ]---\n"
    recording = boot(mini(text), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.PANIC
    assert "Unable to mount root" in recording.meta.reason


def test_program_of_another_processor(mini, cache, tmp_path):
    text = "Failed to execute /init (error -8)\nKernel panic - not syncing: No working init found.\n"
    recording = boot(mini(text), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.WRONG_ARCH


def test_kernel_of_another_processor(mini, cache, tmp_path):
    system = mini("x\n")
    image = Path(system.kernel.image)
    image.write_bytes(b"\0" * 56 + b"ARM\x64" + b"\0" * 4096)
    recording = boot(system, cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.WRONG_ARCH
    assert "x86_64" in recording.meta.reason


def test_check_that_never_comes(mini, cache, tmp_path):
    recording = boot(mini("GOAL\n", check=(r"sum=(\d+)",)), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.CHECK_FAILED
    assert recording.meta.check_missing == (r"sum=(\d+)",)


def test_check_behind_the_goal(mini, cache, tmp_path):
    system = mini("GOAL\n", text_after="sum=42\nmore\n", delay_loops=2, check=(r"sum=(\d+)",))
    recording = boot(system, cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.GOAL
    assert recording.meta.check_groups == (("42",),)
    assert recording.console.endswith(b"sum=42\n")


def test_no_console(mini, cache, tmp_path):
    system = mini("", "spin", prefix="")
    # graphics=on: SeaBIOS keeps off the serial line too.
    system = msgspec.structs.replace(system, machine=Machine(memory_mib=32, options=("graphics=on",)))
    recording = boot(system, cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.NO_CONSOLE


def test_emulator_refuses(mini, cache, tmp_path):
    system = mini("x\n", machine=Machine(type="no-such-machine"))
    recording = boot(system, cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.CANNOT_START
    assert "unsupported machine type" in recording.meta.reason


def test_emulator_killed(mini, cache, tmp_path):
    system = mini("alive\n", "spin")
    done: list[Recording] = []
    thread = threading.Thread(target=lambda: done.append(boot(system, cache, tmp_path / "boot")))
    thread.start()
    for _ in range(200):
        found = subprocess.run(["pgrep", "-f", system.kernel.image], capture_output=True, text=True, check=False)
        if found.stdout and (tmp_path / "boot/console.log").exists():
            break
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
    thread.join(20)
    assert done[0].meta.outcome is Outcome.EMULATOR_DIED
    assert "signal 9" in done[0].meta.reason


@pytest.mark.parametrize("plugin", [True, False])
def test_plugin_changes_no_byte_and_no_time(mini, tmp_path, cache, plugin, monkeypatch):
    if not plugin:
        monkeypatch.setenv("BOOTLAB_NO_PLUGIN", "1")
    recording = boot(mini("hello\nGOAL\n", delay_loops=5), cache, tmp_path / "boot")
    assert recording.ok
    assert recording.console.count(b"hello") == 1
    assert recording.meta.stamped is plugin
    assert any("no stamp plugin" in lack for lack in recording.meta.lacks) is not plugin


def test_stop_from_outside(mini, cache, tmp_path):
    target = QemuTarget(cache)
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    recording = target.boot(target.plan(mini("x\n", "spin")), tmp_path / "boot", stop=stop)
    assert recording.meta.outcome is Outcome.INTERRUPTED
