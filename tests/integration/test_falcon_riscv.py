# SPDX-License-Identifier: MIT
"""RISC-V's falcon mode with a U-Boot built here: OpenSBI starts the kernel; what is broken goes to U-Boot."""

import os
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.loader.source import SOURCE_VARIABLE
from bootlab.builders.loader.virtual_spl import OPENSBI
from bootlab.model.boot_loader import Loader, LoaderBuild
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget
from tests.integration.falcon_shown import assert_falcon
from tests.mini_boards import mini_board_kernel

pytestmark = [
    # A build of U-Boot takes two minutes of a processor that is free; the cache keeps it.
    pytest.mark.timeout(3600),
    pytest.mark.qemu,
    pytest.mark.skipif(
        SOURCE_VARIABLE not in os.environ,
        reason=f"builds U-Boot twice: {SOURCE_VARIABLE} names its source (scripts/fetch-uboot-source.sh)",
    ),
]

MACHINE = Machine(arch="riscv64", memory_mib=1024)
# Without what is long to compile.
QUICK = (("BOOTDELAY", "0"), ("EFI_LOADER", "n"), ("MTD_NOR_FLASH", "n"), ("E1000", "n"))
NORMAL = Loader(build=LoaderBuild(base="qemu-riscv64_spl_defconfig", options=QUICK))
FALCON = msgspec.structs.replace(NORMAL, start="falcon", checked=True)


@pytest.fixture(scope="module")
def boot(tmp_path_factory):
    from bootlab.builders.cache import Cache, default_folder  # noqa: PLC0415

    for name in ("qemu-system-riscv64", "riscv64-linux-gnu-gcc", "dtc", "fdtput"):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed: scripts/setup-debian.sh boards kernels loaders")
    if not OPENSBI.is_file():
        pytest.skip("opensbi is not installed: scripts/setup-debian.sh boards")
    folder = tmp_path_factory.mktemp("falcon")
    kernel = mini_board_kernel(folder / "kernel", MACHINE, "mini\n", text_after="GOAL 1\n", loops=50_000)
    with kernel.open("r+b") as file:
        file.seek(8)
        file.write((2 << 20).to_bytes(8, "little"))
    target = QemuTarget(Cache(default_folder()))

    def run(name: str, loader: Loader, change=lambda plan: plan):
        system = SystemDescription(
            name="chain",
            kernel=Kernel(image=str(kernel)),
            goal=Goal(console="GOAL"),
            machine=MACHINE,
            cmdline=CommandLine.parse("console=ttyS0"),
            clock=Clockwork(shift=3),
            limits=Limits(virtual_s=60, stall_virtual_s=30, wall_s=1200, stall_wall_s=600),
            loader=loader,
        )
        made = target.boot(change(target.plan(system)), folder / name, stop=threading.Event())
        assert made.meta.outcome is Outcome.GOAL, (made.meta.reason, made.console.decode(errors="replace")[-800:])
        return system, made

    return run


def test_opensbi_starts_the_kernel_and_u_boot_stays_away(boot):
    _, again = boot("again", FALCON)
    first = ("firmware", "SPL", "SPL load", "OpenSBI")
    assert_falcon(boot("normal", NORMAL), boot("falcon", FALCON), again, first=first)


@pytest.mark.parametrize(
    ("name", "at", "length", "words"),
    [
        ("no-kernel", 0, 512, "The kernel is missing"),
        ("broken-kernel", 0x20000, 1, "The kernel is broken"),
    ],
)
def test_what_is_missing_or_broken_goes_to_u_boot(boot, tmp_path, name, at, length, words):
    def broken(plan):
        (word,) = [word for word in plan.launch.extra if "addr=0xa8000000" in word]
        whole = word.split(",")[1].removeprefix("file=")
        data = bytearray(Path(whole).read_bytes())
        data[at : at + length] = bytes(length) if length > 1 else bytes([data[at] ^ 0xFF])
        other = tmp_path / "linux.itb"
        other.write_bytes(data)
        words = tuple(word.replace(whole, str(other)) for word in plan.launch.extra)
        return msgspec.structs.replace(plan, launch=msgspec.structs.replace(plan.launch, extra=words))

    _, fell = boot(name, FALCON, broken)
    (note,) = [note for note in fell.meta.notes if "falcon" in note]
    assert words in note
    assert fell.mark("u-boot") is not None
