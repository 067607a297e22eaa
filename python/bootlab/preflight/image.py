# SPDX-License-Identifier: MIT
"""What of a ready image cannot be a root: no medium at all, cut off, without a tree, of another processor, encrypted.

Nothing is mounted; a file system that cannot be read here is left to the boot.
"""

from __future__ import annotations

from pathlib import Path

from bootlab.formats import disk_image, foreign_file, magics
from bootlab.formats.disk_bytes import ByteSource, Window
from bootlab.formats.file_view import FileView
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.root import Root
from bootlab.model.system import SystemDescription
from bootlab.preflight import ready_image
from bootlab.sources import drivers
from bootlab.sources.disk import SLACK_BYTES, needed_bytes, view_of
from bootlab.sources.facts import ImageFacts, InitramfsFacts, PartitionFacts
from bootlab.sources.initramfs import facts_of_tree
from bootlab.sources.root_tree import arch_of, is_root

Wrong = tuple[str, str] | None
# What whole images are packed with for the way: by their first bytes, with the command.
_PACKED = {
    magics.GZIP: ("gzip", "gunzip -k"),
    magics.BZIP2: ("bzip2", "bunzip2 -k"),
    magics.XZ: ("xz", "unxz -k"),
    magics.ZSTD: ("zstd", "unzstd"),
    b"PK\x03\x04": ("zip", "unzip"),
}
_EXTS = frozenset({"ext2", "ext3", "ext4"})
# 32-bit programs that a 64-bit kernel may run.
_ALSO = {("arm64", "arm")}


def form(plan: BootPlan, system: SystemDescription) -> Wrong:  # noqa: ARG001 - one face for all looks
    """Name a file that is no medium: still packed, a document, a kernel, zeros; or one that was cut off."""
    root = system.root
    if root is None or root.image is None:
        return None
    path, medium = root.image, disk_image.opened(Path(root.image))
    head = medium.read(0, foreign_file.HEAD_BYTES)
    for magic, (kind, unpack) in _PACKED.items():
        if head.startswith(magic):
            return f"{path} is packed with {kind}: no machine reads that", f"unpack it: {unpack} {path}"
    if not head.strip(b"\0"):
        hint = "copy the image again, or give the tree and let bootlab make the image: root.dir"
        return f"{path} is empty: neither a partition table nor a file system begins there", hint
    other = foreign_file.named_by(head)
    if other is not None and other.kind != "medium":
        return f"{path} is {other.what}, not the image of a medium", other.hint(path) or "name the image: root.image"
    return _cut(path, medium)


def _cut(path: str, medium: ByteSource) -> Wrong:
    """Name an image that ends before its last partition, or its only file system, does."""
    ends = [part.partition.start_bytes + part.partition.size_bytes for part in ready_image.partitions(medium)]
    needed = needed_bytes(medium, ends)
    if needed <= medium.size_bytes + SLACK_BYTES:
        return None
    return (
        f"{path} is cut off: {medium.size_bytes:,} of at least {needed:,} bytes are there",
        "copy or unpack the image again",
    )


def content(plan: BootPlan, system: SystemDescription) -> Wrong:
    """Name a root partition that cannot be one: swap, encrypted, of a file system that nothing mounts, or no tree."""
    root = system.root
    if root is None or root.image is None or (system.cmdline.value("root") or "").startswith("/dev/mapper/"):
        return None
    medium = disk_image.opened(Path(root.image))
    part = ready_image.root_partition(system, root, ready_image.partitions(medium))
    if part is None or part.file_system is None:
        return None
    where = f"partition {part.number} of {root.image}" if part.number else root.image
    early = facts_of_tree(system.initramfs.tree) if system.initramfs is not None and system.initramfs.tree else None
    return _of_kind(plan, system, part, where, early) or (
        _tree(system, root, medium, part, where) if early is None or early.maker else None
    )


def _of_kind(
    plan: BootPlan, system: SystemDescription, part: PartitionFacts, where: str, early: InitramfsFacts | None
) -> Wrong:
    fstype = part.file_system.fstype if part.file_system is not None else ""
    if fstype == "swap":
        return f"{where} is swap space, and root= names it", "name the partition with the file system"
    if fstype == "crypto_LUKS":
        return (
            f"{where} is encrypted (LUKS): somebody would have to type its passphrase",
            "give an image whose root is not encrypted",
        )
    if fstype == "LVM2_member" and early is None:
        return (
            f"{where} is a part of an LVM group, which only an initramfs finds",
            "give the initramfs, and root=/dev/mapper/GROUP-VOLUME",
        )
    return _asked(system, fstype, where) or _mounted(plan, fstype, where, early)


def _asked(system: SystemDescription, fstype: str, where: str) -> Wrong:
    """Compare rootfstype= with what is there."""
    asked = system.cmdline.value("rootfstype") or ""
    wanted = set(asked.split(","))
    # What the kernel may call otherwise (auto, a driver of its own) is left to it.
    if not wanted <= drivers.FILE_SYSTEMS.keys() or fstype not in drivers.FILE_SYSTEMS or fstype in wanted:
        return None
    if fstype in _EXTS and wanted & _EXTS:
        return None
    return f"rootfstype={asked}, but {where} is {fstype}", f"write rootfstype={fstype}, or leave it out"


def _mounted(plan: BootPlan, fstype: str, where: str, early: InitramfsFacts | None) -> Wrong:
    if not plan.info.config or (early is not None and not (early.maker or early.modules)):
        return None
    kernel = ImageFacts(path=Path(), config=plan.info.config)
    lacking = drivers.lacking(drivers.reach(drivers.FILE_SYSTEMS.get(fstype, ()), kernel, early))
    if not lacking or (fstype == "ext2" and plan.info.config.get("CONFIG_EXT2_FS") == "y"):
        return None
    return (
        f"nothing can mount {where}, which is {fstype}: {lacking}, and not in an initramfs",
        "build the driver into the kernel, add its module to the initramfs, or make the image with another file system",
    )


def _tree(system: SystemDescription, root: Root, medium: ByteSource, part: PartitionFacts, where: str) -> Wrong:
    view, _ = view_of(part.file_system, Window(medium, part.partition.start_bytes, part.partition.size_bytes))
    if view is None or root.tree != root.given:
        return None
    if not set(view.names("/")) - {"lost+found"}:
        return f"{where} has an empty file system: there is no first program to start", "put the root tree on it"
    if not is_root(view):
        return None
    own, machine = arch_of(view), system.machine.arch
    if own is not None and own != machine and (machine, own) not in _ALSO:
        return (
            f"the programs of {where} are for {own}; the machine is {machine}",
            f'set machine.arch = "{own}" with a kernel for it, or give the image for {machine}',
        )
    return _init(system, view, where)


def _init(system: SystemDescription, view: FileView, where: str) -> Wrong:
    """Name an init= that is not there, where no initrd looks for another one."""
    init = system.cmdline.value("init")
    if init is None or system.initramfs is not None or not init.startswith("/"):
        return None
    folder = init.rpartition("/")[0] or "/"
    if view.kind(init) is not None or view.link(init) is not None or view.kind(folder) != "dir":
        return None
    return f"init={init}: there is no such program on {where}", "correct init=, or leave it out for /sbin/init"
