# SPDX-License-Identifier: MIT
"""Mistakes are named before the boot, and nothing that may work is refused."""

from __future__ import annotations

import re

import msgspec
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.cmdline import CommandLine
from bootlab.model.launch import Medium
from bootlab.model.system import Clockwork, Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.preflight import mistakes as preflight
from tests.launches import launch

CONFIG = {
    "CONFIG_SERIAL_8250_CONSOLE": "y",
    "CONFIG_SERIAL_AMBA_PL011_CONSOLE": "y",
    "CONFIG_VIRTIO_BLK": "y",
    "CONFIG_MMC_BLOCK": "m",
    "CONFIG_EXT4_FS": "y",
}
VDA = (Medium(file="/d", bus="virtio"),)


def plan(
    line: str,
    *extra: str,
    media: tuple[Medium, ...] = (),
    config: dict[str, str] | None = CONFIG,
    version: str = "7.2.22",
    mode: str = "exact",
    machine: Machine | None = None,
    initramfs: Initramfs | None = None,
    initrd: str | None = None,
) -> BootPlan:
    machine = machine or Machine()
    system = SystemDescription(
        name="box",
        kernel=Kernel(image="/k"),
        goal=Goal(console="x"),
        machine=machine,
        clock=Clockwork(mode=mode),
        cmdline=CommandLine.parse(line),
        initramfs=initramfs,
        initrd=initrd,
    )
    started = launch(*extra, machine=machine.type, arch=machine.arch, media=media, cmdline=line)
    info = KernelInfo(config=config or {})
    return BootPlan(
        system=system, purpose="timing", launch=started, key="k", info=info, sizes_bytes={}, sha256={},
        emulator_version=version,
    )  # fmt: skip


VEXPRESS = Machine(arch="arm", type="vexpress-a9")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (plan("quiet"), "has no console="),
        (plan("console=ttyAMA0"), "console=ttyAMA0 is not a port of this machine: q35 has ttyS0"),
        (
            plan("console=ttyS0", machine=VEXPRESS),
            "console=ttyS0 is not a port of this machine: vexpress-a9 has ttyAMA0",
        ),
        (plan("console=ttyS0", config={"CONFIG_A": "y"}), "CONFIG_SERIAL_8250_CONSOLE is not built in"),
        (plan("console=ttyS0 root=/dev/mmcblk0"), "CONFIG_MMC_BLOCK is a module"),
        (plan("console=ttyS0 root=/dev/nvme0n1"), "CONFIG_BLK_DEV_NVME is left out"),
        (plan("console=ttyS0 root=/dev/vda rootfstype=xfs", media=VDA), "CONFIG_XFS_FS is left out"),
        (plan("console=ttyS0 root=/dev/vda"), "root=/dev/vda, but the machine has no such device"),
        (plan("console=ttyS0 root=/dev/ram0", initrd="/ram"), "CONFIG_BLK_DEV_RAM is left out"),
    ],
)
def test_each_mistake_is_named(given, said):
    with pytest.raises(UserError, match="box: ") as caught:
        preflight.check(given)
    assert said in caught.value.message
    assert "--force" in caught.value.hint


@pytest.mark.parametrize(
    "given",
    [
        plan("console=ttyS0"),
        plan("console=tty0 console=ttyS0,115200n8"),
        plan("console=ttynull"),
        plan("console=null"),
        plan("console="),
        plan("console=hvc0", "-device", "virtio-serial-pci"),
        plan("earlycon quiet"),
        plan("quiet", config={"CONFIG_CMDLINE": '"console=ttyS0"'}),
        plan("quiet", machine=VEXPRESS),
        plan("console=ttyS0 root=/dev/vda", media=VDA),
        plan("console=ttyS0 root=/dev/vda rootfstype=xfs,ext4", media=VDA),
        plan("console=ttyS0 root=/dev/sda", initramfs=Initramfs()),
        plan("console=ttyS0 root=/dev/sda", initrd="/initrd"),
        plan("console=ttyS0 root=PARTUUID=1-2"),
        plan("console=ttyS0 root=/dev/sda", "-hda", "/d", config={}),
        plan("console=ttyS0", config={}),
    ],
)
def test_what_may_work_is_booted(given):
    preflight.check(given)


def test_the_way_out_of_a_wrong_console_is_one_step():
    board = Machine(arch="arm", type="sabrelite")
    with pytest.raises(UserError) as caught:
        preflight.check(plan("console=ttyS0", machine=board))
    assert "add console=ttymxc1" in caught.value.hint
    assert "set machine.console_port = 1" in caught.value.hint
    right = msgspec.structs.replace(board, console_port=1)
    with pytest.raises(UserError) as caught:
        preflight.check(plan("console=ttyS0", machine=right))
    assert "console_port" not in caught.value.hint


@pytest.mark.parametrize(
    ("machine", "said", "way"),
    [
        (Machine(arch="arm", type="versatilepb", cpus=2), "machine.cpus is 2; QEMU's versatilepb has 1", "cpus = 1"),
        (Machine(arch="arm", type="sabrelite", cpus=8), "machine.cpus is 8; QEMU's sabrelite has 1 to 4", "cpus = 4"),
        (Machine(arch="arm", type="orangepi-pc"), "machine.cpus is 1; QEMU's orangepi-pc has 4", "maxcpus=1"),
    ],
)
def test_a_number_of_processors_that_the_machine_cannot_have(machine, said, way):
    with pytest.raises(UserError, match=re.escape(said)) as caught:
        preflight.check(plan("quiet", machine=machine, config={}))
    assert way in caught.value.hint


def test_a_replayed_system_is_left_alone():
    given = plan("quiet")
    preflight.check(msgspec.structs.replace(given, system=msgspec.structs.replace(given.system, target="replay")))
