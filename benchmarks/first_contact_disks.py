# SPDX-License-Identifier: MIT
"""Disks and EFI programs for images of first contact: partition tables with attributes, programs with profiles."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

SECTOR = 512
ESP = UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
DATA = UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")
XBOOTLDR = UUID("bc13c2ff-59e6-4262-a352-b275fd6f7172")
ROOT_X86_64 = UUID("4f68bce3-e8cd-4db1-96e7-fbcaf984b709")
USR_X86_64 = UUID("8484680c-9521-48c6-9c11-b0720656f69e")
USR_VERITY_X86_64 = UUID("77ff5f63-e7b6-4633-acf4-1565b864c0e6")
BIOS_BOOT = UUID("21686148-6449-6e6f-744e-656564454649")


class Part(NamedTuple):
    """A partition of a GPT: its contents, type, name, own UUID, attribute bits."""

    content: Path | bytes
    kind: UUID = DATA
    name: str = ""
    own: UUID | None = None
    attributes: int = 0


def own_uuid(number: int) -> UUID:
    """Return the UUID that a partition has if it names none."""
    return UUID(int=0x5B7C1A10_0000_4000_8000_000000000000 + number)


def gpt(path: Path, parts: dict[int, Part]) -> Path:
    """Write a disk with GPT partitions by number, in the order given, each at a multiple of 1 MiB."""
    entries, body, at = bytearray(128 * 128), bytearray(), 1 << 20
    for number, part in parts.items():
        data = part.content if isinstance(part.content, bytes) else part.content.read_bytes()
        data += bytes(-len(data) % (1 << 20))
        own = part.own or own_uuid(number)
        place = 128 * (number - 1)
        first, last = at // SECTOR, (at + len(data)) // SECTOR - 1
        struct.pack_into("<16s16sQQQ", entries, place, part.kind.bytes_le, own.bytes_le, first, last, part.attributes)
        label = part.name.encode("utf-16-le")
        entries[place + 56 : place + 56 + len(label)] = label
        body += data
        at += len(data)
    head = bytearray(92)
    facts = (b"EFI PART", 0x10000, 92, 0, 0, 1, 0, 34, at // SECTOR, b"d" * 16, 2, 128, 128, zlib.crc32(entries))
    struct.pack_into("<8sIIIIQQQQ16sQIII", head, 0, *facts)
    struct.pack_into("<I", head, 16, zlib.crc32(head))
    protective = bytearray(SECTOR)
    protective[446 + 4] = 0xEE
    struct.pack_into("<II", protective, 446 + 8, 1, 0xFFFFFFFF)
    protective[510:512] = b"\x55\xaa"
    start = bytes(protective) + bytes(head).ljust(SECTOR, b"\0") + bytes(entries)
    _write_sparsely(path, start.ljust(1 << 20, b"\0") + bytes(body))
    return path


def _write_sparsely(path: Path, data: bytes, piece: int = 1 << 20) -> None:
    """Write a file whose zeros take no room: XFS is never smaller than 300 MiB."""
    with path.open("wb") as out:
        for at in range(0, len(data), piece):
            if any(data[at : at + piece]):
                out.seek(at)
                out.write(data[at : at + piece])
        out.truncate(len(data))


def priority(number: int, *, tries: int = 0, successful: bool = True) -> int:
    """Return the attributes of a partition that is chosen by `gptprio` (ChromeOS's bits 48 to 56)."""
    return number << 48 | tries << 52 | int(successful) << 56


def active(path: Path, number: int) -> Path:
    """Set the flag by which a BIOS finds the partition that it boots, in an MBR."""
    data = bytearray(path.read_bytes())
    data[446 + 16 * (number - 1)] = 0x80
    path.write_bytes(data)
    return path


def program(sections: list[tuple[str, bytes]]) -> bytes:
    """Return an EFI program with sections, which may have the same name several times (profiles)."""
    table, body, at = bytearray(), bytearray(), 1024
    for name, data in sections:
        size = -(-len(data) // 512) * 512
        table += struct.pack("<8sIIII16x", name.encode(), len(data), 0x1000, size, at)
        body += data.ljust(size, b"\0")
        at += size
    head = bytearray(64)
    head[:2] = b"MZ"
    head[60:64] = (64).to_bytes(4, "little")
    head += b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, 0, 0) + table
    return bytes(head.ljust(1024, b"\0") + body)


def environment(names: dict[str, str], size: int, *, flag: int | None = None) -> bytes:
    """Return U-Boot's environment; with a flag, as one copy of two (`CONFIG_SYS_REDUNDAND_ENVIRONMENT`)."""
    head = 4 if flag is None else 5
    data = b"".join(f"{name}={value}".encode() + b"\0" for name, value in names.items()).ljust(size - head, b"\0")
    return struct.pack("<I", zlib.crc32(data)) + (b"" if flag is None else bytes([flag])) + data


def script(text: str) -> bytes:
    """Return U-Boot's script as `mkimage -T script` makes it."""
    body = struct.pack(">II", len(text), 0) + text.encode()
    head = struct.pack(">IIIIIIIBBBB32s", 0x27051956, 0, 0, len(body), 0, 0, zlib.crc32(body), 5, 22, 6, 0, b"boot")
    return head[:4] + struct.pack(">I", zlib.crc32(head)) + head[8:] + body
