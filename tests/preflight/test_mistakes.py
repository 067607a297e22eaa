# SPDX-License-Identifier: MIT
"""The mistakes that people make with a system of their own: each is named before a machine starts.

docs/how-to/boot-your-own-system.md lists them; a test compares the two.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.builders.tree_check import check_first_program
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch import processors
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.emulator import Emulator
from bootlab.launch.qemu_command import options
from bootlab.launch.qemu_launch import Parts, launch_of
from bootlab.model.cmdline import CommandLine
from bootlab.model.root import Root
from bootlab.model.system import Clockwork, Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.preflight import mistakes as preflight
from tests.sources import images

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/boot-your-own-system.md"
# As Debian's kernels have it: nearly all drivers are modules.
CONFIG = {
    "CONFIG_BLK_DEV_INITRD": "y",
    "CONFIG_RD_GZIP": "y",
    "CONFIG_SERIAL_8250_CONSOLE": "y",
    "CONFIG_SERIAL_IMX_CONSOLE": "y",
    **{
        f"CONFIG_{name}": "m"
        for name in ("EXT4_FS", "MMC_BLOCK", "MMC_SDHCI", "MMC_SDHCI_PCI", "LIBNVDIMM", "ACPI_NFIT")
    },
    "CONFIG_MMC": "m",
    "CONFIG_BLK_DEV_PMEM": "m",
    "CONFIG_VIRTIO_BLK": "y",
}
CARD_MODULES = ("mmc_core", "mmc_block", "sdhci", "sdhci-pci", "ext4")


def initramfs(*modules: str, release: str = "6.1.0-1-amd64", **more: object) -> Initramfs:
    entries = {f"/lib/modules/{release}/kernel/{name}.ko": Entry(kind="file", text="") for name in modules}
    entries |= {"/init": Entry(kind="file", text="x"), "/scripts/local": Entry(kind="file", text="x")}
    return Initramfs(tree=FileTree.of(entries), **more)  # type: ignore[arg-type]


def plan(tmp_path: Path, line: str, **given: object) -> BootPlan:
    config = given.pop("config", CONFIG)
    known = {"config": config, "release": "6.1.0-1-amd64", "arch": given.pop("kernel_arch", "")}
    known |= given.pop("known", {})  # type: ignore[arg-type]
    system = SystemDescription(
        name="box",
        kernel=Kernel(image="/k"),
        goal=given.pop("goal", Goal(console="ready")),  # type: ignore[arg-type]
        machine=given.pop("machine", Machine()),  # type: ignore[arg-type]
        cmdline=CommandLine.parse(line),
        **given,  # type: ignore[arg-type]
    )
    machine = system.machine
    if system.root is not None and system.root.medium == "sd":
        machine = msgspec.structs.replace(machine, sd=str(tmp_path / "card"))
    launch = launch_of(
        msgspec.structs.replace(system, machine=machine),
        Parts(emulator="qemu", kernel="/k", initramfs="/i" if system.initramfs else None, accel="tcg"),
    )
    info = KernelInfo(**known)  # type: ignore[arg-type]
    return BootPlan(
        system=system, purpose="timing", launch=launch, key="k", info=info, sizes_bytes={}, sha256={},
        emulator_version="7.2.22",
    )  # fmt: skip


# A root tree of systemd's, for x86_64.
TREE = {
    "sbin/init": b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + b"\x3e\0",
    "etc/hostname": b"web\n",
    "usr/lib/systemd/system/nginx.service": b"[Service]\n",
    "usr/lib/systemd/system/web.service": b"[Service]\n",
}


@pytest.fixture
def disk(tmp_path) -> str:
    """A disk with one partition of ext4."""
    for path, text in TREE.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_bytes(text)
    part = images.ext(tmp_path / "part", tmp_path / "tree", mib=4, kind="ext2")
    return str(images.mbr(tmp_path / "disk.img", [(0x83, part)]))


OTHER_MEDIA = {
    "gzip": gzip.compress(b"disk"),
    "zeros": b"",
    "sparse": b"\x3a\xff\x26\xed\1\0",
    "luks": b"LUKS\xba\xbe\0\2",
    "swap": b"".ljust(4086, b"\0") + b"SWAPSPACE2",
}
SABRELITE = Machine(arch="arm", type="sabrelite")
SCRIPT = FileTree.of({"/init": Entry(kind="file", text="#!/bin/sh\n")})
FOREIGN = FileTree.of({"/init": Entry(kind="symlink", target="nowhere")})
ON_CARD = "console=ttyS0 root=/dev/mmcblk0p1"
# What people do, how it is written down here, and what bootlab says.
MISTAKES = (
    ("no `console=` on the command line of a PC", ("quiet", {}), "has no console="),
    ("the console of another board", ("console=ttyAMA0", {}), "console=ttyAMA0 is not a port of this machine"),
    ("a port that bootlab does not read", ("console=ttymxc1", {"machine": SABRELITE}), "bootlab reads port 0"),
    (
        "a kernel for another architecture",
        ("console=ttyAMA0", {"machine": SABRELITE, "kernel_arch": "x86_64"}),
        "is a kernel for x86_64; the machine is arm",
    ),
    (
        "a kernel image that was cut off",
        ("console=ttyS0", {"known": {"size_bytes": 4_000_000, "lacking_bytes": 10_084_504}}),
        "/k is cut off: 4,000,000 of at least 14,084,504 bytes are there",
    ),
    (
        "a machine with less memory than the kernel needs to unpack itself",
        ("console=ttyS0", {"known": {"memory_bytes": 70_746_112}, "machine": Machine(memory_mib=67)}),
        "the kernel needs 68 MiB of memory to unpack itself, the machine has 67 MiB",
    ),
    ("a kernel without the console's driver", ("console=ttyS0", {"config": {"CONFIG_A": "y"}}), "no console driver"),
    ("a root whose driver is a module, without an initramfs", (ON_CARD, {"root": "sd"}), "MMC_BLOCK is a module"),
    (
        "a root whose driver is not in the kernel's symbols, without an initramfs",
        (ON_CARD, {"root": "sd", "config": {}, "known": {"symbols": {"start_kernel": 1, "virtblk_probe": 1}}}),
        "CONFIG_MMC_BLOCK is not built in",
    ),
    ("a disk image that is still packed", (ON_CARD, {"root": "gzip", "initramfs": initramfs()}), "packed with gzip"),
    ("an empty disk image", (ON_CARD, {"root": "zeros", "initramfs": initramfs()}), "is empty: neither a partition"),
    (
        "a root whose driver is neither in the kernel nor in the initrd",
        ("console=ttyS0 root=/dev/pmem0p1", {"root": "pmem", "initramfs": initramfs(*CARD_MODULES)}),
        "nothing can mount the root on pmem",
    ),
    ("a root on a device that the machine does not have", ("console=ttyS0 root=/dev/vda", {}), "has no such device"),
    ("`root=UUID=` without an initrd", ("console=ttyS0 root=UUID=1-2", {}), "the kernel itself finds no UUID"),
    (
        "a partition that the image does not have",
        ("console=ttyS0 root=/dev/mmcblk0p7", {"root": "sd", "initramfs": initramfs(*CARD_MODULES)}),
        "has no partition 7 (there are: 1)",
    ),
    (
        "the UUID of another image",
        ("console=ttyS0 root=UUID=0815", {"root": "sd", "initramfs": initramfs(*CARD_MODULES)}),
        "is on no partition",
    ),
    (
        "an initrd that the kernel cannot unpack",
        (ON_CARD, {"root": "sd", "initramfs": initramfs(*CARD_MODULES, compression="zstd")}),
        "CONFIG_RD_ZSTD is not set",
    ),
    (
        "an initrd of another kernel version",
        (ON_CARD, {"root": "sd", "initramfs": initramfs(*CARD_MODULES, release="5.10.0-9-amd64")}),
        "the initramfs has modules for Linux 5.10.0-9-amd64, the kernel is 6.1.0-1-amd64",
    ),
    ("neither a root nor an initramfs", ("console=ttyS0", {}), "neither an initramfs nor a root"),
    (
        "a goal that ends before the prompt does",
        ("console=ttyS0", {"initramfs": initramfs(), "goal": Goal(console="login:$")}),
        "a prompt ends with a space",
    ),
    (
        "a unit as the goal, and `quiet`",
        ("console=ttyS0 quiet", {"initramfs": initramfs(), "goal": Goal(console=r"Started web\.service")}),
        "prints none with quiet",
    ),
    (
        "an Android sparse image, or another file that is no medium",
        (ON_CARD, {"root": "sparse", "initramfs": initramfs()}),
        "is an Android sparse image",
    ),
    ("a disk image that was cut off", (ON_CARD, {"root": "cut", "initramfs": initramfs()}), "is cut off"),
    ("swap space as the root", (ON_CARD, {"root": "swap", "initramfs": initramfs()}), "is swap space"),
    ("an encrypted root", (ON_CARD, {"root": "luks", "initramfs": initramfs()}), "is encrypted (LUKS)"),
    ("an empty file system", (ON_CARD, {"root": "hollow", "initramfs": initramfs(*CARD_MODULES)}), "empty file system"),
    (
        "`root.partition` of another image",
        ("console=ttyS0", {"root": "third", "initramfs": initramfs(*CARD_MODULES)}),
        "root.partition = 3",
    ),
    (
        "`rootfstype=` of another file system",
        (f"{ON_CARD} rootfstype=squashfs", {"root": "sd", "initramfs": initramfs(*CARD_MODULES)}),
        "rootfstype=squashfs, but partition 1",
    ),
    (
        "a file system that nothing mounts",
        (ON_CARD, {"root": "sd", "initramfs": initramfs("mmc_core", "mmc_block", "sdhci", "sdhci-pci")}),
        "nothing can mount partition 1",
    ),
    (
        "programs for another processor on the image",
        (ON_CARD.replace("ttyS0", "ttyAMA0"), {"root": "sd", "machine": Machine(arch="arm64"), "config": {}}),
        "are for x86_64; the machine is arm64",
    ),
    (
        "an `init=` that is not there",
        (f"{ON_CARD} init=/sbin/initt", {"root": "sd", "config": {}}),
        "init=/sbin/initt: there is no such program",
    ),
    (
        "the disk's name on another machine (`/dev/sda1`)",
        ("console=ttyS0 root=/dev/sda1", {"root": "sd", "initramfs": initramfs(*CARD_MODULES)}),
        "the initrd would wait for it",
    ),
    (
        "a device without its folder (`root=mmcblk0p1`)",
        ("console=ttyS0 root=mmcblk0p1", {"initramfs": initramfs()}),
        "is not the path of a device",
    ),
    (
        "a space around an equals sign",
        ("console=ttyS0 root = /dev/vda", {"initramfs": initramfs()}),
        "root without a value",
    ),
    (
        "typographic quotes, dashes or spaces pasted from a document",
        ("console=ttyS0 root=\u201cUUID=1\u201d", {"initramfs": initramfs()}),
        "left double quotation mark (U+201C)",
    ),
    (
        "`break` or `rd.break` left over from debugging",
        ("console=ttyS0 break=premount", {"initramfs": initramfs()}),
        "stops the initrd in a shell",
    ),
    (
        "`single` (a rescue shell) with a goal that only a full boot reaches",
        ("console=ttyS0 single", {"root": "sd", "initramfs": initramfs(*CARD_MODULES), "goal": Goal(console="login:")}),
        "starts a rescue shell",
    ),
    (
        "`mem=` below what the kernel needs",
        ("console=ttyS0 mem=40M", {"known": {"memory_bytes": 70_746_112}, "initramfs": initramfs()}),
        "mem=40M leaves less memory",
    ),
    (
        "the configuration of another architecture's kernel",
        ("console=ttyS0", {"config": {**CONFIG, "CONFIG_ARM": "y"}, "kernel_arch": "x86_64"}),
        "with CONFIG_ARM, not of this one",
    ),
    (
        "a kernel without support for an initramfs",
        ("console=ttyS0", {"config": {**CONFIG, "CONFIG_BLK_DEV_INITRD": "n"}, "initramfs": initramfs()}),
        "CONFIG_BLK_DEV_INITRD is not set",
    ),
    (
        "a kernel that cannot start scripts, and a script as the first program",
        ("console=ttyS0", {"config": {**CONFIG, "CONFIG_BINFMT_SCRIPT": "n"}, "initramfs": Initramfs(tree=SCRIPT)}),
        "/init is a script, which this kernel cannot start",
    ),
    (
        "a kernel message as the goal, and `quiet`",
        ("console=ttyS0 quiet", {"initramfs": initramfs(), "goal": Goal(console="Run /init as init process")}),
        "which quiet keeps off the console",
    ),
    (
        "text after `$` in a goal",
        ("console=ttyS0", {"initramfs": initramfs(), "goal": Goal(console="^ready$now")}),
        "$ is the end of a line",
    ),
    (
        "a unit that the image does not have",
        (ON_CARD, {"root": "sd", "initramfs": initramfs(*CARD_MODULES), "goal": Goal(console="Started ngnix.service")}),
        "the image has no such unit",
    ),
    (
        "a login prompt with another host name",
        (ON_CARD, {"root": "sd", "initramfs": initramfs(*CARD_MODULES), "goal": Goal(console="debian login:")}),
        "/etc/hostname is web",
    ),
)  # fmt: skip


DEVICE_TREES = (
    ("a board without a device tree", None, {}, "sabrelite has no device tree"),
    ("with that of another board", ("arm,vexpress,v2p-ca9", "arm,vexpress"), {}, "describes"),
    (None, None, {"behind_bytes": 4000}, None),
    (None, None, {"kind": "elf"}, None),
    (None, None, {"numbers": (3, 2)}, None),
    (None, ("acme,camera", "fsl,imx6q"), {}, None),
    (None, ("acme,camera", "acme,chip"), {}, None),
)


@pytest.mark.parametrize(("mistake", "compatible", "known", "said"), DEVICE_TREES)
def test_device_trees(tmp_path, mistake, compatible, known, said):
    machine = SABRELITE
    if compatible is not None:
        blob = tmp_path / "board.dtb"
        blob.write_bytes(images.device_tree({"compatible": list(compatible)}))
        machine = msgspec.structs.replace(SABRELITE, dtb=str(blob))
    zimage = {"kind": "arm-zimage", "size_bytes": 5_000_000, "numbers": (6, 1, 0), "config": {}, **known}
    made = plan(tmp_path, "console=ttymxc0", machine=machine, known=zimage, initramfs=initramfs())
    if said is None:
        preflight.check(made)
        return
    with pytest.raises(UserError) as caught:
        preflight.check(made)
    assert said in caught.value.message
    assert mistake in " ".join(PAGE.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("mistake", "given", "said"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_each_mistake_is_named_before_the_boot(tmp_path, disk, mistake, given, said):
    line, more = given
    more = dict(more)
    if more.get("root") in OTHER_MEDIA:
        other = tmp_path / "other.img"
        other.write_bytes(OTHER_MEDIA[more["root"]].ljust(1 << 16, b"\0"))
        more["root"] = Root(image=str(other), medium="sd")
        line = line.replace("mmcblk0p1", "mmcblk0")
    elif more.get("root") == "cut":
        with Path(disk).open("r+b") as file:
            file.truncate((1 << 20) + 70_000)
        more["root"] = Root(image=disk, medium="sd")
        # Longer than what some tools leave out.
    elif more.get("root") == "hollow":
        (tmp_path / "hollow").mkdir()
        empty = images.ext(tmp_path / "empty", tmp_path / "hollow", mib=1)
        more["root"] = Root(image=str(empty), medium="sd")
        line = line.replace("mmcblk0p1", "mmcblk0")
    elif more.get("root") == "third":
        more["root"] = Root(image=disk, medium="sd", partition=3)
    elif "root" in more:
        more["root"] = Root(image=disk, medium=more["root"])
    made = plan(tmp_path, line, **more)
    with pytest.raises(UserError) as caught:
        preflight.check(made)
    assert said in caught.value.message
    assert caught.value.hint
    assert mistake in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_first_programs_that_cannot_start_are_named(tmp_path):
    system = plan(tmp_path, "console=ttyS0", initramfs=Initramfs(tree=FOREIGN)).system
    with pytest.raises(UserError, match="first program cannot start"):
        check_first_program(system, Cache(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("line", "more"),
    [
        (ON_CARD, {"initramfs": initramfs(*CARD_MODULES)}),
        ("console=ttyS0 root=PARTUUID=1234abcd-01", {"initramfs": initramfs(*CARD_MODULES)}),
        ("console=ttyS0 root=/dev/mmcblk0p1", {"initramfs": Initramfs(tree=FileTree.of({"/init": Entry(kind="dir")}))}),
        ("console=ttyS0 root=/dev/mmcblk0p1", {"initramfs": initramfs("ext4"), "config": {}}),
        (ON_CARD, {"config": {}, "known": {"symbols": {"start_kernel": 1, "mmc_blk_probe": 2}}}),
        (ON_CARD, {"config": {}, "known": {"symbols": {}, "memory_bytes": 256 << 20}}),
    ],
)
def test_what_may_work_is_booted(tmp_path, disk, line, more):
    preflight.check(plan(tmp_path, line, root=Root(image=disk, medium="sd"), **more))


def test_a_boot_that_shall_find_no_root_is_booted(tmp_path):
    preflight.check(plan(tmp_path, "console=ttyS0", goal=Goal(console="Kernel panic - not syncing: VFS")))


def test_processors_that_stay_off_do_no_harm(tmp_path):
    found = Emulator(path="qemu-system-arm", version="7.2.22 (Debian)", numbers=(7, 2))
    orange = Machine(arch="arm", type="orangepi-pc", cpus=4)
    off = plan(tmp_path, "console=ttyS0 maxcpus=1", machine=orange, initramfs=initramfs()).system
    assert processors.prepare(off, found, tmp_path).plugin is None
    on = msgspec.structs.replace(off, cmdline=CommandLine.parse("console=ttyS0"))
    with pytest.raises(EnvironmentFault, match="4 processors in exact mode"):
        processors.prepare(on, found, tmp_path)


def test_a_raspberry_pi_keeps_the_processors_off_that_the_kernel_leaves_alone(tmp_path):
    pi = Machine(arch="arm", type="raspi2b", cpus=4)
    off = plan(tmp_path, "console=ttyAMA0 maxcpus=1", machine=pi, initramfs=initramfs())
    assert off.launch.properties == ("bcm2836.enabled-cpus=1",)
    assert ("-global", "bcm2836.enabled-cpus=1") in options(off.launch)
    free = msgspec.structs.replace(off.system, clock=Clockwork(mode="free"))
    on = msgspec.structs.replace(off.system, cmdline=CommandLine.parse("console=ttyAMA0"))
    for system in (free, on):
        assert launch_of(system, Parts(emulator="qemu", kernel="/k", initramfs="/i", accel="tcg")).properties == ()
