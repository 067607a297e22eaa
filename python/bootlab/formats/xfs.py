# SPDX-License-Identifier: MIT
"""XFS, read without root and without mounting. Format: "XFS Algorithms & Data Structures", and fs/xfs/libxfs.

A log that was not replayed is not looked at: what was written last may be missing, as after a power cut.
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

_SUPERBLOCK_BYTES = 512
_VERSION_5 = 5
# Of the superblock: a byte for the kind of a file in folders (version 4), and what changes where things lie.
_FTYPE_2, _FTYPE = 0x200, 0x1
_KNOWN = 0x1FF
_LOCAL, _EXTENTS, _BTREE = 1, 2, 3
_REAL_TIME, _MANY_EXTENTS = 0x1, 0x10
_CORE_BYTES, _CORE_3_BYTES = 100, 176
_BLOCK_HEAD, _BLOCK_HEAD_5 = 24, 72
_DATA_HEAD, _DATA_HEAD_5 = 16, 64
_LINK_HEAD_5 = 56
_ONE_BLOCK = {b"XD2B", b"XDB3"}
_FOLDER = {*_ONE_BLOCK, b"XD2D", b"XDD3"}
_FREE = 0xFFFF
_DEPTH_MAX = 9
_DIRECTORY_MAX_BYTES = 32 << 20
_NAMES_MAX = 200_000
_RUNS_MAX = 1_000_000
_TARGET_MAX_BYTES = 4096


class _Inode(msgspec.Struct, frozen=True):
    """`fork`: what stands in the inode itself, of the form `form`; `extents`: how many of them that are."""

    number: int
    kind: Kind
    size_bytes: int
    mode: int
    form: int
    extents: int
    fork: bytes


class XfsFiles:
    """The files of an XFS file system, of version 4 and 5."""

    folds_case = False

    def __init__(self, medium: ByteSource) -> None:
        """Read the superblock. Raise UserError for what is not XFS, or uses what cannot be read here."""
        self._medium = medium
        block = medium.read(0, _SUPERBLOCK_BYTES)
        if len(block) < _SUPERBLOCK_BYTES or block[:4] != b"XFSB":
            raise UserError("this is not an XFS file system", hint="`file` names it")
        (self._block_bytes,) = struct.unpack_from(">I", block, 4)
        (self._root,) = struct.unpack_from(">Q", block, 56)
        self._group_blocks, self._groups = struct.unpack_from(">II", block, 84)
        version, _, self._inode_bytes = struct.unpack_from(">HHH", block, 100)
        self._inodes_log, self._group_log = block[123], block[124]
        features_2, incompatible = struct.unpack_from(">I", block, 200)[0], struct.unpack_from(">I", block, 216)[0]
        self._five = version & 0xF == _VERSION_5
        self._has_kind = bool(incompatible & _FTYPE if self._five else features_2 & _FTYPE_2)
        self._folder_bytes = self._block_bytes << min(block[192], 7)
        if (
            self._block_bytes not in {1 << n for n in range(9, 17)}
            or self._inode_bytes not in {1 << n for n in range(8, 12)}
            or not (self._group_blocks and 0 < self._group_log < 32 and self._inodes_log < 9)
        ):
            raise UserError("the superblock of the XFS file system is damaged", hint="check it: xfs_repair -n IMAGE")
        if self._five and incompatible & ~_KNOWN:
            raise UserError(
                "the XFS file system uses features that bootlab does not know", hint="give a folder with its files"
            )
        self._inode = functools.lru_cache(maxsize=4096)(self._read_inode)
        self._runs_of = functools.lru_cache(maxsize=64)(self._read_runs)

    def root(self) -> Node:
        """Return the root folder."""
        return self._node(self._inode(self._root))

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds; a damaged entry ends its block."""
        inode = self._of(node)
        if inode.kind != "dir":
            return
        for count, (name, number) in enumerate(self._names(inode)):
            if count > _NAMES_MAX:
                return
            if name not in {".", ".."}:
                yield name, self._node(self._inode(number))

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file."""
        return self._content(self._of(node), offset, count)

    def target(self, node: Node) -> str:
        """Return where a link points."""
        inode = self._of(node)
        size = min(inode.size_bytes, _TARGET_MAX_BYTES)
        if inode.form == _LOCAL:
            data = inode.fork[:size]
        else:
            # Of version 5, each block of a long target has a header of its own.
            head = _LINK_HEAD_5 if self._five else 0
            blocks = -(-size // (self._block_bytes - head))
            whole = runs.read(self._medium, self._runs(inode), self._block_bytes, 0, blocks * self._block_bytes)
            starts = range(0, len(whole), self._block_bytes)
            data = b"".join(whole[at + head : at + self._block_bytes] for at in starts)[:size]
        return data.decode("utf-8", "surrogateescape")

    def _of(self, node: Node) -> _Inode:
        return self._inode(int(node.key))  # type: ignore[call-overload]

    def _node(self, inode: _Inode) -> Node:
        return Node(kind=inode.kind, size_bytes=inode.size_bytes, key=inode.number, mode=inode.mode)

    def _block(self, number: int) -> int:
        """Return which block of the medium a block's number means: the upper bits count allocation groups."""
        group, block = number >> self._group_log, number & ((1 << self._group_log) - 1)
        return group * self._group_blocks + block if group < self._groups and block < self._group_blocks else 0

    def _read_inode(self, number: int) -> _Inode:
        none = _Inode(number, "other", 0, 0, 0, 0, b"")
        block = self._block(number >> self._inodes_log)
        index = number & ((1 << self._inodes_log) - 1)
        data = self._medium.read(block * self._block_bytes + index * self._inode_bytes, self._inode_bytes)
        if len(data) < self._inode_bytes or data[:2] != b"IN":
            return none
        mode, version, form = struct.unpack_from(">HBB", data, 2)
        size, _, _, extents, _, fork_words = struct.unpack_from(">QQIIHB", data, 56)
        (flags,) = struct.unpack_from(">H", data, 90)
        start = _CORE_BYTES
        if version >= 3:
            start = _CORE_3_BYTES
            if struct.unpack_from(">Q", data, 120)[0] & _MANY_EXTENTS:
                (extents,) = struct.unpack_from(">Q", data, 24)
        end = start + 8 * fork_words if fork_words else len(data)
        kind = KIND_OF_MODE.get(mode & 0xF000, "other")
        if flags & _REAL_TIME and kind == "file":
            # Its blocks lie on another medium.
            return none
        return _Inode(number, kind, size, mode & 0o7777, form, extents, data[start:end])

    def _content(self, inode: _Inode, offset: int, count: int) -> bytes:
        count = min(count, inode.size_bytes - offset)
        if count <= 0:
            return b""
        return runs.read(self._medium, self._runs(inode), self._block_bytes, offset, count)

    def _runs(self, inode: _Inode) -> list[BlockRun]:
        return self._runs_of(inode.form, inode.extents, inode.fork)

    def _read_runs(self, form: int, extents: int, fork: bytes) -> list[BlockRun]:
        found: list[BlockRun] = []
        if form == _EXTENTS:
            self._records(fork, extents, found)
        elif form == _BTREE and len(fork) >= 4:
            level, count = struct.unpack_from(">HH", fork)
            seen: set[int] = set()
            for number in _pointers(fork, 4, count):
                self._tree(number, level - 1, found, seen)
        return found

    def _tree(self, number: int, level: int, found: list[BlockRun], seen: set[int]) -> None:
        """Read a block of a file's tree of extents; none twice, whatever a damaged one says."""
        block = self._block(number)
        if not block or block in seen or len(seen) > _RUNS_MAX:
            return
        seen.add(block)
        data = self._medium.read(block * self._block_bytes, self._block_bytes)
        head = _BLOCK_HEAD_5 if self._five else _BLOCK_HEAD
        if len(data) < head or data[:4] not in {b"BMAP", b"BMA3"} or not 0 <= level < _DEPTH_MAX:
            return
        own, count = struct.unpack_from(">HH", data, 4)
        if own != level:
            return
        if not level:
            self._records(data[head:], count, found)
            return
        for child in _pointers(data, head, count):
            if len(found) < _RUNS_MAX:
                self._tree(child, level - 1, found, seen)

    def _records(self, data: bytes, count: int, found: list[BlockRun]) -> None:
        for index in range(min(count, len(data) // 16, _RUNS_MAX - len(found))):
            high, low = struct.unpack_from(">QQ", data, 16 * index)
            # One bit says that nothing was written yet; then 54 bits, 52 and 21.
            first, number, length = high >> 9 & (1 << 54) - 1, (high & 0x1FF) << 43 | low >> 21, low & 0x1FFFFF
            found.append(BlockRun(first, length, 0 if high >> 63 else self._block(number)))

    def _names(self, inode: _Inode) -> Iterator[tuple[str, int]]:
        if inode.form == _LOCAL:
            yield from _short_names(inode.fork, has_kind=self._has_kind)
            return
        # A folder's index lies at 32 GiB and behind, and names nothing that its data do not.
        for start in range(0, min(inode.size_bytes, _DIRECTORY_MAX_BYTES), self._folder_bytes):
            data = runs.read(self._medium, self._runs(inode), self._block_bytes, start, self._folder_bytes)
            if data[:4] not in _FOLDER:
                continue
            end = len(data)
            if data[:4] in _ONE_BLOCK:
                end -= 8 + 8 * struct.unpack_from(">I", data, end - 8)[0]
            yield from _names(data, _DATA_HEAD_5 if self._five else _DATA_HEAD, end, has_kind=self._has_kind)


def _pointers(data: bytes, head: int, count: int) -> Iterator[int]:
    """Give the blocks that a node of a tree points at: behind as many keys as there is room for."""
    room = (len(data) - head) // 16
    for index in range(min(count, room)):
        yield struct.unpack_from(">Q", data, head + 8 * room + 8 * index)[0]


def _short_names(fork: bytes, *, has_kind: bool) -> Iterator[tuple[str, int]]:
    """Give the entries of a folder that stands in its inode."""
    if len(fork) < 2:
        return
    wide = bool(fork[1])
    number_bytes = 8 if wide else 4
    at = 2 + number_bytes
    for _ in range(fork[0]):
        length = fork[at] if at < len(fork) else 0
        number_at = at + 3 + length + has_kind
        if not length or number_at + number_bytes > len(fork):
            return
        name = fork[at + 3 : at + 3 + length].decode("utf-8", "surrogateescape")
        yield name, int.from_bytes(fork[number_at : number_at + number_bytes], "big")
        at = number_at + number_bytes


def _names(data: bytes, start: int, end: int, *, has_kind: bool) -> Iterator[tuple[str, int]]:
    """Give the entries of one block of a folder."""
    at = start
    while at + 16 <= end:
        free, length = struct.unpack_from(">HH", data, at)
        if free == _FREE:
            if length < 8 or length % 8:
                return
            at += length
            continue
        number, name_bytes = struct.unpack_from(">QB", data, at)
        size = -(-(8 + 1 + name_bytes + has_kind + 2) // 8) * 8
        if not name_bytes or at + size > end:
            return
        yield data[at + 9 : at + 9 + name_bytes].decode("utf-8", "surrogateescape"), number
        at += size
