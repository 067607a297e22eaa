# SPDX-License-Identifier: MIT
"""CRAMFS: compressed by pages with zlib, or with the read-only parts of programs kept so that they run in place.

Format: the kernel's `fs/cramfs/README`, `include/uapi/linux/cramfs_fs.h`; which layouts can be mapped:
`fs/cramfs/inode.c:cramfs_physmem_mmap()`. Little-endian, for kernels with pages of 4 KiB.
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

import msgspec

from bootlab import _core
from bootlab.builders.images.members import Member, content_of, root_of, size_of
from bootlab.errors import UserError
from bootlab.formats import magics
from bootlab.model.tree import FileTree

PAGE_BYTES = 4096
FILE_MAX_BYTES = (1 << 24) - 1
IMAGE_MAX_BYTES = 1 << 28
NAME_MAX_BYTES = 252
_MAGIC = 0x28CD3D45
_SIGNATURE = b"Compressed ROMFS"
_SUPER_BYTES = 76
_FSID_2_AND_SORTED = 0x3
_HOLES = 0x100
_EXTENDED_POINTERS = 0x800
_UNCOMPRESSED = 1 << 31
_DIRECT = 1 << 30
_UID_MAX, _GID_MAX, _DEVICE_MAX = 0xFFFF, 0xFF, 0xFF


class Located(msgspec.Struct, frozen=True):
    """Where a file's first block lies in an image, and whether it is stored so that it can be mapped."""

    offset_bytes: int
    mappable: bool


def write(tree: FileTree, out: BinaryIO, *, in_place: bool = False) -> int:
    """Write a tree as an image; return its size in bytes.

    `in_place`: the read-only loadable segments of ELF files stay uncompressed, in whole pages. Equal contents are
    stored once. Raise UserError for what the format cannot hold: files of 16 MiB, groups above 255.
    """
    image = _Image(root_of(tree), in_place=in_place)
    return out.write(image.whole())


class _Image:
    """An image while it is laid out: folders first, then compressed files, then what is mapped."""

    def __init__(self, root: Member, *, in_place: bool) -> None:
        self._root = root
        self._in_place = in_place
        self._members = list(root.walk())
        for member in self._members:
            _check(member)
        self._places = self._place_folders()
        self._data = bytearray()
        self._data_start = max((end for _, end in self._places.values()), default=_SUPER_BYTES)
        self._stored: dict[bytes, int] = {}
        self._offsets: dict[str, int] = {}
        self._blocks = 0
        self._mapped: list[tuple[int, int, bytes]] = []

    def whole(self) -> bytes:
        """Return the image."""
        for member in self._members:
            if member.entry.kind in {"file", "symlink"} and size_of(member):
                self._offsets[member.path] = self._store(content_of(member))
        self._place_mapped()
        head = bytearray(self._data_start)
        for member in self._members:
            if member.entry.kind == "dir":
                at = self._places[member.path][0]
                for child in member.members:
                    record = self._inode(child) + child.name + bytes(-len(child.name) % 4)
                    head[at : at + len(record)] = record
                    at += len(record)
        image = head + self._data
        image += bytes(-len(image) % PAGE_BYTES)
        if len(image) > IMAGE_MAX_BYTES:
            raise UserError(f"the image is {len(image)} bytes; CRAMFS allows 256 MiB", hint="use SquashFS or EROFS")
        image[:_SUPER_BYTES] = self._super(len(image), 0)
        image[:_SUPER_BYTES] = self._super(len(image), zlib.crc32(image))
        return bytes(image)

    def _place_folders(self) -> dict[str, tuple[int, int]]:
        places = {}
        at = _SUPER_BYTES
        for member in self._members:
            if member.entry.kind == "dir":
                end = at + sum(12 + len(child.name) + -len(child.name) % 4 for child in member.members)
                places[member.path] = (at, end)
                at = end
        return places

    def _store(self, content: bytes) -> int:
        known = self._stored.get(content)
        if known is not None:
            return known
        offset = self._data_start + len(self._data)
        pages = [content[at : at + PAGE_BYTES] for at in range(0, len(content), PAGE_BYTES)]
        self._blocks += len(pages)
        mapped = _read_only_pages(content, len(pages)) if self._in_place else frozenset()
        table_at = len(self._data)
        self._data += bytes(4 * len(pages))
        for number, page in enumerate(pages):
            if number in mapped:
                self._mapped.append((table_at + 4 * number, number, page))
                continue
            packed = zlib.compress(page, 9) if page.strip(b"\0") else b""
            if mapped:
                # Blocks before or after may lie elsewhere, so each says where it starts; its length stands before it.
                self._data += bytes(-len(self._data) % 4)
                pointer = self._data_start + len(self._data) >> 2 | _DIRECT
                self._data += struct.pack("<H", len(packed)) + packed
            else:
                self._data += packed
                pointer = self._data_start + len(self._data)
            struct.pack_into("<I", self._data, table_at + 4 * number, pointer)
        self._data += bytes(-len(self._data) % 4)
        self._stored[content] = offset
        return offset

    def _place_mapped(self) -> None:
        before = None
        for pointer_at, number, page in self._mapped:
            if before is None or number != before + 1:
                self._data += bytes(-(self._data_start + len(self._data)) % PAGE_BYTES)
            before = number
            start = self._data_start + len(self._data)
            struct.pack_into("<I", self._data, pointer_at, start >> 2 | _DIRECT | _UNCOMPRESSED)
            # The kernel maps a last page only when nothing but zeros follows the file in it.
            self._data += page + bytes(PAGE_BYTES - len(page))

    def _inode(self, member: Member) -> bytes:
        entry = member.entry
        if entry.kind in {"char", "block"}:
            size, offset = entry.major << 8 | entry.minor, 0
        elif entry.kind == "dir":
            start, end = self._places[member.path]
            size, offset = end - start, start if end > start else 0
        else:
            size, offset = size_of(member), self._offsets.get(member.path, 0)
        if offset >= IMAGE_MAX_BYTES:
            raise UserError(
                f"{member.path} is beyond the first 256 MiB of a CRAMFS image", hint="use SquashFS or EROFS"
            )
        name_words = (len(member.name) + 3) // 4
        return struct.pack("<III", member.mode | entry.uid << 16, size | entry.gid << 24, name_words | offset >> 2 << 6)

    def _super(self, size: int, crc: int) -> bytes:
        flags = _FSID_2_AND_SORTED | _HOLES | (_EXTENDED_POINTERS if self._in_place else 0)
        start, end = self._places["/"]
        root = struct.pack("<III", self._root.mode, end - start, start >> 2 << 6)
        numbers = struct.pack("<IIII", _MAGIC, size, flags, 0)
        identity = struct.pack("<IIII", crc, 0, self._blocks, len(self._members))
        return numbers + _SIGNATURE + identity + b"root".ljust(16, b"\0") + root


