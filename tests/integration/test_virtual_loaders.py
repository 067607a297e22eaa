# SPDX-License-Identifier: MIT
"""U-Boot on the machines `virt`, from power-on: alone and behind TF-A on AArch64, behind OpenSBI on RISC-V."""

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
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget
from tests.mini_boards import mini_board_kernel

pytestmark = pytest.mark.qemu

U_BOOT = {
    "arm64": Path("/usr/lib/u-boot/qemu_arm64/u-boot.bin"),
    "riscv64": Path("/usr/lib/u-boot/qemu-riscv64_smode/u-boot.bin"),
}
TF_A = Path(os.environ.get("BOOTLAB_TFA", "/nonexistent"))
OP_TEE = Path(os.environ.get("BOOTLAB_OPTEE", "/nonexistent"))


@pytest.fixture
def boot(cache, tmp_path):
    def run(arch: str, image: Path, options: tuple[str, ...] = ()):
        emulator = {"arm64": "qemu-system-aarch64", "riscv64": "qemu-system-riscv64"}[arch]
        if shutil.which(emulator) is None or not image.is_file() or shutil.which("fdtput") is None:
            pytest.skip(f"{emulator}, {image} or fdtput is missing: scripts/setup-debian.sh boards loaders")
        machine = Machine(arch=arch, memory_mib=1024, options=options)
        kernel = mini_board_kernel(tmp_path / "kernel", machine, "mini\n", text_after="GOAL 1\n", loops=50_000)
        with kernel.open("r+b") as file:
            # Documentation/arm64/booting.rst: it may lie anywhere; riscv/boot-image-header.rst: behind the firmware.
            file.seek(24 if arch == "arm64" else 8)
            file.write((8 if arch == "arm64" else 2 << 20).to_bytes(8, "little"))
        system = SystemDescription(
            name="chain",
            kernel=Kernel(image=str(kernel)),
            goal=Goal(console="GOAL"),
            machine=machine,
            cmdline=CommandLine.parse("console=ttyS0"),
            clock=Clockwork(shift=3),
            limits=Limits(virtual_s=120, stall_virtual_s=60, wall_s=1200, stall_wall_s=600),
            loader=Loader(image=str(image)),
        )
        target = QemuTarget(cache)
        plan = target.plan(system)
        made = []
        for name in ("a", "b"):
            recording = target.boot(plan, tmp_path / name, stop=threading.Event())
            assert recording.meta.outcome is Outcome.GOAL, (
                recording.meta.reason,
                recording.console.decode(errors="replace")[-800:],
            )
            made.append(recording)
        first, second = made
        assert (first.marks, first.console) == (second.marks, second.console)
        stages = stages_of(first)
        assert stages[0].start_ns == 0
        assert all(a.start_ns + a.duration_ns == b.start_ns for a, b in itertools.pairwise(stages))
        assert sum(stage.duration_ns for stage in stages) == first.meta.goal_ns
        return first, [stage.name for stage in stages]

    return run


def test_u_boot_alone_on_aarch64(boot):
    made, names = boot("arm64", U_BOOT["arm64"])
    assert names == ["U-Boot", "autoboot wait", "kernel load", "jump to kernel", "kernel start"]
    assert made.meta.artefact_bytes["loader"] == U_BOOT["arm64"].stat().st_size


def test_tf_a_before_u_boot(boot):
    if not TF_A.is_file():
        pytest.skip("BOOTLAB_TFA names no image of TF-A with U-Boot: scripts/build-tfa.sh")
    _, names = boot("arm64", TF_A, ("secure=on",))
    assert names[:2] == ["TF-A", "U-Boot"]
    assert names[-1] == "kernel start"


def test_op_tee_between_tf_a_and_u_boot(boot):
    if not OP_TEE.is_file():
        pytest.skip("BOOTLAB_OPTEE names no image of TF-A with OP-TEE and U-Boot: scripts/build-tfa.sh FOLDER op-tee")
    made, names = boot("arm64", OP_TEE, ("secure=on", "gic-version=3"))
    assert names[:3] == ["TF-A", "OP-TEE", "U-Boot"]
    assert made.mark("tf-a").ns < made.mark("op-tee").ns < made.mark("u-boot").ns


def test_opensbi_before_u_boot(boot):
    made, names = boot("riscv64", U_BOOT["riscv64"])
    assert names[:3] == ["firmware", "OpenSBI", "U-Boot"]
    assert names[-1] == "kernel start"
    assert made.mark("opensbi").ns < made.mark("u-boot").ns
