# SPDX-License-Identifier: MIT
"""FAT12, FAT16 and FAT32 with long names, read without root. Format: Microsoft's FAT specification, version 1.03."""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import ByteSource
from bootlab.formats.file_view import Node

_ENTRY_BYTES = 32
_LONG_NAME, _VOLUME, _FOLDER = 0x0F, 0x08, 0x10
_FOLDER_MAX_BYTES = 2 << 20
_FAT12_CLUSTERS, _FAT16_CLUSTERS = 4085, 65525


class FatFiles:
    """The files of a FAT file system."""

    folds_case = True

    def __init__(self, medium: ByteSource) -> None:
        """Read the first sector. Raise UserError for what is not FAT."""
        self._medium = medium
        head = medium.read(0, 512)
        if len(head) < 512 or head[510:512] != b"\x55\xaa":
            raise UserError("this is not a FAT file system", hint="`file` names it")
        sector, per_cluster, reserved, tables, roots, small, _, fat16 = struct.unpack_from("<HBHBHHBH", head, 11)
        large, fat32 = struct.unpack_from("<I", head, 32)[0], struct.unpack_from("<I", head, 36)[0]
        total, table = small or large, fat16 or fat32
        if sector not in {512, 1024, 2048, 4096} or not per_cluster or not reserved or not 1 <= tables <= 4:
            raise UserError("the first sector of the FAT file system is damaged", hint="check it: fsck.fat -n IMAGE")
        self._cluster_bytes = sector * per_cluster
        self._table_at = reserved * sector
        self._root_at = (reserved + tables * table) * sector
        self._root_bytes = roots * _ENTRY_BYTES
        self._data_at = self._root_at + -(-self._root_bytes // sector) * sector
        self._clusters = max(0, total - self._data_at // sector) // per_cluster
        self._wide = not fat16
        self._root_cluster = struct.unpack_from("<I", head, 44)[0] if self._wide else 0
        self._bits = 32 if self._wide else 12 if self._clusters < _FAT12_CLUSTERS else 16
        self._chain = functools.lru_cache(maxsize=64)(self._read_chain)

    def root(self) -> Node:
        """Return the root folder."""
        return Node(kind="dir", size_bytes=0, key=("root", self._root_cluster))

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds. Names are found whatever their case, as by the kernel, under the stored one."""
        data = self._folder(node)
        long: list[tuple[int, str]] = []
        for at in range(0, len(data) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            entry = data[at : at + _ENTRY_BYTES]
            if entry[0] == 0:
                return
            if entry[0] == 0xE5:
                long = []
            elif entry[11] & 0x3F == _LONG_NAME:
                text = (entry[1:11] + entry[14:26] + entry[28:32]).decode("utf-16-le", "replace")
                long.append((entry[0] & 0x1F, text))
            else:
                name = "".join(text for _, text in sorted(long)).split("\0")[0].rstrip("\uffff") or _short(entry)
                long = []
                if not entry[11] & _VOLUME and name not in {".", ".."}:
                    first = struct.unpack_from("<H", entry, 26)[0]
                    first |= struct.unpack_from("<H", entry, 20)[0] << 16 if self._wide else 0
                    size = struct.unpack_from("<I", entry, 28)[0]
                    folder = bool(entry[11] & _FOLDER)
                    key = ("folder", first) if folder else ("file", first, at, node.key)
                    yield name, Node(kind="dir" if folder else "file", size_bytes=0 if folder else size, key=key)

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file."""
        count = min(count, node.size_bytes - offset)
        if count <= 0 or offset < 0:
            return b""
        first = node.key[1] if isinstance(node.key, tuple) else 0
        return self._stream(first, offset, count).ljust(count, b"\0")

    def target(self, node: Node) -> str:
        """FAT has no links."""
        raise UserError(f"{node.key} is not a link", hint="FAT has none")

    def _folder(self, node: Node) -> bytes:
        what, first = node.key[:2] if isinstance(node.key, tuple) else ("", 0)
        if what == "root" and not self._wide:
            return self._medium.read(self._root_at, self._root_bytes)
        return self._stream(first, 0, _FOLDER_MAX_BYTES)

    def _stream(self, first: int, offset: int, count: int) -> bytes:
        chain = self._chain(first)
        out = bytearray()
        index, inside = divmod(offset, self._cluster_bytes)
        while count > 0 and index < len(chain):
            # Clusters that follow each other are read at once.
            run = 1
            while index + run < len(chain) and chain[index + run] == chain[index] + run:
                if run * self._cluster_bytes - inside >= count:
                    break
                run += 1
            length = min(count, run * self._cluster_bytes - inside)
            data = self._medium.read(self._data_at + (chain[index] - 2) * self._cluster_bytes + inside, length)
            out += data
            if len(data) < length:
                break
            count -= length
            index, inside = index + run, 0
        return bytes(out)

    def _read_chain(self, first: int) -> tuple[int, ...]:
        chain: list[int] = []
        seen: set[int] = set()
        at = first
        while 2 <= at < self._clusters + 2 and at not in seen:
            seen.add(at)
            chain.append(at)
            at = self._next(at)
        return tuple(chain)

    def _next(self, cluster: int) -> int:
        if self._bits == 32:
            return int.from_bytes(self._medium.read(self._table_at + 4 * cluster, 4), "little") & 0x0FFFFFFF
        if self._bits == 16:
            return int.from_bytes(self._medium.read(self._table_at + 2 * cluster, 2), "little")
        pair = int.from_bytes(self._medium.read(self._table_at + cluster + cluster // 2, 2), "little")
        return pair >> 4 if cluster & 1 else pair & 0xFFF


def _short(entry: bytes) -> str:
    # Byte 12 says that name or extension were written in small letters (fs/fat/dir.c).
    stem, extension = (part.rstrip(b" ").decode("cp437") for part in (entry[:8], entry[8:11]))
    stem = stem.lower() if entry[12] & 0x08 else stem
    extension = extension.lower() if entry[12] & 0x10 else extension
    return f"{stem}.{extension}" if extension else stem
