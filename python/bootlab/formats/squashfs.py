# SPDX-License-Identifier: MIT
"""SquashFS 4.0, read without root and without mounting. Format: fs/squashfs/squashfs_fs.h of the kernel."""

from __future__ import annotations

import functools
import io
import lzma
import struct
import zlib
from collections.abc import Iterator

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.formats.disk_bytes import ByteSource
from bootlab.formats.file_view import Kind, Node

MAGIC = b"hsqs"
_HEAD_BYTES, _TABLE_BYTES = 96, 8192
_PLAIN_TABLE, _PLAIN_BLOCK = 0x8000, 1 << 24
_NO_FRAGMENT = 0xFFFFFFFF
_FRAGMENTS_PER_TABLE = 512
_FOLDER, _FILE, _LINK = 1, 2, 3
_EXTENDED = 7
_NAMES_MAX = 200_000
_FOLDER_MAX_BYTES = 64 << 20
_TARGET_MAX_BYTES = 4096
_PACKERS = {1: "gzip", 2: "lzma", 3: "lzo", 4: "xz", 5: "lz4", 6: "zstd"}
_KINDS: dict[int, Kind] = {_FOLDER: "dir", _FILE: "file", _LINK: "symlink"}


class _Inode(msgspec.Struct, frozen=True):
    """What is known of a file. `start`: of a folder its table, of a file its first block; `inside`: in that table.

    `sizes`: how long each block is as it lies there, with the bit that says that it is not packed.
    """

    kind: Kind
    size_bytes: int
    mode: int
    start: int = 0
    inside: int = 0
    fragment: int = _NO_FRAGMENT
    sizes: tuple[int, ...] = ()
    target: str = ""


