# SPDX-License-Identifier: MIT
"""What fstab mounts and the described machine lacks.

That systemd waits is said of a disk's name or a partition's mark only, and only where every place that may have it was
looked at. Other devices (of LVM, arrays, /etc/crypttab, zram) are made by programs of the system.
"""

from __future__ import annotations

import re

from bootlab.model.fstab import MountLine
from bootlab.sources.disk import named_by
from bootlab.sources.facts import DiskFacts, MappedLine, RootFacts, SourceFacts
from bootlab.systemfile import mapped_devices

_DISK_NAMES = ("/dev/sd", "/dev/vd", "/dev/hd", "/dev/nvme")
# They hold other file systems, whose marks are not seen from outside.
_CONTAINERS = frozenset({"LVM2_member", "crypto_LUKS", "linux_raid_member", "zfs_member"})
_ASKED_FOR = frozenset({"", "-", "none"})


def mount_notes(found: SourceFacts) -> list[str]:
    """Name the lines of fstab whose devices are lacking, and what is needed for those that programs make."""
    if found.root is None or found.disk is None:
        return []
    lines = (line for line in found.root.mounts if _is_waited_for(line))
    return [note for line in lines if (note := _note(line, found.root, found.disk))]


def _is_waited_for(line: MountLine) -> bool:
    mounts = line.folder not in {"/", "none", "swap"} or line.fstype == "swap"
    return mounts and {"noauto", "nofail"}.isdisjoint(line.options)


def _note(line: MountLine, root: RootFacts, disk: DiskFacts) -> str:
    if mapped_devices.made_by_initrd(line.device):
        return _of_mapped(line, root, disk)
    marked = line.device.startswith(("UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="))
    by_name = line.device.startswith(_DISK_NAMES)
    if not (marked or by_name) or (marked and named_by(line.device, disk.partitions) is not None):
        return ""
    said = f"fstab mounts {line.device} on {line.folder}, which this machine does not have under that name"
    if line.device.startswith(("UUID=", "LABEL=")) and (places := _unseen(disk)):
        return f"fstab mounts {line.device} on {line.folder}: not on its partitions; what lies in {places} was not seen"
    waits = ": systemd waits 90 s for it (nofail in fstab, or UUID=, ends that)"
    return said + (waits if root.init_kind == "systemd" else "")


def _unseen(disk: DiskFacts) -> str:
    """Name the partitions that may have file systems inside; "" for none."""
    parts = [
        str(part.number)
        for part in disk.partitions
        if part.partition.kind != "bios-boot" and (part.file_system is None or part.file_system.fstype in _CONTAINERS)
    ]
    return f"partition {', '.join(parts)}" if parts else ""


def _of_mapped(line: MountLine, root: RootFacts, disk: DiskFacts) -> str:
    """Say what a device needs that a program makes; "" where the medium has all of it."""
    said = f"fstab mounts {line.device} on {line.folder}"
    own = next((mapped for mapped in root.mapped if line.device == f"/dev/mapper/{mapped.name}"), None)
    if own is not None:
        return f"{said}: {lacks}" if (lacks := _lacking(own, disk)) else ""
    held = {part.file_system.fstype for part in disk.partitions if part.file_system is not None}
    if _CONTAINERS & held:
        # Which of them has it is written inside.
        return ""
    if re.match(r"/dev/md", line.device):
        return f"{said}: an array, of which no partition here is a part"
    return f"{said}: a volume of LVM or device-mapper; neither /etc/crypttab nor a partition here shows what makes it"


def _lacking(mapped: MappedLine, disk: DiskFacts) -> str:
    """Say what a line of /etc/crypttab needs and this machine does not have, or who is asked; "" for nothing."""
    of_disk = mapped.device.startswith(("UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=", *_DISK_NAMES))
    by_name = mapped.device.startswith(_DISK_NAMES)
    if of_disk and (by_name or named_by(mapped.device, disk.partitions) is None):
        return f"/etc/crypttab makes it of {mapped.device}, which this machine does not have under that name"
    if mapped.key in _ASKED_FOR and not {"tpm2-device", "fido2-device", "pkcs11-uri"} & set(mapped.options):
        return f"/etc/crypttab makes it of {mapped.device} with a passphrase, which a boot would wait for"
    return ""
