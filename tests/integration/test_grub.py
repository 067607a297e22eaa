# SPDX-License-Identifier: MIT
"""A PC from power-on: SeaBIOS, GRUB, Linux; stages that add up, and the same boot twice."""

import itertools
import shutil
import struct
import threading
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget
from tests.mini_kernel import mini_kernel

FOLDER = Path("/usr/lib/grub/i386-pc")

pytestmark = [
    pytest.mark.qemu,
    pytest.mark.skipif(
        not (FOLDER / "boot.img").is_file() or shutil.which("grub-mkimage") is None,
        reason="GRUB is not installed: scripts/setup-debian.sh loaders",
    ),
]


def protected_mode_kernel(path: Path) -> Path:
    """Write a bzImage whose protected-mode part, which GRUB enters, prints a line (Documentation/x86/boot.rst)."""
    head = bytearray(mini_kernel(path, "entered in real mode\n").read_bytes()[: 512 * 5])
    head[0x234] = 1  # relocatable
    struct.pack_into("<I", head, 0x230, 0x200000)
    struct.pack_into("<I", head, 0x260, 0x100000)  # room that it needs
    code = b"\xe8\x00\x00\x00\x00\x5e\x83\xc6\x3b"  # call on; pop esi; add esi, to the text at 0x40
    code += b"\x66\xba\xf8\x03\xac\x84\xc0\x74\x03\xee\xeb\xf8"  # mov dx, 0x3f8; print
    code += b"\xfa\xf4\xeb\xfd"  # cli; hlt; again
    path.write_bytes(bytes(head) + code.ljust(0x40, b"\0") + b"GOAL 1\n\0".ljust(4096, b"\0"))
    return path


@pytest.fixture
def boot(cache, tmp_path):
    def run(folder: str, **loader: object):
        system = SystemDescription(
            name="pc-grub",
            kernel=Kernel(image=str(protected_mode_kernel(tmp_path / "kernel"))),
            goal=Goal(console="GOAL"),
            machine=Machine(type="q35", cpu="max", memory_mib=256),
            cmdline=CommandLine.parse("console=ttyS0 panic=-1"),
            clock=Clockwork(shift=4),
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
        "firmware", "boot sector", "GRUB unpack", "GRUB", "GRUB menu", "kernel read", "decompression",
    ]  # fmt: skip
    menu = next(stage for stage in stages_of(first) if stage.name == "GRUB menu")
    assert menu.duration_ns >= 1_000_000_000
    _, second = boot("b", start="menu", wait_s=1)
    assert (first.marks, first.console) == (second.marks, second.console)


def test_a_command_in_the_core_needs_no_menu(boot):
    _, made = boot("a", start="command")
    assert names_of(made) == ["firmware", "boot sector", "GRUB unpack", "GRUB", "decompression"]
