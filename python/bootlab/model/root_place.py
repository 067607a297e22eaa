# SPDX-License-Identifier: MIT
"""Moving a root tree between the initramfs and a medium: the operations, and the parameters that mount it.

The parameters are operations of their own, so that a report shows what happens to the command line.
Kernel: `init/do_mounts.c`, `init/main.c:kernel_init()`, `drivers/mtd/mtdsuper.c` (`mtd:NAME`).
"""

from __future__ import annotations

from bootlab.model.change import DropParam, MoveRoot, Op, SetParam
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.root import UBI_VOLUME, Root, RootMedium
from bootlab.model.storage import Storage
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Compression

_MOUNTING = ("root", "rootfstype", "rootflags", "rootwait", "rootdelay", "ubi.mtd", "ro", "rw")
# Bus numbers of the only card, of the only disk behind virtio (drivers/mmc/core/block.c, drivers/block/virtio_blk.c).
# systemd-veritysetup-generator and dracut find the partitions by the hash; live-boot, casper and dracut's dmsquash-live
# look for their medium; an initrd of NixOS or Guix has the devices of its own.
_FINDS_ROOT = ("roothash", "usrhash", "boot", "rd.live.image")
_LIVE = frozenset({"live", "casper"})
_STORES = ("/nix/store/", "/gnu/store/")
_CARD, _DISK, _NVDIMM = "/dev/mmcblk0", "/dev/vda", "/dev/pmem0"


def mounting(root: Root, storage: Storage, disks: int = 0) -> tuple[Param, ...]:
    """Return the parameters with which the kernel mounts a root. `disks`: how many disks the machine has besides."""
    fstype = root.fstype
    flags = (Param("rootflags", root.flags),) if root.flags else ()
    if root.medium != "flash":
        # Which file system is on a medium that was there already, the kernel finds out.
        known = (Param("rootfstype", fstype), *flags) if root.image is None else ()
        wait = (Param("rootwait"),) if root.medium == "sd" else ()
        return (Param("root", device(root.medium, root.partition, disks=disks)), *known, *wait)
    if fstype == "ubifs":
        volume = f"ubi0:{UBI_VOLUME}"
        return (Param("ubi.mtd", storage.mtd_name), Param("root", volume), Param("rootfstype", fstype))
    # CRAMFS is mounted from MTD itself, which lets programs run in place; the others through the block device over it.
    named = fstype == "cramfs" and storage.mtd_name
    there = f"mtd:{storage.mtd_name}" if named else storage.mtd_block
    return (Param("root", there), Param("rootfstype", fstype), *flags)


def device(medium: RootMedium, partition: int = 0, *, disks: int = 0) -> str:
    """Return the kernel's name of the only card or NVDIMM, of the disk behind `disks` others, or a partition's."""
    if medium == "disk":
        name = _DISK[:-1] + chr(ord("a") + disks)
        return f"{name}{partition}" if partition else name
    name = _CARD if medium == "sd" else _NVDIMM
    return f"{name}p{partition}" if partition else name


def finds_root(line: CommandLine) -> str:
    """Return the word by which an initrd finds the root without `root=`; "" where none tells."""
    for key in _FINDS_ROOT:
        if line.has(key) and (key != "boot" or line.value(key) in _LIVE):
            return str(line.get(key)).partition("=")[0]
    return "init" if (line.value("init") or "").startswith(_STORES) else ""


def mounted(system: SystemDescription) -> SystemDescription:
    """Return a system whose command line mounts its root; one that says `root=` itself stays as it is.

    So does one whose initrd finds the root by another word: `root=` would mount it past its check.
    """
    if system.root is None or system.cmdline.has("root"):
        return system
    if (system.initramfs is not None or system.initrd is not None) and finds_root(system.cmdline):
        return system
    for op in _set(mounting(system.root, system.storage or Storage(), len(system.machine.disks))):
        system = op.apply(system)
    return system


def to_medium(system: SystemDescription, file_system: str, medium: RootMedium) -> tuple[Op, ...]:
    """Return the operations that put a system's tree on a medium, mounted read-only unless `rw` was asked for."""
    root = Root(file_system=file_system, medium=medium)
    params = mounting(root, system.storage or Storage(), len(system.machine.disks))
    return (MoveRoot(file_system=file_system, medium=medium), *_mounting_ops(system, params))


def to_ram_disk(system: SystemDescription, fstype: str) -> tuple[Op, ...]:
    """Return the operations that mount a RAM disk, whose image stands in the initramfs's place."""
    disk = (system.storage or Storage()).ram_disk
    return _mounting_ops(system, (Param("root", disk), Param("rootfstype", fstype)))


def to_initramfs(system: SystemDescription, compression: Compression) -> tuple[Op, ...]:
    """Return the operations that make a system's tree its initramfs, started with the same program."""
    drops = tuple(DropParam(key) for key in (*_MOUNTING, "init") if system.cmdline.has(key))
    init = () if system.init_path == "/init" else (SetParam("rdinit", system.init_path),)
    return (MoveRoot(compression=compression), *drops, *init)


def _mounting_ops(system: SystemDescription, params: tuple[Param, ...]) -> tuple[Op, ...]:
    found = (*params, Param("rw" if system.cmdline.has("rw") else "ro"))
    wanted = {param.key for param in found}
    drops = tuple(DropParam(key) for key in (*_MOUNTING, "rdinit") if key not in wanted and system.cmdline.has(key))
    return (*drops, *_set(found), SetParam("init", system.init_path))


def _set(params: tuple[Param, ...]) -> tuple[Op, ...]:
    return tuple(SetParam(param.key, param.value) for param in params)