class SquashFiles:
    """The files of a SquashFS file system."""

    folds_case = False

    def __init__(self, medium: ByteSource) -> None:
        """Read the superblock and the root folder. Raise UserError for what is damaged, or cannot be unpacked here."""
        self._medium = medium
        head = medium.read(0, _HEAD_BYTES)
        if len(head) < _HEAD_BYTES or not head.startswith(MAGIC):
            raise UserError("this is not a SquashFS file system", hint="`file` names it")
        self._block_bytes = int.from_bytes(head[12:16], "little")
        packer, shift, _, _, major = struct.unpack_from("<5H", head, 20)
        root, self.used_bytes, _, _, self._inodes_at, self._folders_at, self._fragments_at = struct.unpack_from(
            "<7Q", head, 32
        )
        if major != 4 or not 12 <= shift <= 20 or self._block_bytes != 1 << shift:
            raise UserError("the superblock of the SquashFS file system is damaged", hint="copy the image again")
        self._packer = _PACKERS.get(packer, f"method {packer}")
        if packer not in _PACKERS:
            raise UserError(f"its SquashFS is packed with {self._packer}, which bootlab does not unpack")
        self._table = functools.lru_cache(maxsize=256)(self._read_table)
        self._inode = functools.lru_cache(maxsize=4096)(self._read_inode)
        self._piece = functools.lru_cache(maxsize=8)(self._read_piece)
        self._root = root
        if self._inode(root).kind != "dir":
            raise UserError("the root folder of the SquashFS file system is damaged", hint="copy the image again")

    def root(self) -> Node:
        """Return the root folder."""
        return self._node(self._root)

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds."""
        inode = self._of(node)
        # Three bytes more than there are stand for `.` and `..`.
        count = min(inode.size_bytes - 3, _FOLDER_MAX_BYTES)
        if count <= 0:
            return
        data = self._stream(self._folders_at + inode.start, inode.inside, count)
        at, names = 0, 0
        while at + 12 <= len(data):
            entries, start, _ = struct.unpack_from("<III", data, at)
            at += 12
            for _ in range(min(entries, 255) + 1):
                if at + 8 > len(data):
                    return
                offset, _, _, length = struct.unpack_from("<HhHH", data, at)
                name = data[at + 8 : at + 9 + length].decode("utf-8", "surrogateescape")
                at += 9 + length
                names += 1
                if names > _NAMES_MAX:
                    return
                yield name, self._node(start << 16 | offset)

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file. Raise UserError for what is damaged."""
        inode = self._of(node)
        count = min(count, inode.size_bytes - offset)
        if count <= 0 or offset < 0 or inode.kind != "file":
            return b""
        size = self._block_bytes
        first, last = offset // size, (offset + count - 1) // size
        out = io.BytesIO()
        for piece in range(first, min(last, len(inode.sizes) - 1) + 1):
            out.write(self._block(inode, piece))
        if last >= len(inode.sizes):
            start = inode.inside
            data = self._piece(*self._fragment(inode.fragment))
            out.write(data[start : start + inode.size_bytes - len(inode.sizes) * size])
        return out.getvalue()[offset - first * size :][:count]

    def target(self, node: Node) -> str:
        """Return where a link points."""
        return self._of(node).target

    def _of(self, node: Node) -> _Inode:
        return self._inode(node.key if isinstance(node.key, int) else self._root)

    def _node(self, number: int) -> Node:
        inode = self._inode(number)
        return Node(kind=inode.kind, size_bytes=inode.size_bytes, key=number, mode=inode.mode)

    def _block(self, inode: _Inode, piece: int) -> bytes:
        size = inode.sizes[piece]
        least = min(self._block_bytes, inode.size_bytes - piece * self._block_bytes)
        if not size:
            return bytes(least)
        at = inode.start + sum(one & (_PLAIN_BLOCK - 1) for one in inode.sizes[:piece])
        return self._piece(at, size).ljust(least, b"\0")[:least]

    def _fragment(self, number: int) -> tuple[int, int]:
        """Return where the block lies that holds the ends of several files, and how long it is."""
        table = self._medium.read(self._fragments_at + number // _FRAGMENTS_PER_TABLE * 8, 8)
        data = self._stream(int.from_bytes(table, "little"), number % _FRAGMENTS_PER_TABLE * 16, 16)
        if len(data) < 16:
            raise _damaged()
        at, size, _ = struct.unpack("<QII", data)
        return at, size

    def _read_piece(self, at: int, size: int) -> bytes:
        length = size & (_PLAIN_BLOCK - 1)
        if length > self._block_bytes:
            raise _damaged()
        data = self._medium.read(at, length)
        return data if size & _PLAIN_BLOCK else self._unpacked(data, self._block_bytes)

    def _stream(self, at: int, inside: int, count: int) -> bytes:
        """Return bytes of the tables that follow each other from a place on."""
        out = bytearray()
        count += inside
        while len(out) < count:
            data, following = self._table(at)
            out += data
            if len(data) < _TABLE_BYTES:
                break
            at = following
        return bytes(out[inside:count])

    def _read_table(self, at: int) -> tuple[bytes, int]:
        head = int.from_bytes(self._medium.read(at, 2), "little")
        length = head & (_PLAIN_TABLE - 1)
        data = self._medium.read(at + 2, length)
        if not length or length > _TABLE_BYTES or len(data) < length:
            raise _damaged()
        return (data if head & _PLAIN_TABLE else self._unpacked(data, _TABLE_BYTES)), at + 2 + length

    def _read_inode(self, number: int) -> _Inode:
        at, inside = self._inodes_at + (number >> 16), number & 0xFFFF
        data = self._stream(at, inside, 64)
        if len(data) < 28:
            raise _damaged()
        kind, mode = struct.unpack_from("<HH", data)
        extended, kind = kind > _EXTENDED, (kind - 1) % _EXTENDED + 1
        usual = _KINDS.get(kind, "other")
        mode |= next((bits << 12 for bits, name in ((4, "dir"), (8, "file"), (10, "symlink")) if name == usual), 0)
        data = data.ljust(64, b"\0")
        if kind == _FOLDER and extended:
            _, size, start, _, _, offset = struct.unpack_from("<IIIIHH", data, 16)
            return _Inode("dir", size, mode, start, offset)
        if kind == _FOLDER:
            start, _, size, offset = struct.unpack_from("<IIHH", data, 16)
            return _Inode("dir", size, mode, start, offset)
        if kind == _LINK:
            size = min(struct.unpack_from("<I", data, 20)[0], _TARGET_MAX_BYTES)
            target = self._stream(at, inside + 24, size).decode("utf-8", "surrogateescape")
            return _Inode("symlink", size, mode, target=target)
        if kind != _FILE:
            return _Inode("other", 0, mode)
        if extended:
            start, size, _, _, fragment, offset = struct.unpack_from("<QQQIII", data, 16)
        else:
            start, fragment, offset, size = struct.unpack_from("<IIII", data, 16)
        whole = -(-size // self._block_bytes) if fragment == _NO_FRAGMENT else size // self._block_bytes
        if size > self._medium.size_bytes << 20:
            raise _damaged()
        listed = self._stream(at, inside + (56 if extended else 32), whole * 4)
        if len(listed) < whole * 4:
            raise _damaged()
        return _Inode("file", size, mode, start, offset, fragment, struct.unpack(f"<{whole}I", listed))

    def _unpacked(self, data: bytes, limit: int) -> bytes:
        """Unpack a block. Raise UserError for what is damaged."""
        try:
            if self._packer == "gzip":
                return zlib.decompressobj().decompress(data, limit)
            if self._packer in {"xz", "lzma"}:
                return lzma.LZMADecompressor(memlimit=256 << 20).decompress(data, limit)
            return _core.unpacked_block(self._packer, data, limit)
        except (zlib.error, lzma.LZMAError, EOFError, _core.CoreError) as error:
            raise _damaged() from error


def _damaged() -> UserError:
    return UserError("its SquashFS file system is damaged or cut off", hint="copy the image again")
