# SPDX-License-Identifier: MIT
"""Which file system lies on a partition, by its first bytes, with its UUID and label where the boot may name them.

Offsets: the kernel's headers of each file system (`include/uapi/linux/magic.h`, `fs/*/`).
"""

from __future__ import annotations

import re
import uuid

import msgspec

from bootlab.formats.disk_bytes import ByteSource

_HEAD_BYTES = 0x11000
# include/sys/vdev_impl.h of OpenZFS: each label has a list of names and values, packed by XDR, behind 16 KiB.
_ZFS_AT, _ZFS_BYTES = 0x4000, 0x1C000
_BTRFS_AT = 0x10000


class FileSystem(msgspec.Struct, frozen=True, kw_only=True):
    """A file system's name as the kernel has it (`ext4`, `vfat`), `swap`, `crypto_LUKS`, `LVM2_member` or the like.

    `written_s`: when it was made or written last, in seconds since 1970; 0 where it does not say.
    """

    fstype: str
    uuid: str = ""
    label: str = ""
    written_s: int = 0


def identify(medium: ByteSource) -> FileSystem | None:
    """Return what lies on a medium or partition; None when it is not known."""
    data = medium.read(0, _HEAD_BYTES)
    for look in (_ext, _by_magic, _btrfs, _xfs, _f2fs, _erofs, _swap, _fat):
        found = look(data)
        if found is not None:
            return found
    return _zfs(medium.read(_ZFS_AT, _ZFS_BYTES))


def _text(data: bytes) -> str:
    return data.split(b"\0")[0].decode("utf-8", "replace").strip()


def _uuid(data: bytes) -> str:
    return str(uuid.UUID(bytes=data)) if len(data) == 16 and any(data) else ""


def _ext(data: bytes) -> FileSystem | None:
    block = data[1024:2048]
    if block[56:58] != b"\x53\xef":
        return None
    compatible, incompatible, read_only = (int.from_bytes(block[at : at + 4], "little") for at in (92, 96, 100))
    # What ext3 does not know (fs/ext4/super.c: EXT3_FEATURE_*_SUPP).
    known_to_ext3 = not (incompatible & ~0x16 or read_only & ~0x7)
    kind = "ext4" if not known_to_ext3 else "ext3" if compatible & 0x4 else "ext2"
    # s_mtime, s_wtime and s_mkfs_time (fs/ext4/ext4.h).
    written = max(int.from_bytes(block[at : at + 4], "little") for at in (44, 48, 264))
    return FileSystem(fstype=kind, uuid=_uuid(block[104:120]), label=_text(block[120:136]), written_s=written)


_MAGICS = (
    (0, b"hsqs", "squashfs"),
    (0, b"\x45\x3d\xcd\x28", "cramfs"),
    (0, b"-rom1fs-", "romfs"),
    (0, b"UBI#", "ubi"),
    (0, b"\x85\x19", "jffs2"),
    (0, b"\x19\x85", "jffs2"),
    (0, b"LUKS\xba\xbe", "crypto_LUKS"),
    (512, b"LABELONE", "LVM2_member"),
    # include/uapi/linux/raid/md_p.h: version 1.1 lies at the begin, 1.2 behind 4 KiB; 0.90 and 1.0 at the end.
    (0, b"\xfc\x4e\x2b\xa9", "linux_raid_member"),
    (4096, b"\xfc\x4e\x2b\xa9", "linux_raid_member"),
    (0, b"\x31\x18\x10\x06", "ubifs"),
    (4096 + 24, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"), "bcachefs"),
    (3, b"NTFS    ", "ntfs"),
    (3, b"EXFAT   ", "exfat"),
    (0x8001, b"CD001", "iso9660"),
    # vboot_reference, firmware/2lib/include/2struct.h: a kernel that is signed for a Chromebook.
    (0, b"CHROMEOS", "chromeos_kernel"),
)


def _by_magic(data: bytes) -> FileSystem | None:
    fstype = next((name for at, magic, name in _MAGICS if data[at : at + len(magic)] == magic), None)
    # fs/squashfs/squashfs_fs.h: mkfs_time.
    written = int.from_bytes(data[8:12], "little") if fstype == "squashfs" else 0
    # ECMA-119, 8.4: the volume's name, filled up with spaces.
    label = _text(data[0x8028:0x8048]) if fstype == "iso9660" else ""
    return FileSystem(fstype=fstype, label=label, written_s=written) if fstype is not None else None


def _btrfs(data: bytes) -> FileSystem | None:
    block = data[_BTRFS_AT : _BTRFS_AT + 4096]
    if block[64:72] != b"_BHRfS_M":
        return None
    return FileSystem(fstype="btrfs", uuid=_uuid(block[32:48]), label=_text(block[299:555]))


def _zfs(data: bytes) -> FileSystem | None:
    if b"pool_guid" not in data or b"vdev_tree" not in data:
        return None
    # Name, type (9: a text), count, length; each text is filled up to a multiple of 4.
    named = re.search(
        rb"\x00\x00\x00\x04name\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00(?P<length>[\x00\x01][\x00-\xff])", data
    )
    pool = _text(data[named.end() : named.end() + int.from_bytes(named["length"], "big")]) if named is not None else ""
    return FileSystem(fstype="zfs_member", label=pool)


def _xfs(data: bytes) -> FileSystem | None:
    if data[:4] != b"XFSB":
        return None
    return FileSystem(fstype="xfs", uuid=_uuid(data[32:48]), label=_text(data[108:120]))


def _f2fs(data: bytes) -> FileSystem | None:
    block = data[1024:2048]
    if block[:4] != b"\x10\x20\xf5\xf2":
        return None
    label = block[124 : 124 + 1024].decode("utf-16-le", "replace").split("\0")[0]
    return FileSystem(fstype="f2fs", uuid=_uuid(block[108:124]), label=label[:64])


def _erofs(data: bytes) -> FileSystem | None:
    block = data[1024:1152]
    if block[:4] != b"\xe2\xe1\xf5\xe0":
        return None
    # fs/erofs/erofs_fs.h: build_time.
    written = int.from_bytes(block[24:32], "little")
    return FileSystem(fstype="erofs", uuid=_uuid(block[48:64]), label=_text(block[64:80]), written_s=written)


def _swap(data: bytes) -> FileSystem | None:
    if data[4086:4096] not in {b"SWAPSPACE2", b"SWAP-SPACE"}:
        return None
    return FileSystem(fstype="swap", uuid=_uuid(data[1036:1052]), label=_text(data[1052:1068]))


def _fat(data: bytes) -> FileSystem | None:
    if data[510:512] != b"\x55\xaa" or data[0:1] not in {b"\xeb", b"\xe9"}:
        return None
    wide = data[82:87] == b"FAT32"
    if not wide and data[54:57] != b"FAT":
        return None
    at = 67 if wide else 39
    serial = data[at : at + 4][::-1].hex().upper()
    label = _text(data[at + 4 : at + 15])
    return FileSystem(fstype="vfat", uuid=f"{serial[:4]}-{serial[4:]}", label="" if label == "NO NAME" else label)
