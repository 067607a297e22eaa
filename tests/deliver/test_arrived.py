# SPDX-License-Identifier: MIT
"""`verify --boot`: the build is booted to the goal of the result, and the times say what of the gain arrived."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bootlab.api import System
from bootlab.api.deliver import Verified, verify
from bootlab.deliver.written import write
from tests.deliver.made import over
from tests.mini_kernel import mini_kernel

pytestmark = pytest.mark.qemu
RESULT = """\
name = "box"
[machine]
type = "q35"
memory_mib = 256
[kernel]
image = "kernel"
cmdline = "console=ttyS0"
[goal]
console = "usable"
"""


def booted(folder: Path, *, loops: int, says: str = "usable\n", machine: str = "q35") -> Verified:
    """Hand a system over whose base took 3 and whose result took 1 turn of a loop, and boot a build of `loops`."""
    folder.mkdir()
    (folder / "system.toml").write_text(RESULT.replace("q35", machine))
    goals = []
    for turns in (30, 10):
        mini_kernel(folder / "kernel", "start\n", text_after="usable\n", delay_loops=turns)
        boot = System.load(folder / "system.toml", store=folder / "store", cache=folder / "cache").boot()
        goals.append(boot.recording.meta.goal_ns)
    write(msgspec.structs.replace(over("quiet"), base_ns=goals[0], final_ns=goals[1]), folder)
    build = mini_kernel(folder / "build", "start\n", text_after=says, delay_loops=loops)
    return verify([build], folder, boot=True, store=folder / "store", cache=folder / "cache")


def test_all_of_the_gain_half_of_it_or_none(tmp_path):
    whole, half, none = (booted(tmp_path / str(loops), loops=loops) for loops in (10, 20, 30))
    assert whole.build_ns == whole.final_ns
    assert "arrived (100.0 %)" in whole.gain
    assert "arrived (50.0 %)" in half.gain
    assert none.build_ns == none.base_ns
    assert "arrived (0.0 %)" in none.gain


def test_a_build_that_does_not_become_usable_gained_nothing(tmp_path):
    failed = booted(tmp_path / "failed", loops=10, says="panic\n")
    assert failed.build_ns is None
    assert "did not reach the goal" in failed.gain


def test_times_of_another_machine_are_not_compared(tmp_path):
    other = booted(tmp_path / "other", loops=10, machine="pc")
    assert "the times cannot be compared" in other.gain
