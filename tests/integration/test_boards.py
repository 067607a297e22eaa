# SPDX-License-Identifier: MIT
"""The boards of every architecture: boots repeat, and each console byte has the time of the store that wrote it."""

from __future__ import annotations

import shutil
import threading

import numpy as np
import pytest

from bootlab.launch import emulator, kvm
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.following import Follower
from bootlab.targets.qemu import QemuTarget
from tests.bare_guests import WIDENED, build_preload
from tests.mini_boards import PRINT_LOOP_INSNS, mini_board_kernel

pytestmark = pytest.mark.qemu

BOARDS = [
    Machine(arch="arm", type="vexpress-a9", memory_mib=64),
    Machine(arch="arm", memory_mib=64),
    Machine(arch="arm64", memory_mib=64),
    Machine(arch="riscv64", memory_mib=64),
]


@pytest.fixture(params=BOARDS, ids=lambda m: f"{m.arch}-{m.type}")
def board(request):
    if shutil.which(request.param.architecture.emulator) is None:
        pytest.skip(f"{request.param.architecture.emulator} is not installed: scripts/setup-debian.sh test")
    return request.param


@pytest.fixture
def boot(cache, tmp_path):
    def run(machine: Machine, folder: str, **clock: object) -> Recording:
        image = tmp_path / "kernel"
        mini_board_kernel(image, machine, "\r\nhello, board\n", text_after="GOAL 1\n", loops=50_000)
        system = SystemDescription(
            name="board",
            kernel=Kernel(image=str(image)),
            goal=Goal(console="GOAL"),
            machine=machine,
            cmdline=CommandLine.parse("console=ttyAMA0"),
            clock=Clockwork(**clock),
            limits=Limits(virtual_s=20, stall_virtual_s=2, wall_s=30, stall_wall_s=10),
        )
        target = QemuTarget(cache)
        return target.boot(target.plan(system), tmp_path / folder, stop=threading.Event())

    return run


@pytest.mark.telling("architectures")
def test_two_boots_are_equal_and_every_byte_has_its_stamp(board, boot, tmp_path):
    first, second = boot(board, "a"), boot(board, "b")
    assert first.meta.outcome is Outcome.GOAL, first.meta.reason
    assert first.console == second.console
    assert (first.marks, first.meta.goal_insns) == (second.marks, second.meta.goal_insns)
    one, two = (np.load(tmp_path / f / "stamps.npz") for f in "ab")
    assert all((one[k] == two[k]).all() for k in ("ends", "ns", "insns"))
    assert (one["ends"] == np.arange(1, len(first.console) + 1)).all(), "one stamp a byte"
    text = first.console.index(b"hello, board")
    steps = np.diff(one["insns"][text : text + len("hello, board\n")])
    assert set(steps.tolist()) == {PRINT_LOOP_INSNS[board.arch]}, "the loop's own instructions, no more"
    assert (one["ns"] == one["insns"] * 2).all(), "shift 1"


@pytest.mark.parametrize("settled", [True, False])
def test_no_byte_keeps_the_time_of_the_one_before_it(board, boot, tmp_path, monkeypatch, settled):
    """The stamp comes 20 ms of the host behind the byte; a machine that is ended in between must not lose it."""
    if board.arch == "riscv64":
        pytest.skip("its firmware prints too much for 20 ms a byte; tests/integration/test_halt.py has it without")
    calm = boot(board, "calm")
    monkeypatch.setenv("LD_PRELOAD", str(build_preload(tmp_path)))
    for name, value in WIDENED["before the stamp"].items():
        monkeypatch.setenv(name, value)
    if not settled:
        monkeypatch.setattr(Follower, "_settled", lambda *_: True)
    one = np.load(tmp_path / "calm" / "stamps.npz")["insns"]
    equal = []
    # Without the look at the stamps a busy host may still end the machine late enough, but not every time.
    for number in range(1 if settled else 5):
        late = boot(board, f"late{number}")
        assert late.console == calm.console
        two = np.load(tmp_path / f"late{number}" / "stamps.npz")["insns"]
        equal.append(np.array_equal(one, two))
        if not equal[-1]:
            break
    assert all(equal) is settled, "without the look at the stamps this test fails"


def test_where_the_kernel_is_entered(board, boot):
    recording = boot(board, "a")
    times = {m.name: m.insns for m in recording.marks}
    first_byte = next(x for x in recording.lines if "hello" in x.text)
    # Two instructions lead to the printing function, at most three to its first byte, and two bytes end a line before.
    steps = first_byte.insns - times["kernel-entry"]
    assert 2 * PRINT_LOOP_INSNS[board.arch] < steps <= 2 * PRINT_LOOP_INSNS[board.arch] + 10


def test_free_mode_has_wall_clock_stamps(board, boot, tmp_path):
    recording = boot(board, "a", mode="free", accel="tcg")
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    assert recording.meta.goal_ns is not None
    assert recording.meta.stamped
    table = np.load(tmp_path / "a" / "stamps.npz")
    assert table["ends"][-1] >= len(recording.console)
    assert (np.diff(table["ns"]) >= 0).all()


@pytest.mark.parametrize("arch", ["x86_64", "arm", "arm64", "riscv64"])
def test_the_probe_for_kvm_prints_its_letter(arch):
    machine = Machine(arch=arch)
    if shutil.which(machine.architecture.emulator) is None:
        pytest.skip(f"{machine.architecture.emulator} is not installed: scripts/setup-debian.sh test")
    state = kvm.run_probe(emulator.find(machine), arch, ("-accel", "tcg", "-cpu", machine.cpu), wait_s=30)
    assert state.works, state.reason
