# SPDX-License-Identifier: MIT
"""A board that starts from its card: the boot ROM enters what lies at 8 KiB, and its lines are stages from power-on."""

import itertools
import shutil
import threading

import msgspec
import pytest

from bootlab.analysis.stages import stages_of
from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget
from bootlab.tracing.boot import TraceRequest, traced
from tests.mini_boards import mini_board_kernel

pytestmark = pytest.mark.qemu

BOARD = Machine(arch="arm", type="orangepi-pc", memory_mib=1024, cpus=4)
CHAIN = (
    "\nU-Boot SPL 2023.01\nTrying to boot from MMC1\nU-Boot 2023.01 mini\nHit any key to stop autoboot:  0 \nScanning\n"
    "Kernel image @ 0x42000000\nStarting kernel ...\n"
)
FELL = (
    "\nU-Boot SPL 2023.01\nTrying to boot from MMC1\nExpected image is not found. Trying to start U-boot\n"
    "U-Boot 2023.01\n"
)


@pytest.fixture
def boot(cache, tmp_path):
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("qemu-system-arm is not installed: scripts/setup-debian.sh test")

    def run(text: str, folder: str, **loader: object):
        first = mini_board_kernel(tmp_path / "first", BOARD, text, text_after="GOAL 1\n", loops=50_000)
        card = tmp_path / "card.img"
        with card.open("wb") as file:
            file.seek(8 << 10)
            file.write(first.read_bytes())
            file.truncate(64 << 20)
        system = SystemDescription(
            name="chain",
            kernel=Kernel(image=str(first)),
            goal=Goal(console="GOAL"),
            machine=BOARD,
            cmdline=CommandLine.parse("console=ttyS0 maxcpus=1"),
            clock=Clockwork(shift=4),
            limits=Limits(virtual_s=20, stall_virtual_s=5, wall_s=120, stall_wall_s=60),
            loader=Loader(card=str(card), **loader),
        )
        target = QemuTarget(cache)
        plan = target.plan(system)
        return plan, target.boot(plan, tmp_path / folder, stop=threading.Event())

    return run


@pytest.mark.telling("from power-on")
def test_the_stages_begin_at_power_on_and_add_up(boot):
    plan, first = boot(CHAIN, "a")
    assert first.meta.outcome is Outcome.GOAL, first.meta.reason
    assert "-kernel" not in plan.command
    assert "-append" not in plan.command
    stages = stages_of(first)
    assert [stage.name for stage in stages] == [
        "SPL", "SPL load", "U-Boot", "autoboot wait", "kernel load", "kernel checks", "jump to kernel",
    ]  # fmt: skip
    assert stages[0].start_ns == 0
    assert all(a.start_ns + a.duration_ns == b.start_ns for a, b in itertools.pairwise(stages))
    assert sum(stage.duration_ns for stage in stages) == first.meta.goal_ns
    _, second = boot(CHAIN, "b")
    assert (first.marks, first.console) == (second.marks, second.console)


def test_a_trace_knows_where_the_boot_loader_enters_the_kernel(boot, cache, tmp_path):
    plan, _ = boot(CHAIN, "a")
    symbols = tmp_path / "System.map"
    symbols.write_text("c0008000 T stext\nc0008000 T _text\nc0101000 T start_kernel\nc0200000 B _end\n")
    kernel = msgspec.structs.replace(plan.system.kernel, symbols=str(symbols))
    entered = {"spl": 0, "kernel-entry": 0x42000000, "decompression": 0x42000000, "kernel-image": 0x40008000}
    plan = msgspec.structs.replace(plan, system=msgspec.structs.replace(plan.system, kernel=kernel), of_loader=entered)
    words = traced(plan, TraceRequest(), cache).launch.plugins[0].arguments
    assert {"decompress=0x42000000", "kernel=0x40008000", "alone=1"} <= set(words)
    assert not [word for word in words if word.startswith("setup=")]


def test_a_fallback_from_falcon_mode_stands_in_the_recording(boot):
    _, fell = boot(FELL, "a", start="falcon")
    assert fell.meta.outcome is Outcome.GOAL, fell.meta.reason
    (note,) = [note for note in fell.meta.notes if "falcon" in note]
    assert "Expected image is not found" in note
    _, whole = boot("\nU-Boot SPL 2023.01\nTrying to boot from MMC1\n", "b", start="falcon")
    assert not [note for note in whole.meta.notes if "falcon" in note]
