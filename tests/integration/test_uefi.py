# SPDX-License-Identifier: MIT
"""A PC from power-on: UEFI, EFI stub, Linux; stages that add up, and the same boot twice."""

import itertools
import os
import threading
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget
from tests.uefi_kernel import uefi_kernel

FIRMWARE = Path(os.environ.get("BOOTLAB_OVMF", "/usr/share/ovmf/OVMF.fd"))
STUB = Path(os.environ.get("BOOTLAB_EFI_PROGRAMS", "/usr/lib/systemd/boot/efi")) / "linuxx64.efi.stub"

pytestmark = [
    pytest.mark.qemu,
    pytest.mark.skipif(not FIRMWARE.is_file(), reason="OVMF is not installed: scripts/setup-debian.sh loaders"),
]


@pytest.fixture
def boot(cache, tmp_path):
    def run(folder: str, **loader: object):
        system = SystemDescription(
            name="pc-uefi",
            kernel=Kernel(image=str(uefi_kernel(tmp_path / "kernel", "GOAL 1\n"))),
            goal=Goal(console="GOAL"),
            machine=Machine(type="q35", cpu="max", memory_mib=256),
            cmdline=CommandLine.parse("console=ttyS0 panic=-1"),
            clock=Clockwork(shift=4),
            limits=Limits(virtual_s=60, stall_virtual_s=30, wall_s=1200, stall_wall_s=600),
            loader=Loader(uefi=str(FIRMWARE), **loader),
        )
        target = QemuTarget(cache)
        made = target.boot(target.plan(system), tmp_path / folder, stop=threading.Event())
        assert made.meta.outcome is Outcome.GOAL, (made.meta.reason, made.console.decode(errors="replace")[-800:])
        return made

    return run


def names_of(made) -> list[str]:
    stages = stages_of(made)
    assert stages[0].start_ns == 0
    assert all(a.start_ns + a.duration_ns == b.start_ns for a, b in itertools.pairwise(stages))
    assert sum(stage.duration_ns for stage in stages) == made.meta.goal_ns
    return [stage.name for stage in stages]


def test_the_firmware_starts_the_kernels_stub(boot):
    first, second = boot("a", start="stub"), boot("b", start="stub")
    assert names_of(first) == ["firmware", "EFI stub", "decompression"]
    assert (first.marks, first.console) == (second.marks, second.console)


@pytest.mark.skipif(not STUB.is_file(), reason="systemd's stub is not installed: scripts/setup-debian.sh loaders")
def test_one_efi_program_with_all_in_it(boot):
    made = boot("a", start="unified", program=str(STUB))
    assert names_of(made) == ["firmware", "EFI program", "EFI stub", "decompression"]
