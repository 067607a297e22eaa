"""A PC from power-on: SeaBIOS, GRUB, Linux; stages that add up, and the same boot twice."""

import itertools
import os
import shutil
import threading
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, System
from bootlab.targets.qemu import QemuTarget

FOLDER = Path("/usr/lib/grub/i386-pc")

pytestmark = [
    pytest.mark.qemu,
    pytest.mark.skipif("BOOTLAB_KERNEL" not in os.environ, reason="BOOTLAB_KERNEL names no kernel"),
    pytest.mark.skipif(
        not (FOLDER / "boot.img").is_file() or shutil.which("grub-mkimage") is None,
        reason="GRUB is not installed: scripts/setup-debian.sh loaders",
    ),
]


@pytest.fixture
def boot(cache, tmp_path):
    def run(folder: str, **loader: object):
        system = System(
            name="pc-grub",
            kernel=Kernel(image=os.environ["BOOTLAB_KERNEL"]),
            # GRUB and most of what comes before user space; the kernel needs no more to get here.
            goal=Goal(console=r"Memory: \d+K"),
            machine=Machine(type="q35", cpu="max", memory_mib=256),
            cmdline=CommandLine.parse("console=ttyS0 panic=-1"),
            clock=Clockwork(shift=1),
            limits=Limits(virtual_s=60, stall_virtual_s=30, wall_s=1200, stall_wall_s=600),
            loader=Loader(grub=str(FOLDER), **loader),
        )
        target = QemuTarget(cache)
        plan = target.plan(system)
        made = target.boot(plan, tmp_path / folder, stop=threading.Event())
        assert made.meta.outcome is Outcome.GOAL, (made.meta.reason, made.console.decode(errors="replace")[-800:])
        return plan, made

    return run


def names_of(made) -> list[str]:
    stages = stages_of(made)
    assert stages[0].start_ns == 0
    assert all(a.start_ns + a.duration_ns == b.start_ns for a, b in itertools.pairwise(stages))
    assert sum(stage.duration_ns for stage in stages) == made.meta.goal_ns
    return [stage.name for stage in stages]


def test_the_menu_waits_and_its_stages_add_up(boot):
    plan, first = boot("a", start="menu", wait_s=1)
    assert "-kernel" not in plan.command
    assert names_of(first) == [
        "firmware", "boot sector", "GRUB unpack", "GRUB", "GRUB menu", "kernel read", "decompression", "kernel start",
        "kernel",
    ]  # fmt: skip
    menu = next(stage for stage in stages_of(first) if stage.name == "GRUB menu")
    assert menu.duration_ns >= 1_000_000_000
    _, second = boot("b", start="menu", wait_s=1)
    assert (first.marks, first.console) == (second.marks, second.console)


def test_a_command_in_the_core_needs_no_menu(boot):
    _, made = boot("a", start="command")
    assert names_of(made) == [
        "firmware", "boot sector", "GRUB unpack", "GRUB", "decompression", "kernel start", "kernel",
    ]  # fmt: skip
    booted = next(line.text for line in made.lines if "Command line:" in line.text)
    assert "console=ttyS0 panic=-1 nokaslr" in booted