def _check(member: Member) -> None:
    entry = member.entry
    if len(member.name) > NAME_MAX_BYTES:
        raise UserError(
            f"{member.path[:80]!r}: CRAMFS allows names up to {NAME_MAX_BYTES} bytes", hint="rename the file"
        )
    if not 0 <= entry.uid <= _UID_MAX or not 0 <= entry.gid <= _GID_MAX:
        raise UserError(
            f"{member.path}: owner {entry.uid}, group {entry.gid}; CRAMFS keeps 16 bits of an owner and 8 of a group",
            hint="use smaller numbers, or another file system",
        )
    if entry.major > _DEVICE_MAX or entry.minor > _DEVICE_MAX:
        raise UserError(f"{member.path}: CRAMFS keeps 8 bits of each device number", hint="let devtmpfs make the node")
    size = size_of(member)
    if size > FILE_MAX_BYTES:
        raise UserError(
            f"{member.path} is {size} bytes; CRAMFS allows files below 16 MiB", hint="use SquashFS or EROFS for it"
        )


def _read_only_pages(content: bytes, pages: int) -> frozenset[int]:
    """Return the pages that only read-only loadable segments of an ELF file cover; a broken header covers none."""
    if not content.startswith(magics.ELF):
        return frozenset()
    try:
        segments = _core.elf_segments(content)
    except _core.CoreError:
        return frozenset()
    # A page that a writable segment shares is copied when it is written; uncompressed serves both.
    return frozenset(
        page
        for _, at, size, writable in segments
        if size and not writable and at + size <= len(content)
        for page in range(at // PAGE_BYTES, -(-(at + size) // PAGE_BYTES))
        if page < pages
    )


def locate(image: bytes, path: str) -> Located | None:
    """Return where a file's first block lies in an image; None when the image holds no such file with contents."""
    if len(image) < _SUPER_BYTES or image[16:32] != _SIGNATURE:
        return None
    _, size, place = struct.unpack_from("<III", image, _SUPER_BYTES - 12)
    for part in path.strip("/").split("/"):
        found = _find(image, (place >> 6) * 4, size & 0xFFFFFF, part.encode())
        if found is None:
            return None
        size, place = found
    at = (place >> 6) * 4
    if not at or not size & 0xFFFFFF or at + 4 > len(image):
        return None
    (pointer,) = struct.unpack_from("<I", image, at)
    if pointer & _DIRECT:
        return Located((pointer & ~(_DIRECT | _UNCOMPRESSED)) << 2, bool(pointer & _UNCOMPRESSED))
    return Located(at + 4 * -(-(size & 0xFFFFFF) // PAGE_BYTES), mappable=False)


def _find(image: bytes, at: int, size: int, name: bytes) -> tuple[int, int] | None:
    end = min(at + size, len(image))
    while at + 12 <= end:
        _, length, place = struct.unpack_from("<III", image, at)
        words = place & 0x3F
        if image[at + 12 : at + 12 + 4 * words].rstrip(b"\0") == name:
            return length, place
        at += 12 + 4 * words
    return None
