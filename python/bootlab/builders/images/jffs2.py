# SPDX-License-Identifier: MIT
"""JFFS2: a log of nodes in erase blocks, with or without the summary that spares the scan at mount.

Format: the kernel's `include/uapi/linux/jffs2.h`, `fs/jffs2/scan.c`, `fs/jffs2/summary.c`. Little-endian, for flash
whose clean markers lie in the block (NOR). Deterministic: times are 0, inode numbers follow the order of the tree.
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

from bootlab.builders.images.members import Member, blocks_of, root_of, size_of
from bootlab.errors import UserError
from bootlab.model.tree import FileTree

PAGE_BYTES = 4096
NAME_MAX_BYTES = 254
FILE_MAX_BYTES = 0x7FFF_FFFF
_MAGIC, _SUMMARY_MAGIC = 0x1985, 0x02851885
_DIRENT, _INODE, _CLEAN, _PADDING, _SUMMARY = 0xE001, 0xE002, 0x2003, 0x2004, 0x2006
_CLEAN_BYTES, _SUMMARY_BYTES, _MARKER_BYTES = 12, 32, 8
_STORED, _ZEROS, _ZLIB = 0, 1, 6
_ID_MAX = 0xFFFF
_SUMMARY_INODE = struct.Struct("<HIIII")
_SUMMARY_DIRENT = struct.Struct("<HIIIIIBB")
# include/linux/fs_types.h: the types of directory entries.
_TYPES = {"fifo": 1, "char": 2, "dir": 4, "block": 6, "file": 8, "symlink": 10}


def write(tree: FileTree, out: BinaryIO, *, erase_bytes: int, compressed: bool = True, summary: bool = False) -> int:
    """Write a tree as an image of whole erase blocks; return its size in bytes.

    Raise UserError for owners above 65535, files of 2 GiB and names above 254 bytes.
    """
    log = _Log(out, erase_bytes, summary=summary)
    root = root_of(tree)
    numbers = {member.path: number for number, member in enumerate(root.walk(), start=1)}
    numbers |= {member.path: numbers[member.link_to] for member in root.walk() if member.link_to}
    _write_inode(log, root, 1, compressed=compressed)
    _write_folder(log, root, numbers, compressed=compressed)
    return log.close()


def _crc(data: bytes) -> int:
    # The kernel's crc32(0, …) neither starts with nor ends by an inversion.
    return zlib.crc32(data, 0xFFFF_FFFF) ^ 0xFFFF_FFFF


def _head(kind: int, size: int) -> bytes:
    head = struct.pack("<HHI", _MAGIC, kind, size)
    return head + struct.pack("<I", _crc(head))


class _Log:
    """Nodes one after the other; none crosses the end of its erase block."""

    def __init__(self, out: BinaryIO, erase_bytes: int, *, summary: bool) -> None:
        self._out = out
        self._erase_bytes = erase_bytes
        self._summary = summary
        self._block = bytearray()
        self._entries: list[bytes] = []
        self._size = 0

    def append(self, node: bytes, entry: struct.Struct, *fields: int, name: bytes = b"") -> None:
        """Append a node. `entry`, `fields`, `name`: its line in the summary; a field -1 stands for its offset."""
        line = entry.size + len(name)
        taken = _SUMMARY_BYTES + _MARKER_BYTES + sum(map(len, self._entries)) + line if self._summary else 0
        if not self._block or len(self._block) + len(node) + taken + 4 > self._erase_bytes:
            self._end_block()
            self._block += _head(_CLEAN, _CLEAN_BYTES)
        offset = len(self._block)
        self._entries.append(entry.pack(*(offset if field == -1 else field for field in fields)) + name)
        self._block += node + b"\xff" * (-len(node) % 4)

    def _end_block(self) -> None:
        if not self._block:
            return
        if self._summary:
            lines = b"".join(self._entries)
            size = _SUMMARY_BYTES + len(lines) + -len(lines) % 4 + _MARKER_BYTES
            gap = self._erase_bytes - len(self._block) - size
            if gap >= _CLEAN_BYTES:
                # The summary's checksum covers it to the block's end: room that is left is better no part of it.
                self._block += _head(_PADDING, gap).ljust(gap, b"\xff")
            else:
                size += gap
            offset = len(self._block)
            body = lines.ljust(size - _SUMMARY_BYTES - _MARKER_BYTES, b"\xff")
            body += struct.pack("<II", offset, _SUMMARY_MAGIC)
            head = _head(_SUMMARY, size) + struct.pack("<III", len(self._entries), _CLEAN_BYTES, 0)
            self._block += head + struct.pack("<II", _crc(body), _crc(head)) + body
        self._block += b"\xff" * (self._erase_bytes - len(self._block))
        self._size += self._out.write(self._block)
        self._block = bytearray()
        self._entries = []

    def close(self) -> int:
        """End the last block; return the size of all in bytes."""
        self._end_block()
        return self._size


def _write_folder(log: _Log, folder: Member, numbers: dict[str, int], *, compressed: bool) -> None:
    parent = numbers[folder.path]
    for version, member in enumerate(folder.members, start=1):
        _check(member)
        number, name = numbers[member.path], member.name
        kind = _TYPES[member.entry.kind]
        size = 40 + len(name)
        head = _head(_DIRENT, size) + struct.pack("<IIIIBBxx", parent, version, number, 0, len(name), kind)
        node = head + struct.pack("<II", _crc(head), _crc(name)) + name
        log.append(node, _SUMMARY_DIRENT, _DIRENT, size, -1, parent, version, number, len(name), kind, name=name)
        if not member.link_to:
            _write_inode(log, member, number, compressed=compressed)
    for member in folder.members:
        if member.entry.kind == "dir":
            _write_folder(log, member, numbers, compressed=compressed)


def _write_inode(log: _Log, member: Member, number: int, *, compressed: bool) -> None:
    entry = member.entry
    pieces = blocks_of(member, PAGE_BYTES)
    whole = size_of(member)
    if entry.kind in {"char", "block"}:
        number_of_device = _device(entry.major, entry.minor)
        pieces, whole = iter([number_of_device]), len(number_of_device)
    offset, version = 0, 0
    for piece in pieces:
        version += 1
        plain = entry.kind != "file"
        method, data = (_STORED, piece) if plain or not compressed else _packed(piece)
        _write_piece(log, member, (number, version, whole, offset), len(piece), method, data)
        offset += len(piece)
    if version == 0:
        _write_piece(log, member, (number, 1, 0, 0), 0, _STORED, b"")


def _write_piece(
    log: _Log, member: Member, where: tuple[int, int, int, int], plain_bytes: int, method: int, data: bytes
) -> None:
    number, version, whole, offset = where
    size = 68 + len(data)
    head = _head(_INODE, size)
    head += struct.pack("<IIIHHI", number, version, member.mode, member.entry.uid, member.entry.gid, whole)
    head += struct.pack("<IIIIIIBBH", 0, 0, 0, offset, len(data), plain_bytes, method, 0, 0)
    node = head + struct.pack("<II", _crc(data), _crc(head)) + data
    log.append(node, _SUMMARY_INODE, _INODE, number, version, -1, size)


def _packed(page: bytes) -> tuple[int, bytes]:
    if not page.strip(b"\0"):
        return _ZEROS, b""
    data = zlib.compress(page, 9)
    return (_ZLIB, data) if len(data) < len(page) else (_STORED, page)


def _device(major: int, minor: int) -> bytes:
    if major <= 0xFF and minor <= 0xFF:
        return struct.pack("<H", major << 8 | minor)
    return struct.pack("<I", minor & 0xFF | major << 8 | (minor & ~0xFF) << 12)


def _check(member: Member) -> None:
    entry = member.entry
    if len(member.name) > NAME_MAX_BYTES:
        raise UserError(
            f"{member.path[:80]!r}: JFFS2 allows names up to {NAME_MAX_BYTES} bytes", hint="rename the file"
        )
    if not 0 <= entry.uid <= _ID_MAX or not 0 <= entry.gid <= _ID_MAX:
        raise UserError(f"{member.path}: JFFS2 keeps 16 bits of owner and group", hint="use smaller numbers")
    if (size := size_of(member)) > FILE_MAX_BYTES:
        raise UserError(f"{member.path} is {size} bytes; JFFS2 allows files below 2 GiB", hint="put it on a card")
