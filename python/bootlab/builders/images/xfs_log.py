# SPDX-License-Identifier: MIT
"""An XFS log with transactions that were never written back, as a power cut leaves it.

What is logged are B-tree blocks of the image as they are, so that replaying them costs time and changes nothing.
Formats: the kernel's `fs/xfs/libxfs/xfs_log_format.h`, `xfs_format.h`; who reads them: `fs/xfs/xfs_log_recover.c`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bootlab.errors import EnvironmentFault

_SECTOR_BYTES = 512
_CYCLE = 1
_RECORD_MAGIC = 0xFEEDBABE
# sizeof(struct xlog_rec_header) where 64-bit numbers are aligned to 8 bytes: everywhere but on 32-bit x86.
_HEADER_BYTES = 328
_CRC_AT = 32
_RECORD_MAX_BYTES = 32 << 10
_LITTLE_ENDIAN = 1
_TRANSACTION_CLIENT = 0x69
_START, _COMMIT = 1, 2
_TRANSACTION_MAGIC = 0x5452414E
_CHECKPOINT = 40
_BUFFER_ITEM = 0x123C
# XFS_BLFT_BTREE_BUF in the upper bits of the flags tells recovery how to check the block.
_BTREE_FLAGS = 4 << 11
_CHUNK_BYTES = 128
# mkfs.xfs puts one record there that says that all was written: a header and a sector.
_FIRST_SECTOR = 2


class _Geometry:
    """Where things lie, by the superblock."""

    def __init__(self, image: BinaryIO) -> None:
        head = _at(image, 0, 264)
        if head[:4] != b"XFSB":
            raise EnvironmentFault("mkfs.xfs made an image without a superblock", hint="its version: mkfs.xfs -V")
        self.block_bytes: int = struct.unpack_from(">I", head, 4)[0]
        self.uuid = head[32:48]
        self.group_blocks: int = struct.unpack_from(">I", head, 84)[0]
        self.groups: int = struct.unpack_from(">I", head, 88)[0]
        # A block's number in the whole is that of its group, and behind so many bits that in the group.
        start, bits = struct.unpack_from(">Q", head, 48)[0], head[124]
        self.log_at = self.byte_of(start >> bits, start & ((1 << bits) - 1))

    def byte_of(self, group: int, block: int) -> int:
        """Return the place of a group's block in the image."""
        return (group * self.group_blocks + block) * self.block_bytes


def leave_unclean(path: Path, replayed_bytes: int) -> None:
    """Put so many bytes of blocks into the log of an image that mkfs.xfs made. Raise EnvironmentFault for another."""
    with path.open("r+b") as image:
        geometry = _Geometry(image)
        roots = [_roots(image, geometry, group) for group in range(geometry.groups)]
        sector, before, left, number = _FIRST_SECTOR, 0, replayed_bytes, 0
        while left > 0:
            places = roots[number % len(roots)][: -(-left // geometry.block_bytes)]
            number += 1
            blocks = [(place, _at(image, place, geometry.block_bytes)) for place in places]
            record = _record(_operations(number, blocks), sector, before, geometry.uuid)
            image.seek(geometry.log_at + sector * _SECTOR_BYTES)
            image.write(record)
            before, sector = sector, sector + len(record) // _SECTOR_BYTES
            left -= sum(len(data) for _, data in blocks)


def _roots(image: BinaryIO, geometry: _Geometry, group: int) -> list[int]:
    """Return where a group's B-trees have their roots: free space by place and by size, inodes, free inodes."""
    space = _at(image, geometry.byte_of(group, 0) + _SECTOR_BYTES, _SECTOR_BYTES)
    inodes = _at(image, geometry.byte_of(group, 0) + 2 * _SECTOR_BYTES, _SECTOR_BYTES)
    if space[:4] != b"XAGF" or inodes[:4] != b"XAGI":
        raise EnvironmentFault("mkfs.xfs made an image with an unexpected layout", hint="its version: mkfs.xfs -V")
    numbers = (*struct.unpack_from(">II", space, 16), *struct.unpack_from(">I", inodes, 20))
    numbers += struct.unpack_from(">I", inodes, 328)
    return [geometry.byte_of(group, block) for block in numbers]


def _operations(transaction: int, blocks: list[tuple[int, bytes]]) -> list[bytes]:
    """Return a transaction's operations: its start and header, each block's place and bytes, and the commit."""

    def operation(data: bytes, flags: int = 0) -> bytes:
        return struct.pack(">IIBBH", transaction, len(data), _TRANSACTION_CLIENT, flags, 0) + data

    found = [operation(b"", _START)]
    found.append(operation(struct.pack("<IIiI", _TRANSACTION_MAGIC, _CHECKPOINT, transaction, len(blocks))))
    for place, data in blocks:
        chunks = len(data) // _CHUNK_BYTES
        words = [(1 << min(32, chunks - at)) - 1 for at in range(0, chunks, 32)]
        sectors = len(data) // _SECTOR_BYTES
        # Two parts: this one and the bytes.
        form = struct.pack("<HHHHqI", _BUFFER_ITEM, 2, _BTREE_FLAGS, sectors, place // _SECTOR_BYTES, len(words))
        found += [operation(form + struct.pack(f"<{len(words)}I", *words)), operation(data)]
    found.append(operation(b"", _COMMIT))
    return found


def _record(operations: list[bytes], sector: int, before: int, uuid: bytes) -> bytes:
    """Return a record: its header, and the operations with the cycle's number in each sector's first word."""
    payload = bytearray(b"".join(operations))
    payload += bytes(-len(payload) % _SECTOR_BYTES)
    cycle = struct.pack(">I", _CYCLE)
    words = b""
    for start in range(0, len(payload), _SECTOR_BYTES):
        words += payload[start : start + 4]
        payload[start : start + 4] = cycle
    head = bytearray(
        struct.pack(">IIII", _RECORD_MAGIC, _CYCLE, 2, len(payload))
        # Its own place, and the oldest one that is still needed: the first of them.
        + struct.pack(">IIII", _CYCLE, sector, _CYCLE, _FIRST_SECTOR)
        + struct.pack("<I", 0)
        + struct.pack(">II", before, len(operations))
        + words.ljust(256, b"\0")
        + struct.pack(">I", _LITTLE_ENDIAN)
        + uuid
        + struct.pack(">I", _RECORD_MAX_BYTES)
    ).ljust(_HEADER_BYTES, b"\0")
    head[_CRC_AT : _CRC_AT + 4] = struct.pack("<I", crc32c(bytes(head) + payload))
    return bytes(head).ljust(_SECTOR_BYTES, b"\0") + payload


def _at(image: BinaryIO, place: int, count: int) -> bytes:
    image.seek(place)
    return image.read(count)


def _table() -> Iterator[int]:
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        yield value


_CRC_TABLE = tuple(_table())


def crc32c(data: bytes) -> int:
    """Castagnoli's CRC (RFC 3720), which zlib lacks."""
    value, table = 0xFFFFFFFF, _CRC_TABLE
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF
