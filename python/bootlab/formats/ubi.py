# SPDX-License-Identifier: MIT
"""UBI: volumes on raw flash (drivers/mtd/ubi/ubi-media.h of Linux). Each erase block says which piece of which it has.

Checksums of the headers are checked; those of static volumes' data are left to the readers of what lies in them.
"""

from __future__ import annotations

import zlib
from typing import Protocol

import msgspec

BLOCK_MAGIC, _VOLUME_MAGIC = b"UBI#", b"UBI!"
_HEADER_BYTES, _CHECKED_BYTES = 64, 60
_LAYOUT_VOLUME = 0x7FFFEFFF
_RECORD_BYTES, _RECORDS_MAX, _NAME_MAX_BYTES = 172, 128, 127
_STEP_BYTES, _BLOCK_MAX_BYTES = 2048, 4 << 20
_BLOCKS_MAX = 65_536


class Bytes(Protocol):
    """What is read: bytes in memory, or a file mapped into it."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __getitem__(self, place: slice, /) -> bytes:
        """Return some of them."""


class UbiVolume(msgspec.Struct, frozen=True):
    """A volume: its name, and where its pieces lie in their order, as (first byte, length)."""

    name: str
    spans: tuple[tuple[int, int], ...]


class UbiImage(msgspec.Struct, frozen=True):
    """The volumes of an image, and where it ends."""

    volumes: tuple[UbiVolume, ...]
    end_bytes: int


class _Block(msgspec.Struct, frozen=True):
    volume: int
    number: int
    sequence: int
    start: int
    used: int


def read(data: Bytes, start: int = 0) -> UbiImage | None:
    """Return the volumes of an image that begins at a byte; None where its headers are damaged or name none."""
    size = _block_bytes(data, start)
    if not size:
        return None
    own = data[start + 24 : start + 28]
    blocks: dict[tuple[int, int], _Block] = {}
    end = start
    for at in range(start, min(len(data), start + size * _BLOCKS_MAX), size):
        if not _is_header(data[at : at + _HEADER_BYTES], BLOCK_MAGIC) or data[at + 24 : at + 28] != own:
            continue
        end = at + size
        block = _block(data, at, size)
        if block is None:
            continue
        place = (block.volume, block.number)
        # After a power cut there may be two; the later one counts.
        if place not in blocks or blocks[place].sequence <= block.sequence:
            blocks[place] = block
    names = _names(data, blocks)
    found = []
    for volume, name in names.items():
        pieces = [blocks[place] for place in sorted(blocks) if place[0] == volume]
        # A piece that is not there was never written.
        if pieces and [piece.number for piece in pieces] == list(range(len(pieces))):
            found.append(UbiVolume(name, tuple((piece.start, piece.used) for piece in pieces)))
    return UbiImage(tuple(found), end) if found else None


def _is_header(head: bytes, magic: bytes) -> bool:
    # The kernel's crc32 begins with all bits set, and does not turn them at the end.
    crc = ~zlib.crc32(head[:_CHECKED_BYTES]) & 0xFFFFFFFF
    return head.startswith(magic) and crc == int.from_bytes(head[_CHECKED_BYTES:_HEADER_BYTES], "big")


def _block_bytes(data: Bytes, start: int) -> int:
    """Return how large an erase block is: as far as the next one's header is away; 0 for a single one."""
    if not _is_header(data[start : start + _HEADER_BYTES], BLOCK_MAGIC):
        return 0
    for at in range(start + _STEP_BYTES, min(len(data), start + _BLOCK_MAX_BYTES + 1), _STEP_BYTES):
        if _is_header(data[at : at + _HEADER_BYTES], BLOCK_MAGIC):
            return at - start
    return 0


def _block(data: Bytes, at: int, size: int) -> _Block | None:
    head = data[at : at + _HEADER_BYTES]
    volume_at, data_at = (int.from_bytes(head[place : place + 4], "big") for place in (16, 20))
    own = data[at + volume_at : at + volume_at + _HEADER_BYTES]
    if not data_at < size or not _is_header(own, _VOLUME_MAGIC):
        return None
    volume, number = (int.from_bytes(own[place : place + 4], "big") for place in (8, 12))
    used, pad = (int.from_bytes(own[place : place + 4], "big") for place in (20, 28))
    whole = max(0, size - data_at - pad)
    sequence = int.from_bytes(own[40:48], "big")
    # A dynamic volume has the whole block; a static one says how much of it.
    return _Block(volume, number, sequence, at + data_at, min(used, whole) if used and own[5] == 2 else whole)


def _names(data: Bytes, blocks: dict[tuple[int, int], _Block]) -> dict[int, str]:
    """Return the names of the volumes by their numbers, from either copy of their table."""
    for number in (0, 1):
        table = blocks.get((_LAYOUT_VOLUME, number))
        if table is None:
            continue
        names: dict[int, str] = {}
        for index in range(_RECORDS_MAX):
            record = data[table.start + index * _RECORD_BYTES : table.start + (index + 1) * _RECORD_BYTES]
            length = int.from_bytes(record[14:16], "big")
            if len(record) == _RECORD_BYTES and any(record[:4]) and 0 < length <= _NAME_MAX_BYTES:
                names[index] = record[16 : 16 + length].decode("utf-8", "replace")
        if names:
            return names
    return {}
