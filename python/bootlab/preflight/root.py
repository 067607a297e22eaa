# SPDX-License-Identifier: MIT
"""What of a root cannot work, before a boot waits for it: its drivers, its device, its partition, its initramfs.

Only what is certain is refused. An initramfs that nobody knows may do anything with `root=`.
"""

from __future__ import annotations

import re
from pathlib import Path

from bootlab.formats import disk_image
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.machine_devices import parts_of
from bootlab.model.board import board
from bootlab.model.root import RootMedium
from bootlab.model.system import SystemDescription
from bootlab.model.tree import FileTree
from bootlab.preflight import image as preflight_image
from bootlab.preflight import ready_image
from bootlab.sources import boards, drivers
from bootlab.sources.disk import named_by, partition_number
from bootlab.sources.facts import ImageFacts, InitramfsFacts
from bootlab.sources.initramfs import facts_of_tree

Wrong = tuple[str, str] | None
"""What is wrong, and the way out."""

_MEDIA: tuple[tuple[str, RootMedium], ...] = (
    ("/dev/pmem", "pmem"),
    ("/dev/mmcblk", "sd"),
    ("/dev/vd", "disk"),
)
# What a device's name says of its driver: QEMU's models behind it. Xen's disks and those of old IDE drivers have none.
_BUSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("/dev/sd", ("ide-", "scsi-", "usb-storage", "usb-bot", "usb-uas")),
    ("/dev/vd", ("virtio-blk",)),
    ("/dev/nvme", ("nvme",)),
    ("/dev/pmem", ("nvdimm", "virtio-pmem")),
    ("/dev/mmcblk", ("sd-card", "emmc")),
    ("/dev/xvd", ()),
    ("/dev/hd", ()),
)
_NAMES = {
    "/dev/mmcblk0": ("sd", ("sd-card",)),
    "/dev/pmem0": ("pmem", ("nvdimm",)),
    "/dev/vda": ("disk", ("virtio-blk",)),
}
_PANIC = "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)"
_UNPACKERS = {"bzip2": "BZIP2", "gzip": "GZIP", "lz4": "LZ4", "lzma": "LZMA", "lzo": "LZO", "xz": "XZ", "zstd": "ZSTD"}


def check(plan: BootPlan) -> Wrong:
    """Return the first thing that is wrong with a system's root, None when nothing is."""
    system = plan.system
    for look in (
        _nothing,
        _written,
        preflight_image.form,
        _uuid,
        _unpacker,
        _release,
        _partition,
        preflight_image.content,
        _drivers,
        _bus,
    ):
        found = look(plan, system)
        if found is not None:
            return found
    return None


def _nothing(plan: BootPlan, system: SystemDescription) -> Wrong:
    config = plan.info.config
    # A configuration that does not speak of initramfs at all is a part of one.
    built_in = (
        "CONFIG_BLK_DEV_INITRD" not in config
        or config.get("CONFIG_INITRAMFS_SOURCE", "").strip('"')
        or config.get("CONFIG_CMDLINE", "")
    )
    if built_in or system.initramfs is not None or system.initrd is not None or system.kernel.build is not None:
        return None
    if system.root is not None or any(system.cmdline.has(key) for key in ("root", "init", "rdinit", "nfsroot")):
        return None
    if system.machine.dtb is not None or re.search(system.goal.console, _PANIC):
        return None
    message = "there is neither an initramfs nor a root: the kernel will find nothing to start"
    return (message, "add [initramfs] or [root] to the system file, or root= to kernel.cmdline")


def _uuid(plan: BootPlan, system: SystemDescription) -> Wrong:
    root = system.cmdline.value("root") or ""
    config = plan.info.config
    if not root.startswith(("UUID=", "LABEL=")) or system.initramfs is not None or system.initrd is not None:
        return None
    if not config or config.get("CONFIG_INITRAMFS_SOURCE", "").strip('"'):
        return None
    key = root.partition("=")[0]
    return (
        f"root={root}: the kernel itself finds no {key}, only an initramfs does",
        "write root=PARTUUID=..., or the device, or add the initramfs",
    )


def _unpacker(plan: BootPlan, system: SystemDescription) -> Wrong:
    initramfs, config = system.initramfs, plan.info.config
    option = _UNPACKERS.get(initramfs.compression) if initramfs is not None else None
    if initramfs is None or option is None or "CONFIG_BLK_DEV_INITRD" not in config:
        return None
    if config.get(f"CONFIG_RD_{option}") == "y":
        return None
    return (
        f"the kernel cannot unpack the initramfs: CONFIG_RD_{option} is not set",
        f'build the kernel with CONFIG_RD_{option}=y, or set initramfs.compression = "none"',
    )


