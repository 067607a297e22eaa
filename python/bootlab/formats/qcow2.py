# SPDX-License-Identifier: MIT
"""Disk images in QEMU's own format, read without QEMU. Format: docs/interop/qcow2.txt of QEMU, versions 2 and 3."""

from __future__ import annotations

import functools
import struct
import zlib
from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile

MAGIC = b"QFI\xfb"
_HEADER = struct.Struct(">4sIQIIQIIQQIIQ")
_V3 = struct.Struct(">QQQII")
_OFFSET = (1 << 56) - 512
_COMPRESSED, _ZERO = 1 << 62, 1
# Incompatible features: dirty and corrupt are states; an external data file and extended L2 entries change the layout.
_READABLE_FEATURES = 0b00011
_FEATURES = {
    4: "keeps its contents in another file",
    8: "has clusters packed with zstd, which are not read here",
    16: "has extended tables, which are not read here",
}
_L1_MAX_BYTES = 32 << 20


class Qcow2:
    """A qcow2 image that stands alone: no backing file, no encryption, clusters packed with zlib or not at all."""

    def __init__(self, path: Path) -> None:
        """Read the header and the first table. Raise UserError for what cannot be read here."""
        self._file = RawFile(path)
        self._path = path
        head = self._file.read(0, 112)
        if len(head) < _HEADER.size or not head.startswith(MAGIC):
            raise self._wrong("is not a qcow2 image")
        (_, version, backing, backing_bytes, bits, self.size_bytes, crypt, l1_count, l1_at, *_rest) = (
            _HEADER.unpack_from(head)
        )
        features = _V3.unpack_from(head, _HEADER.size)[0] if version >= 3 and len(head) >= 104 else 0
        if version not in {2, 3} or not 9 <= bits <= 21:
            raise self._wrong(f"is a qcow2 image of version {version} with clusters of 2^{bits} bytes")
        if backing:
            name = self._file.read(backing, min(backing_bytes, 1023)).decode("utf-8", "replace")
            raise self._wrong(f"has a backing file, {name}", f"join them: qemu-img convert -O raw {path} disk.img")
        if crypt:
            raise self._wrong(
                "is encrypted", f"decrypt it: qemu-img convert -O raw --object secret,... {path} disk.img"
            )
        if features & ~_READABLE_FEATURES:
            named = ", ".join(words for bit, words in _FEATURES.items() if features & bit)
            what = named or f"has features that are not read here ({features:#x})"
            raise self._wrong(what, f"convert it: qemu-img convert -O raw {path} disk.img   (package qemu-utils)")
        if l1_count * 8 > _L1_MAX_BYTES:
            raise self._wrong("says that its table is larger than any disk's")
        self._bits = bits
        table = self._file.read(l1_at, l1_count * 8)
        self._l1 = struct.unpack(f">{len(table) // 8}Q", table[: len(table) // 8 * 8])
        self._l2 = functools.lru_cache(maxsize=64)(self._read_l2)
        self._cluster = functools.lru_cache(maxsize=16)(self._inflate)

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes; fewer where the disk ends. Raise UserError for a damaged cluster."""
        count = min(count, self.size_bytes - offset)
        if offset < 0 or count <= 0:
            return b""
        pieces = []
        size = 1 << self._bits
        while count > 0:
            inside = offset % size
            length = min(count, size - inside)
            pieces.append(self._piece(offset >> self._bits, inside, length))
            offset += length
            count -= length
        return b"".join(pieces)

    def end_bytes(self) -> int:
        """Return how long the file must be at least for the clusters that its tables name."""
        tables = [at for entry in self._l1 if (at := entry & _OFFSET)]
        held = (entry for at in tables for entry in self._l2(at) if entry and not entry & _COMPRESSED)
        # The last cluster may end with the file, before its own end.
        return max([*tables, *(entry & _OFFSET for entry in held)], default=0)

    def _piece(self, number: int, inside: int, length: int) -> bytes:
        per_table = 1 << (self._bits - 3)
        first = number // per_table
        table = self._l1[first] & _OFFSET if first < len(self._l1) else 0
        entry = self._l2(table)[number % per_table] if table else 0
        if entry & _COMPRESSED:
            return self._cluster(entry & ~(3 << 62))[inside : inside + length].ljust(length, b"\0")
        at = entry & _OFFSET
        if not at or entry & _ZERO:
            return bytes(length)
        return self._file.read(at + inside, length).ljust(length, b"\0")

    def _read_l2(self, at: int) -> tuple[int, ...]:
        data = self._file.read(at, 1 << self._bits).ljust(1 << self._bits, b"\0")
        return struct.unpack(f">{len(data) // 8}Q", data)

    def _inflate(self, descriptor: int) -> bytes:
        # Bits of the descriptor: the offset in the file, then how many further sectors of 512 bytes hold the data.
        split = 62 - (self._bits - 8)
        at = descriptor & ((1 << split) - 1)
        sectors = (descriptor >> split) + 1
        data = self._file.read(at, sectors * 512 - at % 512)
        try:
            return zlib.decompressobj(-12).decompress(data, 1 << self._bits)
        except zlib.error as error:
            raise self._wrong(f"has a damaged cluster at byte {at}", "copy or convert it again") from error

    def _wrong(self, what: str, hint: str = "") -> UserError:
        return UserError(f"{self._path} {what}", hint=hint or "look at it: qemu-img info (package qemu-utils)")
