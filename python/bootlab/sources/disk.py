# SPDX-License-Identifier: MIT
"""A disk or card image looked at: its table, its file systems, the root among them, and the tree that they make."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, UserError
from bootlab.formats import disk_image
from bootlab.formats.disk_bytes import ByteSource, Window
from bootlab.formats.ext import ExtFiles
from bootlab.formats.fat import FatFiles
from bootlab.formats.file_view import Files, FileView, NoFiles
from bootlab.formats.iso9660 import IsoFiles
from bootlab.formats.partitions import (
    LARGE_SECTOR_BYTES,
    Partition,
    PartitionTable,
    partitions_of_large_sectors,
    read_partitions,
)
from bootlab.formats.qcow2 import Qcow2
from bootlab.formats.squashfs import SquashFiles
from bootlab.formats.superblock import FileSystem, identify
from bootlab.formats.xfs import XfsFiles
from bootlab.model import fstab
from bootlab.sources import btrfs, root_tree, tool_files
from bootlab.sources.facts import DiskFacts, PartitionFacts
from bootlab.sources.medium import BootMedium
from bootlab.sources.menus import by_name, raspberry

# Blocks of 64 KiB (fs/ext4/ext4.h: EXT4_MAX_BLOCK_SIZE).
_BLOCK_SHIFT_MAX = 6
# Some tools leave out zeros at the end of the last partition.
SLACK_BYTES = 1 << 20
# Boot loaders have partitions of their own without a file system.
_SMALL_BYTES = 4 << 20

# Subvolumes with nothing of a boot in them are not asked for.
_OF_BOOT = ("/boot", "/etc", "/usr", "/efi")
# The image is the first disk.
_SECOND_DISK = re.compile(r"/dev/(?:[shv]d|xvd)[b-z]\d*")
# Files in the root folder of a partition that a loader reads.
_LOADERS = frozenset(
    {
        "config.txt",
        "cmdline.txt",
        "boot.scr",
        "boot.scr.uimg",
        "boot.cmd",
        "boot.ini",
        "extlinux",
        "uEnv.txt",
        "uboot.env",
    }
)
_READERS: dict[str, Callable[[ByteSource], Files]] = {
    "xfs": XfsFiles,
    "vfat": FatFiles,
    "squashfs": SquashFiles,
    "iso9660": IsoFiles,
}
# What no file can be read of, in words.
_CONTAINERS = {
    "crypto_LUKS": "it is encrypted (LUKS): bootlab does not open it, its initrd may",
    "LVM2_member": "it is a part of a volume group (LVM), which bootlab does not put together",
    "linux_raid_member": "it is a part of an array (MD RAID), which bootlab does not put together",
    "zfs_member": "it is a part of a pool of ZFS{}, whose files bootlab does not read",
    "chromeos_kernel": "it is a kernel signed for a Chromebook (ChromeOS), which bootlab does not take apart: "
    "`futility vbutil_kernel --get-vmlinuz` does, and `--verify --verbose` shows its command line",
}


class Disk:
    """A disk that is looked at. `view`: the root tree with what its fstab mounts; None where no root was found.

    `boot`: the boot partition of a root that cannot be read, as /boot. `wrong`: why nothing of it could boot.
    """

    def __init__(
        self,
        facts: DiskFacts,
        view: FileView | None,
        notes: tuple[str, ...],
        boot: FileView | None = None,
        wrong: UserError | None = None,
        medium: BootMedium | None = None,
    ) -> None:
        """Join what was found."""
        self.medium = medium
        self.facts = facts
        self.view = view
        self.notes = notes
        self.boot = boot
        self.wrong = wrong

    @property
    def any_view(self) -> FileView | None:
        """The root tree, or the boot partition where the root cannot be read, or the places of the partitions alone."""
        if self.view is not None or self.boot is not None or self.medium is None:
            return self.view if self.view is not None else self.boot
        bare = FileView(NoFiles())
        self.medium.show_in(bare)
        return bare


def look(path: Path, wanted: int | None = None, subvolume: str = "") -> Disk:
    """Look at an image. Raise UserError when it cannot be read at all.

    `wanted`: the number of the partition that a boot loader takes for the root, where it holds a root tree;
    `subvolume`: which one of its subvolumes.
    """
    form = disk_image.form_of(path)
    medium = disk_image.opened(path)
    table = read_partitions(medium)
    whole = Partition(number=0, start_bytes=0, size_bytes=medium.size_bytes)
    found = _parts_of_iso(medium, whole, table) or (table.partitions if table is not None else (whole,))
    windows = {p.number: Window(medium, p.start_bytes, p.size_bytes) for p in found}
    parts = tuple(PartitionFacts(partition=p, file_system=identify(windows[p.number])) for p in found)
    views: dict[int, FileView] = {}
    notes: list[str] = []
    for part in parts:
        view, note = _view(part, windows[part.number], subvolume)
        # A swap partition that nobody formatted, and GRUB's own, have no file system.
        note = "" if part.file_system is None and part.partition.kind in {"swap", "bios-boot"} else note
        if view is not None:
            views[part.number] = view
        where = f"partition {part.number}" if part.number else "the whole image"
        notes += [f"{where}: {note}"] if note else []
    if table is not None and table.damaged:
        notes.append(f"its partition table (GPT) is damaged, so the kernel sees no partition: gdisk {path} repairs it")
    parts = tuple(msgspec.structs.replace(part, is_read=part.number in views) for part in parts)
    needed = needed_bytes(medium, [p.start_bytes + p.size_bytes for p in found])
    cut_off = needed > medium.size_bytes + SLACK_BYTES
    cut = f"it is cut off: {medium.size_bytes:,} of at least {needed:,} bytes are there"
    if isinstance(medium, Qcow2) and not cut_off and medium.end_bytes() > path.stat().st_size:
        cut_off = True
        cut = f"it is cut off: {path.stat().st_size:,} of at least {medium.end_bytes():,} bytes are there"
    notes += [cut] if cut_off else []
    all_of_it = BootMedium(medium, parts, views)
    firmware = _booted(parts, views)
    notes += [f"autoboot.txt: the firmware boots partition {firmware}"] if firmware is not None else []
    roots = tuple(part.number for part in parts if part.number in views and root_tree.is_root(views[part.number]))
    root = wanted if wanted in roots else _root(parts, views, roots)
    view = views.get(root) if root is not None else None
    if view is not None and root is not None:
        _mount_others(view, parts, views, {root, *roots}, firmware)
        all_of_it.show_in(view)
    facts = DiskFacts(
        path=path,
        form=form,
        size_bytes=medium.size_bytes,
        table=table.kind if table is not None else "",
        partitions=parts,
        root=root,
        roots=roots,
    )
    wrong = None
    if view is None and cut_off:
        wrong = UserError(f"{path}: {cut}", hint="copy it again")
    elif view is None:
        wrong = _no_partition(path, medium, table)
    boot = None if view is not None else _boot(all_of_it, firmware)
    return Disk(facts, view, tuple(notes), boot, wrong, all_of_it)


def _parts_of_iso(medium: ByteSource, whole: Partition, table: PartitionTable | None) -> tuple[Partition, ...]:
    """Return the whole of an ISO image, and what a table in it shows beside its files; nothing for another medium.

    The table of such an image (isohybrid, xorriso) is for a stick: its first partition is the image itself.
    """
    own = identify(medium)
    if own is None or own.fstype != "iso9660":
        return ()
    listed = table.partitions if table is not None else ()
    inside = {part: identify(Window(medium, part.start_bytes, part.size_bytes)) for part in listed}
    return (whole, *(part for part, system in inside.items() if system is not None and system.fstype == "vfat"))


def _no_partition(path: Path, medium: ByteSource, table: PartitionTable | None) -> UserError | None:
    """Say why a kernel would see no partition on a medium: its table is for larger sectors, or empty."""
    large = partitions_of_large_sectors(medium)
    if large:
        most = max(large, key=lambda part: part.size_bytes)
        return UserError(
            f"{path} has a partition table (GPT) for sectors of {LARGE_SECTOR_BYTES:,} bytes: the media that bootlab "
            "makes have 512, so the kernel would see no partition",
            hint=f"take its largest partition out, and give that: dd if={path} of=root.img bs=1M iflag=skip_bytes,"
            f"count_bytes skip={most.start_bytes} count={most.size_bytes}",
        )
    if table is not None and not table.partitions and not table.damaged:
        return UserError(
            f"{path} has a partition table ({table.kind.upper()}) without a partition", hint="copy it again"
        )
    return None


def _boot(medium: BootMedium, firmware: int | None) -> FileView | None:
    """Return the files of the partition with the kernels, as /boot of a root that cannot be read; None without one."""
    for part in sorted(medium.parts, key=lambda part: part.number != firmware):
        if part.number not in medium.views:
            continue
        tree = FileView(NoFiles() if part.number else medium.views[0].files)
        if part.number:
            tree.mount("/boot", medium.views[part.number])
        medium.show_in(tree)
        entries = root_tree.entries_of(tree, medium)
        if any(tree.kind(entry.kernel) == "file" for entry in entries):
            return tree
        if any(tree.kind(f"/boot{entry.kernel}") == "file" for entry in entries):
            return tree
        # A stick with a live system: what its loader sees is the whole of it, /boot/grub included.
        own = FileView(medium.views[part.number].files)
        medium.show_in(own)
        if any(own.kind(entry.inside or entry.kernel) == "file" for entry in root_tree.entries_of(own, medium)):
            return own
    bare = FileView(NoFiles())
    medium.show_in(bare)
    # A partition may be the kernel itself.
    return bare if any(bare.kind(entry.kernel) == "file" for entry in root_tree.entries_of(bare, medium)) else None


def needed_bytes(medium: ByteSource, ends: list[int]) -> int:
    """Return how long a medium must be: for partitions by their `ends`, or for an ext file system without a table."""
    block = medium.read(1024, 1024)
    count, shift = int.from_bytes(block[4:8], "little"), int.from_bytes(block[24:28], "little")
    own = count << (10 + shift) if block[56:58] == b"\x53\xef" and shift <= _BLOCK_SHIFT_MAX else 0
    return max([*ends, own], default=0)


def is_disk(head: bytes, medium: ByteSource) -> bool:
    """Tell whether a file may be a disk image: a partition table, or a file system that is known."""
    return head.startswith(b"QFI\xfb") or read_partitions(medium) is not None or identify(medium) is not None


def view_of(system: FileSystem | None, window: Window) -> tuple[FileView | None, str]:
    """Return the files of a file system; None, and why, where they cannot be read."""
    if system is None or system.fstype == "swap":
        unknown = system is None and window.size_bytes >= _SMALL_BYTES
        return None, "what lies on it is of no kind that bootlab knows" if unknown else ""
    try:
        if system.fstype in {"ext2", "ext3", "ext4"}:
            files = ExtFiles(window)
            note = "its journal was not replayed: boot it once, or run e2fsck" if files.unclean else ""
            return FileView(files), note
        if (reader := _READERS.get(system.fstype)) is not None:
            return FileView(reader(window)), ""
    except UserError as error:
        return None, error.message
    label = f" ({system.label})" if system.label else ""
    return None, _CONTAINERS.get(system.fstype, f"bootlab does not read the files of {system.fstype}{{}}").format(label)


def _view(part: PartitionFacts, window: Window, subvolume: str) -> tuple[FileView | None, str]:
    """Return the files of a partition, by an installed program too; None, and why, where they cannot be read."""
    view, note = view_of(part.file_system, window)
    fstype = part.file_system.fstype if part.file_system is not None else ""
    if view is not None:
        return view, note
    try:
        found = tool_files.read(fstype, window, subvolume)
    except (UserError, EnvironmentFault) as error:
        return None, error.message
    if found is not None:
        return FileView(found.files), found.said
    way = tool_files.without(fstype)
    return None, f"{note}; {way}" if way else note


def _root(parts: tuple[PartitionFacts, ...], views: dict[int, FileView], roots: tuple[int, ...]) -> int | None:
    """Return the number of the partition with a root tree; the one that its type names, of several."""
    if roots:
        own = [part for part in parts if part.number in roots]
        return max(own, key=lambda part: (part.partition.kind == "root", part.partition.size_bytes)).number
    unreadable = [
        part for part in parts
        if part.number not in views and part.file_system is not None and part.partition.kind not in {"efi", "bios-boot"}
        and part.file_system.fstype not in {"swap", "vfat", "chromeos_kernel"}
    ]  # fmt: skip
    return max(unreadable, key=lambda part: part.partition.size_bytes).number if unreadable else None


def _mount_others(
    view: FileView,
    parts: tuple[PartitionFacts, ...],
    views: dict[int, FileView],
    mounted: set[int],
    firmware: int | None,
) -> None:
    """Show the file systems that fstab names, and a boot partition that it does not name, in the root's tree.

    `mounted`: the partitions with a root tree: another system's root is not mounted in this one. `firmware`: the
    partition that the firmware boots, where it says so.
    """
    for line in fstab.read(view.text("/etc/fstab") or ""):
        part = None if _SECOND_DISK.fullmatch(line.device) else named_by(line.device, parts)
        if part is not None and part.number in views and line.folder.startswith("/") and part.number not in mounted:
            view.mount(line.folder, views[part.number])
            mounted.add(part.number)
        own = view.files if part is not None and views.get(part.number) is view else None
        named = btrfs.named_in(line.options) if line.folder.startswith(_OF_BOOT) else ""
        if isinstance(own, btrfs.BtrfsFiles) and named and (below := own.below(named)) is not None:
            view.mount(line.folder, below)
    if firmware is not None and firmware not in mounted:
        # Its firmware looks at no other partition.
        mounted |= {part.number for part in parts if part.number in views and _has_firmware(views[part.number])}
        mounted.discard(firmware)

    def rank(part: PartitionFacts) -> tuple[bool, bool, bool]:
        names = views[part.number].names("/") if part.number in views else ()
        return part.number != firmware, part.partition.kind != "boot", not any(map(by_name.is_kernel, names))

    for part in sorted(parts, key=rank):
        if part.number not in mounted and part.number in views and not _has_files(view, "/boot"):
            # Yocto and Raspberry Pi images: the first partition is FAT, with kernel and device trees.
            view.mount("/boot", views[part.number])
            mounted.add(part.number)
            break
    _mount_firmware(view, parts, views, mounted)
    for part in parts:
        # systemd mounts the EFI partition by its type, here where the root has kernels in /boot.
        efi = part.number in views and (part.partition.kind == "efi" or bool(views[part.number].names("/EFI")))
        if efi and part.number not in mounted:
            place = next((path for path in ("/efi", "/boot/efi") if not view.names(path)), None)
            if place is not None:
                view.mount(place, views[part.number])
            return


def _has_files(view: FileView, folder: str) -> bool:
    """Tell whether there are files in a folder or the folders in it: what others are mounted on is empty."""
    inside = [f"{folder}/{name}" for name in view.names(folder)]
    return any(view.kind(path) != "dir" or view.names(path) for path in inside)


def _booted(parts: tuple[PartitionFacts, ...], views: dict[int, FileView]) -> int | None:
    """Return the number of the partition that a Raspberry Pi's autoboot.txt names; None without one."""
    for part in parts:
        text = views[part.number].text("/autoboot.txt") if part.number in views else None
        named = raspberry.boot_partition(text) if text is not None else None
        if named in views:
            return named
    return None


