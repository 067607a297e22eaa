# SPDX-License-Identifier: MIT
"""File systems that bootlab does not read: the menu that starts what lies on them, and the commands that open them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab import host_packages
from bootlab.errors import UserError
from bootlab.formats.file_view import FileView
from bootlab.model.cmdline import CommandLine
from bootlab.sources import root_tree
from bootlab.sources.disk import named_by
from bootlab.sources.facts import BootEntry, DiskFacts, PartitionFacts, SourceFacts
from bootlab.sources.medium import BootMedium

# Nothing is mounted of these, or by other ways.
_NO_FILES = frozenset({"swap", "chromeos_kernel", "crypto_LUKS"})
# What GRUB reads, and no program that bootlab runs.
_OF_GRUB = frozenset({"f2fs", "zfs_member"})
_SHOWN_MAX = 4


def partitions(disk: DiskFacts) -> tuple[PartitionFacts, ...]:
    """Return the partitions with a file system that is known and could not be read, the largest first."""
    found = (
        part
        for part in disk.partitions
        if part.file_system is not None and not part.is_read and part.file_system.fstype not in _NO_FILES
    )
    return tuple(sorted(found, key=lambda part: -part.partition.size_bytes))


def entry_of(medium: BootMedium) -> BootEntry | None:
    """Return what the first menu takes that can be read, where its kernel lies on a partition that cannot."""
    for own in medium.views.values():
        view = FileView(own.files)
        medium.show_in(view)
        for entry in root_tree.entries_of(view, medium)[:1]:
            holder = medium.of(entry.partition)
            if entry.kernel and holder is not None and entry.partition not in medium.views:
                return entry
    return None


def with_menu(found: SourceFacts, medium: BootMedium | None) -> SourceFacts:
    """Return a medium whose root cannot be read, with what a menu on it takes, where one can be read."""
    entry = entry_of(medium) if medium is not None else None
    if entry is None or found.disk is None:
        return found
    return msgspec.structs.replace(found, entry=entry, notes=(*found.notes, *entry.notes))


def with_root_of_line(found: SourceFacts) -> SourceFacts:
    """Return a medium, of which no root could be read, with the root that its entry's line names."""
    if found.disk is None or found.entry is None:
        return found
    try:
        root = CommandLine.parse(found.entry.cmdline.replace("\n", " ")).value("root") or ""
    except UserError:
        return found
    part = named_by(root, found.disk.partitions)
    disk = msgspec.structs.replace(found.disk, root=part.number) if part is not None else found.disk
    return msgspec.structs.replace(found, disk=disk)


def menu_words(entry: BootEntry) -> str:
    """Say what a menu takes from a partition that cannot be read."""
    return (
        f"its menu {entry.source} takes {entry.kernel} of partition {entry.partition}"
        f"{f' ({entry.title})' if entry.title else ''}, with the line: {entry.cmdline}"
    )


def way(disk: DiskFacts, entry: BootEntry | None) -> str:
    """Return the commands that take kernel and initrd out of what cannot be read; "" where all can be."""
    parts = partitions(disk)
    if not parts:
        return ""
    named = [part for part in parts if entry is not None and part.number == entry.partition] or list(parts)
    part = named[0]
    opened = opened_as_device(disk)
    mounts = _mount(part, partition_of_device(part.number))
    image = disk.path
    if entry is not None and part.number == entry.partition:
        given = [entry.kernel, *entry.initrds]
        files = " ".join(f"--from /mnt{path}" for path in given)
        return f"{opened}; {mounts}; then give its kernel with the disk: {files} --from {image}{_by_grub(disk, part)}"
    others = [str(one.number) for one in parts[1:_SHOWN_MAX] if one.number]
    more = f" (or partition {', '.join(others)})" if others else ""
    return f"{opened}; {mounts}{more}; {given_mounted(image)}{_by_grub(disk, part)}"


def _by_grub(disk: DiskFacts, part: PartitionFacts) -> str:
    """Return how GRUB's drivers take single files out without root's rights; "" where they read no such image."""
    fstype = part.file_system.fstype if part.file_system is not None else ""
    if fstype not in _OF_GRUB or disk.form != "raw":
        return ""
    device = f"(loop0,{'gpt' if disk.table == 'gpt' else 'msdos'}{part.number})" if part.number else "(loop0)"
    where = "/DATASET/@/boot/" if fstype == "zfs_member" else "/boot/"
    return (
        f". Without root's rights GRUB's tool reads single files ({host_packages.install('grub-common')}): grub-fstest "
        f"{disk.path} ls -- -l '{device}{where}' lists them; grub-fstest {disk.path} cp '{device}{where}KERNEL' KERNEL"
    )


def given_mounted(image: Path) -> str:
    """Return what is given of a root that was mounted on /mnt."""
    return (
        "then give the tree, whose menu may have the command line, and "
        f"the disk: --from /mnt --from {image}; or its kernel and initrd: --from /mnt/boot/KERNEL --from "
        f"/mnt/boot/INITRD --from {image}, and the menu's line in kernel.cmdline"
    )


def opened_as_device(disk: DiskFacts) -> str:
    """Return the command that makes a device of an image, whose name is then in `$disk`."""
    if disk.form == "qcow2":
        return f"sudo modprobe nbd max_part=16; disk=/dev/nbd0; sudo qemu-nbd --read-only -c $disk {disk.path}"
    return f"disk=$(sudo losetup --find --partscan --show {disk.path})"


def partition_of_device(number: int) -> str:
    """Return the name of a partition of that device; of the device itself for 0."""
    return f"${{disk}}p{number}" if number else "$disk"


def _mount(part: PartitionFacts, device: str) -> str:
    system = part.file_system
    fstype = system.fstype if system is not None else ""
    if fstype == "zfs_member":
        pool = (system.label if system is not None else "") or "POOL"
        return (
            f"where ZFS is there: sudo zpool import -N -o readonly=on -d {device} {pool}; zfs list -r {pool} names the "
            f"root; sudo mount -t zfs -o ro,zfsutil {pool}/ROOT/NAME /mnt"
        )
    if fstype == "LVM2_member":
        return "sudo vgchange -ay; sudo lvs names the root; sudo mount -o ro /dev/GROUP/ROOT /mnt"
    if fstype == "linux_raid_member":
        return f"sudo mdadm --assemble --readonly --run /dev/md0 {device}; sudo mount -o ro /dev/md0 /mnt"
    note = " (the default subvolume; subvol= takes another)" if fstype == "btrfs" else ""
    return f"sudo mount -o ro {device} /mnt{note}"
