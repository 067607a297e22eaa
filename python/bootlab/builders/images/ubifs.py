# SPDX-License-Identifier: MIT
"""UBIFS in a UBI volume: nodes by mtd-utils' mkfs.ubifs, the erase blocks around them by ubinize, both made to repeat.

mkfs.ubifs writes a random UUID, and the times at which a staged copy of the tree was made. Both are set to fixed values
here, with the checksums of their nodes. Formats: the kernel's `fs/ubifs/ubifs-media.h`, `drivers/mtd/ubi/ubi-media.h`.
"""

from __future__ import annotations

import struct
import tempfile
import uuid
import zlib
from pathlib import Path

from bootlab.builders.images import staged, tool
from bootlab.model.root import UBI_VOLUME
from bootlab.model.tree import FileTree

_UUID = uuid.UUID(tool.UUID).bytes
_SEQUENCE = "1112014347"
_HEADER_BYTES = 64
_SMALLEST_UNIT_BYTES = 8
# UBI keeps two blocks for its volume table, one to move data to and, of 1024, 20 for blocks that go bad.
_RESERVED_BLOCKS = 4
_NODE_MAGIC = struct.pack("<I", 0x06101831)
_INODE, _SUPERBLOCK = 0, 6
# struct ubifs_ino_node: three times of 8 bytes, then their nanoseconds; struct ubifs_sb_node: uuid.
_TIMES = slice(56, 92)
_UUID_AT = slice(108, 124)


def write(tree: FileTree, image: Path, *, erase_bytes: int, room_bytes: int) -> int:
    """Write a tree as the first erase blocks of a partition; return their size in bytes. `filler` makes the others.

    Raise ToolMissing, EnvironmentFault, and UserError when the tree does not fit.
    """
    program = tool.find("mkfs.ubifs", "mtd-utils", "to make UBIFS images")
    around = tool.find("ubinize", "mtd-utils", "to make UBI images")
    blocks = room_bytes // erase_bytes
    logical_bytes = erase_bytes - 2 * _HEADER_BYTES
    count = blocks - _RESERVED_BLOCKS
    with tempfile.TemporaryDirectory(prefix="bootlab-ubi-", dir=image.parent) as work:
        volume, settings = Path(work, "volume"), Path(work, "ubinize.cfg")
        words = [program, "-r", "{root}", "-m", str(_SMALLEST_UNIT_BYTES), "-e", str(logical_bytes), "-c", str(count)]
        words += ["-x", "zlib", "-o", "{image}"]
        staged.pack(tree, volume, words, needed_for="to make UBIFS images", environ={})
        volume.write_bytes(settled(volume.read_bytes()))
        size = logical_bytes * count
        settings.write_text(
            f"[root]\nmode=ubi\nimage={volume}\nvol_id=0\nvol_type=dynamic\nvol_name={UBI_VOLUME}\nvol_size={size}\n"
        )
        image.unlink(missing_ok=True)
        tool.run([around, "-o", str(image), "-m", "1", "-p", str(erase_bytes), "-Q", _SEQUENCE, str(settings)])
    return image.stat().st_size


def filler(image: Path, erase_bytes: int) -> bytes:
    """Return an erase block without contents, as ubiformat makes it: one without a header would be erased at attach."""
    with image.open("rb") as packed:
        return packed.read(_HEADER_BYTES).ljust(erase_bytes, b"\xff")


def settled(volume: bytes) -> bytes:
    """Return a UBIFS volume with fixed UUID and times of 0."""
    data = bytearray(volume)
    at = data.find(_NODE_MAGIC)
    while at >= 0:
        kind, length = data[at + 20] if at + 24 <= len(data) else -1, 0
        if kind in {_INODE, _SUPERBLOCK}:
            (length,) = struct.unpack_from("<I", data, at + 16)
            if _UUID_AT.stop < length <= len(data) - at and _checksum(data, at, length) == data[at + 4 : at + 8]:
                place = _TIMES if kind == _INODE else _UUID_AT
                fixed = bytes(_TIMES.stop - _TIMES.start) if kind == _INODE else _UUID
                data[at + place.start : at + place.stop] = fixed
                data[at + 4 : at + 8] = _checksum(data, at, length)
        at = data.find(_NODE_MAGIC, at + _SMALLEST_UNIT_BYTES)
    return bytes(data)


def _checksum(data: bytearray, at: int, length: int) -> bytes:
    # The kernel's crc32(~0, …) is not inverted at its end; it covers all behind itself.
    return struct.pack("<I", zlib.crc32(data[at + 8 : at + length]) ^ 0xFFFF_FFFF)
