# SPDX-License-Identifier: MIT
"""Falcon mode with Debian's U-Boot, built here: the SPL starts the kernel; what is broken goes to U-Boot."""

import os
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.loader.source import SOURCE_VARIABLE
from bootlab.model.boot_loader import Loader, LoaderBuild, loader_board
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

PLACE = loader_board("orangepi-pc")
TREE = (
    '/dts-v1/; / { model = "test"; compatible = "xunlong,orangepi-pc"; #address-cells = <1>; #size-cells = <1>; '
    "chosen { }; "
    # U-Boot's PSCI writes into the processors' nodes.
    'cpus { #address-cells = <1>; #size-cells = <0>; cpu@0 { device_type = "cpu"; reg = <0>; }; }; };'
)
# Without what takes seconds in an emulator that has no such device.
QUICK = (
    ("BOOTDELAY", "0"), ("USB_EHCI_HCD", "n"), ("USB_OHCI_HCD", "n"), ("VIDEO_DE2", "n"), ("VIDEO_DT_SIMPLEFB", "n"),
    ("NET", "n"), ("EFI_LOADER", "n"), ("ENV_IS_IN_FAT", "n"), ("ENV_IS_NOWHERE", "y"), ("SY8106A_POWER", "n"),
    ("SPL_I2C", "n"),
)  # fmt: skip
NORMAL = Loader(build=LoaderBuild(base="orangepi_pc_defconfig", options=QUICK), start="command")
FALCON = msgspec.structs.replace(NORMAL, start="falcon", fallback="command", checked=True)


@pytest.fixture(scope="module")
def boot(tmp_path_factory):
    from bootlab.builders.cache import Cache, default_folder  # noqa: PLC0415
    from bootlab.builders.images import tool  # noqa: PLC0415

    for name in ("qemu-system-arm", "arm-linux-gnueabihf-gcc", "dtc", "mcopy"):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed: scripts/setup-debian.sh boards kernels loaders")
    folder = tmp_path_factory.mktemp("falcon")
    machine = Machine(arch="arm", type="orangepi-pc", memory_mib=1024, cpus=4, dtb=str(folder / "board.dtb"))
    tool.run(["dtc", "-O", "dtb", "-o", str(folder / "board.dtb")], source=TREE.encode())
    kernel = mini_board_kernel(folder / "zImage", machine, "mini\n", text_after="GOAL 1\n", loops=50_000)
    target = QemuTarget(Cache(default_folder()))

    def run(name: str, loader: Loader):
        system = SystemDescription(
            name="chain",
            kernel=Kernel(image=str(kernel)),
            goal=Goal(console="GOAL"),
            machine=machine,
            cmdline=CommandLine.parse("console=ttyS0 maxcpus=1"),
            clock=Clockwork(shift=4),
            limits=Limits(virtual_s=30, stall_virtual_s=20, wall_s=1200, stall_wall_s=600),
            loader=loader,
        )
        plan = target.plan(system)
        made = target.boot(plan, folder / name, stop=threading.Event())
        assert made.meta.outcome is Outcome.GOAL, (made.meta.reason, made.console.decode(errors="replace")[-800:])
        return system, plan, made

    return run


def test_the_spl_starts_the_kernel_and_u_boot_stays_away(boot):
    normal, _, before = boot("normal", NORMAL)
    falcon, _, after = boot("falcon", FALCON)
    _, _, again = boot("again", FALCON)
    assert_falcon((normal, before), (falcon, after), again, first=("SPL", "SPL load"))


@pytest.mark.parametrize(
    ("name", "at", "length", "words"),
    [
        ("no-kernel", PLACE.raw_bytes, 512, "Expected image is not found"),
        ("broken-kernel", PLACE.raw_bytes + 0x200, 1, "The kernel is broken"),
        ("no-arguments", PLACE.arguments_bytes, 512, "The arguments are broken"),
        ("broken-arguments", PLACE.arguments_bytes + 0x40, 1, "The arguments are broken"),
    ],
)
def test_what_is_missing_or_broken_on_the_card_goes_to_u_boot(boot, tmp_path, name, at, length, words):
    _, plan, _ = boot(f"whole-{name}", FALCON)
    (medium,) = plan.launch.media
    card = tmp_path / "card.img"
    shutil.copyfile(Path(medium.file), card)
    with card.open("r+b") as file:
        file.seek(at)
        there = file.read(length)
        file.seek(at)
        file.write(bytes(length) if length > 1 else bytes([there[0] ^ 0xFF]))
    _, _, fell = boot(name, Loader(card=str(card), start="falcon"))
    (note,) = [note for note in fell.meta.notes if "falcon" in note]
    assert words in note
    assert fell.mark("u-boot") is not None
