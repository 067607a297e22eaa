# SPDX-License-Identifier: MIT
"""Disks of other systems than Linux, told by the types of their partitions; partitions that only a passphrase opens.

Types: FreeBSD's gpart(8), NetBSD's sys/disklabel_gpt.h, OpenBSD's sys/disklabel.h, Microsoft's and Apple's.
"""

from __future__ import annotations

from bootlab.sources.facts import DiskFacts, PartitionFacts

_BY_GPT = {
    "516e7cb4-6ecf-11d6-8ff8-00022d09712b": "FreeBSD",
    "516e7cb5-6ecf-11d6-8ff8-00022d09712b": "FreeBSD",
    "516e7cb6-6ecf-11d6-8ff8-00022d09712b": "FreeBSD",
    "516e7cba-6ecf-11d6-8ff8-00022d09712b": "FreeBSD",
    "83bd6b9d-7f41-11dc-be0b-001560b84f0f": "FreeBSD",
    "824cc7a0-36a8-11e3-890a-952519ad3f61": "OpenBSD",
    "49f48d5a-b10e-11dc-b99b-0019d1879648": "NetBSD",
    "49f48d32-b10e-11dc-b99b-0019d1879648": "NetBSD",
    "9d087404-1ca5-11dc-8817-01301bb8a9f5": "DragonFly BSD",
    "e3c9e316-0b5c-4db8-817d-f92df00215ae": "Windows",
    "7c3457ef-0000-11aa-aa11-00306543ecac": "macOS",
    "42465331-3ba3-10f1-802a-4861696b7521": "Haiku",
}
_BY_MBR = {0xA5: "FreeBSD", 0xA6: "OpenBSD", 0xA9: "NetBSD", 0xEB: "Haiku"}
_OF_LINUX = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "squashfs", "erofs", "crypto_LUKS", "LVM2_member"}
)
_LOCKED = frozenset({"crypto_LUKS"})


def of_disk(disk: DiskFacts) -> str:
    """Return the name of the system that a disk's partitions are of; "" where one of them may be Linux's."""
    if any(part.file_system is not None and part.file_system.fstype in _OF_LINUX for part in disk.partitions):
        return ""
    named = [
        _BY_GPT.get(part.partition.type_uuid, "") or _BY_MBR.get(part.partition.type_byte, "")
        for part in disk.partitions
    ]
    return next((name for name in named if name), "")


def encrypted(disk: DiskFacts) -> PartitionFacts | None:
    """Return the first partition that a passphrase opens; None without one."""
    parts = (part for part in disk.partitions if part.file_system is not None)
    return next((part for part in parts if part.file_system is not None and part.file_system.fstype in _LOCKED), None)