def _has_firmware(view: FileView) -> bool:
    return not {"config.txt", "autoboot.txt"}.isdisjoint(view.names("/"))


def _mount_firmware(
    view: FileView, parts: tuple[PartitionFacts, ...], views: dict[int, FileView], mounted: set[int]
) -> None:
    """Show a partition with what a board's firmware or U-Boot reads, where nothing mounts it and /boot has files."""
    for part in parts:
        if (
            part.number in views
            and part.number not in mounted
            and not _LOADERS.isdisjoint(views[part.number].names("/"))
        ):
            if not view.names("/boot/firmware"):
                view.mount("/boot/firmware", views[part.number])
                mounted.add(part.number)
            return


def named_by(device: str, parts: tuple[PartitionFacts, ...]) -> PartitionFacts | None:
    """Return the partition that `UUID=…`, `LABEL=…`, `PARTUUID=…` or a path such as /dev/sda2 names."""
    key, equals, value = device.partition("=")
    value = value.strip("\"'")
    for part in parts:
        system, table = part.file_system, part.partition
        if equals and (
            (key == "UUID" and system is not None and system.uuid.lower() == value.lower())
            or (key == "LABEL" and system is not None and system.label == value)
            or (key == "PARTUUID" and table.partuuid.lower() == value.lower())
            or (key == "PARTLABEL" and table.name == value)
        ):
            return part
    number = partition_number(device)
    return next((part for part in parts if part.number == number), None) if number is not None else None


def partition_number(device: str) -> int | None:
    """Return the number at the end of a disk partition's name: 2 of /dev/sda2 and /dev/mmcblk0p2, 0 of /dev/vda."""
    found = re.fullmatch(r"/dev/(?:(?:[shv]d|xvd)[a-z]+|(?:mmcblk|nvme\d+n|pmem|loop)\d+(?=p|$)p?)(\d*)", device)
    return None if found is None else int(found[1] or 0)
