# SPDX-License-Identifier: MIT
"""Exact mode on a real Debian kernel: boots repeat, stamps are right, broken set-ups are found out."""

from __future__ import annotations

import re
import subprocess
import sys

import msgspec
import numpy as np
import pytest

from bootlab.api import System
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Check, Goal
from bootlab.model.verdict import Verdict
from tests.lean_kernel import PARAMETERS

pytestmark = pytest.mark.qemu


def opened(value, folder, jobs=2):
    return System(value, store=folder / "store", jobs=jobs)


@pytest.fixture(scope="module")
def camera(demo):
    """Return the demo with its packed kernel, less what only takes time."""
    return msgspec.structs.replace(demo, cmdline=CommandLine.parse(f"{demo.cmdline} {PARAMETERS}"))


@pytest.fixture(scope="module")
def three(camera, tmp_path_factory):
    """Return three boots of the demo, made while two busy loops load the cores."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        return opened(camera, tmp_path_factory.mktemp("exact")).repeat_recordings(3)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@pytest.mark.telling("boot", "equal under load")
def test_three_boots_are_equal_under_load(three):
    recordings, equality = three
    assert equality.equal, equality.difference
    assert len({r.console for r in recordings}) == 1
    assert len({(r.meta.goal_ns, r.meta.goal_insns, r.marks) for r in recordings}) == 1
    assert all(r.ok and r.meta.check_groups for r in recordings)
    assert len({r.path for r in recordings}) == 3, "each is a boot of its own"


@pytest.mark.telling("boot")
def test_every_line_and_every_stage_has_its_time(three):
    (recording, *_), _ = three
    assert all(line.first_ns is not None for line in recording.lines)
    times = [line.first_ns for line in recording.lines]
    assert times == sorted(times)
    assert {m.name for m in recording.marks} >= {
        "power-on", "kernel-entry", "decompression", "kernel-image", "start-kernel", "user-space", "rc-scripts",
        "application", "goal",
    }  # fmt: skip


@pytest.mark.telling("boot")
def test_the_plugin_changes_no_byte(three, camera, tmp_path_factory, monkeypatch):
    (with_plugin, *_), _ = three
    monkeypatch.setenv("BOOTLAB_NO_PLUGIN", "1")
    folder = tmp_path_factory.mktemp("bare")
    without = opened(camera, folder, jobs=1).boot().recording
    assert without.ok
    assert not without.meta.stamped
    assert without.meta.goal_clock == "printk"
    # The kernel's stamps are in these bytes: its clock saw no difference either.
    assert without.console == with_plugin.console


@pytest.mark.telling("boot")
def test_virtual_time_and_the_kernels_own_stamps_agree(three):
    """Kernel stamps and virtual time differ by a constant and by the error of the kernel's clock calibration.

    Until its first clock source is chosen the kernel's clock is steered by ticks and jumps forward; by how much, the
    line `sched_clock: Marking stable` says. Measured with Debian's 6.1: offset 82 ms, slope -28 ppm, calibration
    -49 ppm, residuals below 0.02 ms, jumps 176 ms.
    """
    (recording, *_), _ = three
    lines = [x for x in recording.lines if x.printk_ns]
    console = next(n for n, x in enumerate(lines) if "console [ttyS0] enabled" in x.text)
    steered = 1 + next(n for n, x in enumerate(lines) if "Switched to clocksource tsc-early" in x.text)
    assert console < steered < len(lines) - 30
    kernel_ns = np.array([x.printk_ns for x in lines[steered:]], dtype=float)
    virtual_ns = np.array([x.first_ns for x in lines[steered:]], dtype=float)
    slope, offset_ns = np.polyfit(kernel_ns, virtual_ns, 1)
    residual_ns = np.abs(virtual_ns - (slope * kernel_ns + offset_ns))
    tsc = float(re.search(r"Detected ([\d.]+) MHz", recording.find("tsc: Detected").text)[1])
    if _console_has_a_thread(recording):
        # Its lines leave at most one tick of 4 ms after their stamps, the soonest at once.
        lag_ns = virtual_ns - kernel_ns
        assert lag_ns.max() - lag_ns.min() < 4_500_000
        return
    assert abs(slope - 1) <= abs(tsc / 1000 - 1) + 20e-6, "1000 MHz are exact: one instruction takes 2 ns, a cycle 1"
    assert residual_ns.max() < 100_000
    assert np.median(residual_ns) < 20_000
    jumps_ns = int(re.search(r"->\(-?\d+, (-?\d+)\)", recording.find("Marking stable").text)[1])
    early = lines[console + 1]
    assert early.first_ns - early.printk_ns - offset_ns == pytest.approx(jumps_ns, abs=200_000)


def _console_has_a_thread(recording) -> bool:
    """Tell whether the UART's driver prints in a thread of its own (CON_NBCON in 8250_core.c: 7.3 has it, 6.12 not)."""
    version = re.search(r"Linux version (\d+)\.(\d+)", recording.find("Linux version").text)
    return (int(version[1]), int(version[2])) >= (7, 0)


def test_a_real_time_clock_of_the_host_is_found_out(small, tmp_path):
    machine = msgspec.structs.replace(small.machine, extra=("-rtc", "base=utc,clock=host"))
    broken = msgspec.structs.replace(small, machine=machine)
    # One at a time: within one second the clocks would agree.
    _, equality = opened(broken, tmp_path, jobs=1).repeat(2)
    assert not equality.equal
    assert "real-time clock follows the host" in equality.causes[0]
    assert len(equality.causes) == 1


def test_another_goal_is_read_out_of_a_kept_boot_as_a_boot_would_have_it(small, tmp_path):
    system = opened(small, tmp_path)
    first = system.boot().recording
    line = next(x for x in first.lines if "Run " in x.text and "as init process" in x.text)
    earlier = msgspec.structs.replace(
        small, goal=Goal(console="Run .* as init process"), check=Check(), marks=(("banner", "Linux version"),)
    )
    read = system.like(earlier).boot().recording
    assert read.meta.read_from == first.meta.key
    assert line.first_ns < read.meta.goal_ns <= line.last_ns
    booted = system.like(earlier).boot(fresh=True).recording
    assert (booted.meta.read_from, booted.console, booted.marks) == ("", read.console, read.marks)
    assert (booted.meta.goal_ns, booted.meta.goal_insns) == (read.meta.goal_ns, read.meta.goal_insns)


def test_random_instructions_repeat_too_where_qemu_is_seeded(small, tmp_path):
    """QEMU takes what RDRAND gives from `-seed`: exact mode repeats even for a user who switches it on again."""
    seeded = msgspec.structs.replace(small, machine=msgspec.structs.replace(small.machine, cpu="max,rdrand=on"))
    recordings, equality = opened(seeded, tmp_path).repeat_recordings(2)
    assert equality.equal
    assert "-seed" in recordings[0].meta.command


@pytest.mark.telling("try", "no effect is no gain")
def test_a_technique_without_effect_is_no_gain(small, tmp_path):
    # Its boots go on for no longer than it takes to see the parameter's line.
    early = msgspec.structs.replace(small, goal=Goal(console="Mount-cache hash table"), check=Check(), marks=())
    results = opened(early, tmp_path).try_("lpj-preset")
    (trial,) = results.trials
    assert trial.verdict is Verdict.NO_EFFECT
    assert "skipped" in trial.reason
    assert "(forced)" in results.data.techniques[0].reason
    assert trial.change.ops[0].key == "lpj"
