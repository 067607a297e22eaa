# SPDX-License-Identifier: MIT
"""Partition tables: MBR with its chain of logical partitions, and GPT (UEFI specification, 5.3)."""

from __future__ import annotations

import struct
import uuid
import zlib

import msgspec

from bootlab.formats.disk_bytes import ByteSource

SECTOR_BYTES = 512
LARGE_SECTOR_BYTES = 4096
"""The sectors of some disks and of UFS: numbers in a table count those of its own disk."""
_COUNT_MAX = 128
_EXTENDED = frozenset({0x05, 0x0F, 0x85})
_GPT_PROTECTION = 0xEE
_GPT_HEADER = struct.Struct("<8sIIIIQQQQ16sQIII")
_GPT_ENTRY = struct.Struct("<16s16sQQQ72s")
# systemd's Discoverable Partitions Specification, and UEFI's own.
_TYPES = {
    "c12a7328-f81f-11d2-ba4b-00a0c93ec93b": "efi",
    "21686148-6449-6e6f-744e-656564454649": "bios-boot",
    "bc13c2ff-59e6-4262-a352-b275fd6f7172": "boot",
    "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f": "swap",
    "4f68bce3-e8cd-4db1-96e7-fbcaf984b709": "root",
    "b921b045-1df0-41c3-af44-4c6f280d3fae": "root",
    "69dad710-2ce4-4e3c-b16c-21a1d49abed3": "root",
    "72ec70a6-cf74-40e6-bd49-4bda08e8f224": "root",
}
_MBR_TYPES = {0x82: "swap", 0xEF: "efi", 0x01: "fat", 0x04: "fat", 0x06: "fat", 0x0B: "fat", 0x0C: "fat", 0x0E: "fat"}


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """One partition, its number as the kernel counts. `kind`: what its type says (`efi`, `root`, `swap`), or "" .

    `type_uuid`, `attributes`: as a GPT has them. `type_byte`: as an MBR has it.
    """

    number: int
    start_bytes: int
    size_bytes: int
    kind: str = ""
    name: str = ""
    partuuid: str = ""
    bootable: bool = False
    type_uuid: str = ""
    attributes: int = 0
    type_byte: int = 0


class PartitionTable(msgspec.Struct, frozen=True, kw_only=True):
    """What a medium's first sectors say. `damaged`: there is a table, but the kernel will not take it."""

    kind: str
    partitions: tuple[Partition, ...]
    damaged: bool = False


def read_partitions(medium: ByteSource) -> PartitionTable | None:
    """Return the table, or None where there is none; a damaged entry is left out."""
    first = medium.read(0, SECTOR_BYTES)
    if len(first) < SECTOR_BYTES or first[510:512] != b"\x55\xaa":
        return None
    entries = [first[446 + 16 * i : 462 + 16 * i] for i in range(4)]
    if any(entry[4] == _GPT_PROTECTION for entry in entries) and (found := _gpt(medium)) is not None:
        return found
    # The first sector of a FAT file system has the same ending; its "entries" are code and make no sense.
    if not all(entry[0] in {0, 0x80} for entry in entries):
        return None
    if any(entry[4] == _GPT_PROTECTION for entry in entries):
        large = bool(partitions_of_large_sectors(medium))
        # Without `gpt` on its command line the kernel does not look for the copy at the end (block/partitions/efi.c),
        # and its reader of MBRs takes no such disk (block/partitions/msdos.c).
        return PartitionTable(kind="gpt", partitions=(), damaged=not large)
    disk = struct.unpack_from("<I", first, 440)[0]
    found_here: list[Partition] = []
    for number, entry in enumerate(entries, 1):
        start, count = struct.unpack_from("<II", entry, 8)
        if entry[4] in _EXTENDED and count:
            found_here += _logical(medium, start, disk)
        elif entry[4] and count and start * SECTOR_BYTES < medium.size_bytes:
            found_here.append(_of_mbr(entry, number, start, disk))
    return PartitionTable(kind="mbr", partitions=tuple(found_here)) if found_here else None


def _of_mbr(entry: bytes, number: int, start: int, disk: int) -> Partition:
    return Partition(
        number=number,
        start_bytes=start * SECTOR_BYTES,
        size_bytes=struct.unpack_from("<I", entry, 12)[0] * SECTOR_BYTES,
        kind=_MBR_TYPES.get(entry[4], ""),
        partuuid=f"{disk:08x}-{number:02x}",
        bootable=entry[0] == 0x80,
        type_byte=entry[4],
    )


def _logical(medium: ByteSource, extended: int, disk: int) -> list[Partition]:
    found: list[Partition] = []
    at, seen = extended, set[int]()
    while at not in seen and len(found) < _COUNT_MAX:
        seen.add(at)
        sector = medium.read(at * SECTOR_BYTES, SECTOR_BYTES)
        if sector[510:512] != b"\x55\xaa":
            break
        entry, following = sector[446:462], sector[462:478]
        start, count = struct.unpack_from("<II", entry, 8)
        if entry[4] and count:
            found.append(_of_mbr(entry, 5 + len(found), at + start, disk))
        step = struct.unpack_from("<I", following, 8)[0]
        if following[4] not in _EXTENDED or not step:
            break
        at = extended + step
    return found


def partitions_of_large_sectors(medium: ByteSource) -> tuple[Partition, ...]:
    """Return what a GPT for sectors of 4096 bytes says; nothing where there is none."""
    found = _gpt(medium, LARGE_SECTOR_BYTES)
    return found.partitions if found is not None else ()


def _gpt(medium: ByteSource, sector_bytes: int = SECTOR_BYTES) -> PartitionTable | None:
    head = medium.read(sector_bytes, SECTOR_BYTES)
    if len(head) < _GPT_HEADER.size:
        return None
    signature, _, size, checksum, *_, entries_at, count, entry_bytes, _sum = _GPT_HEADER.unpack_from(head)
    if signature != b"EFI PART" or not _GPT_HEADER.size <= size <= SECTOR_BYTES:
        return None
    if zlib.crc32(head[:16] + bytes(4) + head[20:size]) != checksum:
        return None
    if not _GPT_ENTRY.size <= entry_bytes <= 4096:
        return None
    data = medium.read(entries_at * sector_bytes, min(count, _COUNT_MAX) * entry_bytes)
    found = []
    for number in range(1, min(count, _COUNT_MAX) + 1):
        piece = data[(number - 1) * entry_bytes : number * entry_bytes]
        if len(piece) < _GPT_ENTRY.size:
            break
        kind, own, first, last, flags, name = _GPT_ENTRY.unpack_from(piece)
        start, end = first * sector_bytes, (last + 1) * sector_bytes
        if not any(kind) or not 0 <= start < min(end, medium.size_bytes):
            continue
        found.append(
            Partition(
                number=number,
                start_bytes=start,
                size_bytes=end - start,
                kind=_TYPES.get(str(uuid.UUID(bytes_le=kind)), ""),
                name=name.decode("utf-16-le", "replace").split("\0")[0],
                partuuid=str(uuid.UUID(bytes_le=own)),
                bootable=bool(flags & 4),
                type_uuid=str(uuid.UUID(bytes_le=kind)),
                attributes=flags,
            )
        )
    return PartitionTable(kind="gpt", partitions=tuple(found))