def _release(plan: BootPlan, system: SystemDescription) -> Wrong:
    facts = _initramfs(system)
    release = plan.info.release
    if facts is None or not facts.releases or not release or release in facts.releases:
        return None
    return (
        f"the initramfs has modules for Linux {', '.join(facts.releases[:3])}, the kernel is {release}",
        "give the kernel and the initramfs of one version",
    )


def _partition(plan: BootPlan, system: SystemDescription) -> Wrong:  # noqa: ARG001 - one face for all looks
    """Compare `root=` with what is on a ready image."""
    root, line = system.root, system.cmdline.value("root")
    if root is None or root.image is None or line is None:
        return None
    parts = ready_image.partitions(disk_image.opened(Path(root.image)))
    known = ", ".join(str(part.number) for part in parts if part.number) or "none"
    if "=" in line:
        missing = line.startswith(("UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=")) and named_by(line, parts) is None
        return (f"root={line} is on no partition of {root.image}", "look at it: blkid -p IMAGE") if missing else None
    number = partition_number(line)
    of_medium = next((medium for start, medium in _MEDIA if line.startswith(start)), None) == root.medium
    if number is None or not of_medium or number in {part.number for part in parts}:
        return None
    what = f"partition {number}" if number else "no file system of its own, but partitions"
    return f"root={line}: {root.image} has {'no ' if number else ''}{what} (there are: {known})", (
        "set root= in kernel.cmdline, or leave it out and set root.partition"
    )


def _written(plan: BootPlan, system: SystemDescription) -> Wrong:
    """Name a partition in the system file that the image does not have."""
    root = system.root
    if root is None or root.image is None or not root.partition or preflight_image.form(plan, system) is not None:
        return None
    numbers = [part.number for part in ready_image.partitions(disk_image.opened(Path(root.image))) if part.number]
    if root.partition in numbers:
        return None
    there = ", ".join(map(str, numbers)) or "none: the file system takes the whole image"
    return f"root.partition = {root.partition}: {root.image} has no such partition (there are: {there})", (
        "set root.partition to the root's, or leave it out where there is no partition table"
    )


def _bus(plan: BootPlan, system: SystemDescription) -> Wrong:
    """Compare the device that a distribution's initrd waits for with what the machine has."""
    line, launch = system.cmdline.value("root") or "", plan.launch
    facts = _initramfs(system)
    if launch is None or facts is None or not facts.maker or launch.extra:
        return None
    models = [part.model for part in parts_of(launch)]
    found = next((row for row in _BUSES if line.startswith(row[0])), None)
    if found is None:
        return None
    there = next((name for name, (_, drives) in _NAMES.items() if any(m.startswith(drives) for m in models)), "")
    cards = sum(model.startswith("sd-card") for model in models)
    if found[1] and any(model.startswith(found[1]) for model in models):
        number = re.match(r"/dev/mmcblk(\d+)", line)
        machine = boards.of_machine(board(system.machine), system.machine.arch)
        pci = system.machine.arch == "x86_64" or (machine is not None and machine.pci)
        if number is None or not pci or int(number[1]) < cards:
            return None
    end = re.search(r"(?<=[a-z])\d+$|(?<=p)\d+$", line)
    own = there + (f"p{end[0]}" if end and there[-1:].isdigit() else end[0] if end else "")
    hint = f"write root={own}, or a UUID" if there else "give the image: [root] image"
    return f"root={line}: the initrd would wait for it, and the machine has no such device", hint


def _drivers(plan: BootPlan, system: SystemDescription) -> Wrong:
    """Compare what the medium needs with the kernel's configuration and the initramfs's modules."""
    config, line = plan.info.config, system.cmdline.value("root") or ""
    facts = _initramfs(system)
    if not config or facts is None or not (facts.maker or facts.modules):
        return None
    medium = system.root.medium if system.root is not None else None
    medium = medium or next((medium for start, medium in _MEDIA if line.startswith(start)), None)
    if medium is None or medium == "flash":
        return None
    machine = boards.of_machine(board(system.machine), system.machine.arch)
    if machine is None:
        machine = boards.usual(system.machine.arch) if system.machine.arch == "x86_64" else None
    if machine is None or (medium == "sd" and not machine.pci and machine.card is None):
        return None
    kernel = ImageFacts(path=Path(), config=config)
    needs = drivers.of_medium(medium, machine.card, pci=machine.pci)
    lacking = drivers.lacking(drivers.reach(needs, kernel, facts))
    if not lacking:
        return None
    hint = (
        "take another root.medium (`bootlab new --from` finds one that has its drivers), or add the modules to the "
        "initramfs (initramfs-tools: /etc/initramfs-tools/modules; dracut: add_drivers)"
    )
    return f"nothing can mount the root on {medium}: {lacking}, and not in the initramfs", hint


def _initramfs(system: SystemDescription) -> InitramfsFacts | None:
    if system.initramfs is None or (system.root is None and not system.cmdline.has("root")):
        return None
    return facts_of_tree(system.initramfs.tree or FileTree())
