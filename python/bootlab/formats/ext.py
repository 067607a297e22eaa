# SPDX-License-Identifier: MIT
"""ext2, ext3 and ext4, read without root and without mounting. Format: `Documentation/filesystems/ext4/`.

A journal that was not replayed is not looked at: what was written last may be missing, as after a power cut.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator

import msgspec

from bootlab.errors import UserError
from bootlab.formats import runs
from bootlab.formats.disk_bytes import ByteSource
from bootlab.formats.file_view import KIND_OF_MODE, Kind, Node
from bootlab.formats.runs import BlockRun

_ROOT_INODE = 2
_EXTENTS_FLAG, _INLINE_FLAG, _ENCRYPT_FLAG = 0x80000, 0x10000000, 0x800
_META_BG, _64BIT, _INLINE = 0x10, 0x80, 0x8000
# What changes where things lie, and is not followed here.
_UNREADABLE = {0x1: "compression", 0x8: "an external journal only", _META_BG: "META_BG"}
_EXTENT_MAGIC, _DEPTH_MAX = 0xF30A, 5
_DIRECTORY_MAX_BYTES = 32 << 20
_NAMES_MAX = 200_000
_EXTENTS_MAX = 1_000_000
_BLOCK_FIELD = 60
_SYSTEM_INDEX = 7


class _Inode(msgspec.Struct, frozen=True):
    number: int
    kind: Kind
    size_bytes: int
    flags: int
    block: bytes
    mode: int


class ExtFiles:
    """The files of an ext file system."""

    folds_case = False

    def __init__(self, medium: ByteSource) -> None:
        """Read the superblock. Raise UserError for what is not ext, or uses what cannot be read here."""
        self._medium = medium
        block = medium.read(1024, 1024)
        if len(block) < 1024 or block[56:58] != b"\x53\xef":
            raise UserError("this is not an ext file system", hint="`file` names it")
        (log_size, incompatible) = struct.unpack_from("<I", block, 24)[0], struct.unpack_from("<I", block, 96)[0]
        for bit, name in _UNREADABLE.items():
            if incompatible & bit:
                raise UserError(
                    f"the ext file system uses {name}, which bootlab cannot read", hint="give a folder with its files"
                )
        self._first_block = struct.unpack_from("<I", block, 20)[0]
        self._per_group = struct.unpack_from("<I", block, 40)[0]
        self._inode_bytes = struct.unpack_from("<H", block, 88)[0] or 128
        self._inodes = struct.unpack_from("<I", block, 0)[0]
        self._descriptor_bytes = max(32, struct.unpack_from("<H", block, 254)[0]) if incompatible & _64BIT else 32
        if log_size > 6 or not self._per_group or not 128 <= self._inode_bytes <= 4096:
            raise UserError("the superblock of the ext file system is damaged", hint="check it: e2fsck -n IMAGE")
        self._block_bytes = 1024 << log_size
        self._wide = bool(incompatible & _64BIT)
        self.unclean = bool(incompatible & 0x4)
        self._inode = functools.lru_cache(maxsize=4096)(self._read_inode)
        self._runs_of = functools.lru_cache(maxsize=64)(self._read_runs)

    def root(self) -> Node:
        """Return the root folder."""
        return self._node(self._inode(_ROOT_INODE))

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds; a damaged entry ends its block."""
        inode = self._of(node)
        count = 0
        for data in self._folder_pieces(inode):
            for name, number in _directory(data):
                count += 1
                if count > _NAMES_MAX:
                    return
                if name not in {".", ".."} and 0 < number <= self._inodes:
                    found = self._inode(number)
                    yield name, self._node(found)

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file."""
        return self._content(self._of(node), offset, count)

    def target(self, node: Node) -> str:
        """Return where a link points."""
        inode = self._of(node)
        # fs/ext4/symlink.c: short targets stand in the inode.
        if inode.size_bytes < 60 and not inode.flags & _EXTENTS_FLAG:
            return inode.block[: inode.size_bytes].decode("utf-8", "surrogateescape")
        return self._content(inode, 0, min(inode.size_bytes, 4096)).decode("utf-8", "surrogateescape")

    def _folder_pieces(self, inode: _Inode) -> Iterator[bytes]:
        if inode.flags & _INLINE_FLAG:
            # The first four bytes stand for `..`; what does not fit the inode's blocks lies among its attributes.
            yield inode.block[4:_BLOCK_FIELD]
            yield inode.block[_BLOCK_FIELD:]
            return
        for start in range(0, min(inode.size_bytes, _DIRECTORY_MAX_BYTES), self._block_bytes):
            yield self._content(inode, start, self._block_bytes)

    def _of(self, node: Node) -> _Inode:
        return self._inode(int(node.key))  # type: ignore[call-overload]

    def _node(self, inode: _Inode) -> Node:
        return Node(kind=inode.kind, size_bytes=inode.size_bytes, key=inode.number, mode=inode.mode)

    def _read_inode(self, number: int) -> _Inode:
        group, index = divmod(number - 1, self._per_group)
        table_at = (self._first_block + 1) * self._block_bytes + group * self._descriptor_bytes
        entry = self._medium.read(table_at, self._descriptor_bytes)
        if len(entry) < 32:
            return _Inode(number, "other", 0, 0, b"", 0)
        block = struct.unpack_from("<I", entry, 8)[0]
        if self._wide and len(entry) >= 64:
            block |= struct.unpack_from("<I", entry, 40)[0] << 32
        data = self._medium.read(block * self._block_bytes + index * self._inode_bytes, self._inode_bytes)
        if len(data) < 128:
            return _Inode(number, "other", 0, 0, b"", 0)
        mode, low, flags, high = (
            struct.unpack_from("<H", data, 0)[0],
            struct.unpack_from("<I", data, 4)[0],
            struct.unpack_from("<I", data, 32)[0],
            struct.unpack_from("<I", data, 108)[0],
        )
        kind = KIND_OF_MODE.get(mode & 0xF000, "other")
        size = low | (high << 32 if kind == "file" else 0)
        block_field = data[40 : 40 + _BLOCK_FIELD] + (_inline_rest(data) if flags & _INLINE_FLAG else b"")
        return _Inode(number, kind, size, flags, block_field, mode & 0o7777)

    def _content(self, inode: _Inode, offset: int, count: int) -> bytes:
        count = min(count, inode.size_bytes - offset)
        if count <= 0 or inode.flags & _ENCRYPT_FLAG:
            return b""
        if inode.flags & _INLINE_FLAG:
            return inode.block[offset : offset + count]
        return runs.read(self._medium, self._runs(inode), self._block_bytes, offset, count)

    def _runs(self, inode: _Inode) -> list[BlockRun]:
        return self._runs_of(inode.number, inode.flags, inode.block, inode.size_bytes)

    def _read_runs(self, _number: int, flags: int, block: bytes, size_bytes: int) -> list[BlockRun]:
        if flags & _EXTENTS_FLAG:
            found: list[BlockRun] = []
            self._extents(block, _DEPTH_MAX, found, set())
            return found
        return list(self._indirect(block, -(-size_bytes // self._block_bytes)))

    def _extents(self, data: bytes, depth_left: int, found: list[BlockRun], seen: set[int]) -> None:
        if len(data) < 12:
            return
        magic, count, _, depth = struct.unpack_from("<HHHH", data)
        if magic != _EXTENT_MAGIC or depth > depth_left:
            return
        for index in range(min(count, (len(data) - 12) // 12)):
            at = 12 + 12 * index
            if len(found) >= _EXTENTS_MAX:
                return
            if depth:
                first, low, high = struct.unpack_from("<IIH", data, at)
                place = low | high << 32
                # No tree shares a block; a damaged one would be read again and again.
                if place not in seen:
                    seen.add(place)
                    child = self._medium.read(place * self._block_bytes, self._block_bytes)
                    self._extents(child, depth - 1, found, seen)
            else:
                first, length, high, low = struct.unpack_from("<IHHI", data, at)
                # Above 32768 the extent is reserved and reads as zeros.
                where = (low | high << 32) if length <= 32768 else 0
                found.append(BlockRun(first, length if length <= 32768 else length - 32768, where))

    def _indirect(self, block: bytes, blocks: int) -> Iterator[BlockRun]:
        numbers = struct.unpack("<15I", block.ljust(60, b"\0")[:60])
        done = 0
        for number in numbers[:12]:
            if done >= blocks:
                return
            yield BlockRun(done, 1, number)
            done += 1
        for level, number in enumerate(numbers[12:], 1):
            for where in self._pointers(number, level):
                if done >= blocks or done > _EXTENTS_MAX:
                    return
                yield BlockRun(done, 1, where)
                done += 1

    def _pointers(self, number: int, level: int) -> Iterator[int]:
        per_block = self._block_bytes // 4
        if not number:
            yield from [0] * per_block**level if level == 1 else ()
            return
        data = self._medium.read(number * self._block_bytes, self._block_bytes)
        for where in struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]):
            if level == 1:
                yield where
            else:
                yield from self._pointers(where, level - 1)


def _inline_rest(inode: bytes) -> bytes:
    """Return the value of the attribute `system.data` in an inode (fs/ext4/xattr.h, fs/ext4/inline.c)."""
    start = 128 + struct.unpack_from("<H", inode, 128)[0] if len(inode) >= 132 else len(inode)
    if inode[start : start + 4] != b"\x00\x00\x02\xea":
        return b""
    at = first = start + 4
    while at + 16 <= len(inode) and inode[at : at + 4] != bytes(4):
        name_bytes, index, offset, _, size = struct.unpack_from("<BBHII", inode, at)
        if index == _SYSTEM_INDEX and inode[at + 16 : at + 16 + name_bytes] == b"data":
            return inode[first + offset : first + offset + size]
        at += (16 + name_bytes + 3) & ~3
    return b""


def _directory(data: bytes) -> Iterator[tuple[str, int]]:
    at = 0
    while at + 8 <= len(data):
        number, length, name_bytes = struct.unpack_from("<IHB", data, at)
        if length < 8 or at + length > len(data) or name_bytes > length - 8:
            return
        if number:
            yield data[at + 8 : at + 8 + name_bytes].decode("utf-8", "surrogateescape"), number
        at += length
