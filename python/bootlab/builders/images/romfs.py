# SPDX-License-Identifier: MIT
"""ROMFS: files as they are, one after the other, each behind a header.

Format: the kernel's `Documentation/filesystems/romfs.rst`, `fs/romfs/super.c`. It keeps no owners, no times and, of the
permissions, only whether a file is executable; folders are 0755, devices 0600.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from bootlab.builders.images.members import Member, blocks_of, root_of, size_of
from bootlab.errors import UserError
from bootlab.model.tree import FileTree

NAME_MAX_BYTES = 127
IMAGE_MAX_BYTES = 0x7FFF_FFFF
_VOLUME = b"root"
_HARD_LINK, _FOLDER, _FILE, _LINK, _BLOCK, _CHAR, _FIFO = 0, 1, 2, 3, 4, 5, 7
_EXECUTABLE = 8
_TYPES = {"dir": _FOLDER, "file": _FILE, "symlink": _LINK, "block": _BLOCK, "char": _CHAR, "fifo": _FIFO}
_ALIGN = 16
_DEVICE_MAX = 0xFFFF
_SUMMED_BYTES = 512


def write(tree: FileTree, out: BinaryIO) -> int:
    """Write a tree as an image to a seekable file; return its size in bytes. Raise UserError for what does not fit."""
    root = root_of(tree)
    start = _aligned(16 + len(_VOLUME) + 1)
    places: dict[str, int] = {"/": start}
    end = _place(root, start, places, is_root=True)
    size = end + -end % 1024
    if size > IMAGE_MAX_BYTES:
        raise UserError(f"the image would be {size} bytes; ROMFS allows 2 GiB", hint="use SquashFS or EROFS")
    base = out.tell()
    out.write(bytes(start))
    _write_folder(root, root, start, places, out, is_root=True)
    out.write(bytes(size - (out.tell() - base)))
    head = b"-rom1fs-" + struct.pack(">II", size, 0) + _VOLUME
    out.seek(base)
    out.write(head)
    out.seek(base)
    summed = out.read(min(size, _SUMMED_BYTES))
    out.seek(base + 12)
    out.write(struct.pack(">I", _checksum(summed)))
    out.seek(base + size)
    return size


def _aligned(size: int) -> int:
    return size + -size % _ALIGN


def _head_bytes(name: bytes) -> int:
    return 16 + _aligned(len(name) + 1)


def _place(folder: Member, at: int, places: dict[str, int], *, is_root: bool = False) -> int:
    """Note where the header of everything in a folder stands; return the end. `at`: where the folder's list begins."""
    if is_root:
        places["/."] = at
    at += _head_bytes(b".") + _head_bytes(b"..")
    for member in folder.members:
        _check(member)
        places[member.path] = at
        at += _head_bytes(member.name)
        if member.entry.kind == "dir":
            places[member.path + "/."] = at
            at = _place(member, at, places)
        elif not member.link_to:
            at = _aligned(at + size_of(member))
    return at


def _write_folder(
    folder: Member, parent: Member, at: int, places: dict[str, int], out: BinaryIO, *, is_root: bool = False
) -> None:
    here, above = places[folder.path], places[parent.path]
    second = at + _head_bytes(b".")
    first_member = places[folder.members[0].path] if folder.members else 0
    # The root's own header is the first of its list; other folders' lists begin with a link to their header.
    out.write(_header(second, (_FOLDER if is_root else _HARD_LINK) | _EXECUTABLE, here, 0, b"."))
    out.write(_header(first_member, _HARD_LINK | _EXECUTABLE, above, 0, b".."))
    for number, member in enumerate(folder.members):
        following = folder.members[number + 1] if number + 1 < len(folder.members) else None
        behind = places[following.path] if following is not None else 0
        entry = member.entry
        kind = _TYPES[entry.kind]
        if entry.kind == "dir" or (entry.kind == "file" and entry.mode & 0o111):
            kind |= _EXECUTABLE
        info = 0
        if entry.kind == "dir":
            info = places[member.path + "/."]
        elif entry.kind in {"char", "block"}:
            info = entry.major << 16 | entry.minor
        if member.link_to:
            out.write(_header(behind, _HARD_LINK, places[member.link_to], 0, member.name))
            continue
        size = size_of(member)
        out.write(_header(behind, kind, info, size, member.name))
        if entry.kind == "dir":
            _write_folder(member, folder, info, places, out)
            continue
        for block in blocks_of(member, 1 << 20):
            out.write(block)
        out.write(bytes(-size % _ALIGN))


def _header(behind: int, kind: int, info: int, size: int, name: bytes) -> bytes:
    padded = name + bytes(_aligned(len(name) + 1) - len(name))
    plain = struct.pack(">IIII", behind | kind, info, size, 0) + padded
    return struct.pack(">IIII", behind | kind, info, size, _checksum(plain)) + padded


def _checksum(data: bytes) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(data) // 4}I", data[: len(data) // 4 * 4])
    return -sum(words) & 0xFFFF_FFFF


def _check(member: Member) -> None:
    entry = member.entry
    if len(member.name) > NAME_MAX_BYTES:
        raise UserError(
            f"{member.path[:80]!r}: ROMFS allows names up to {NAME_MAX_BYTES} bytes", hint="rename the file"
        )
    if entry.major > _DEVICE_MAX or entry.minor > _DEVICE_MAX:
        raise UserError(f"{member.path}: ROMFS keeps 16 bits of each device number", hint="let devtmpfs make the node")
    if (size := size_of(member)) > IMAGE_MAX_BYTES:
        raise UserError(f"{member.path} is {size} bytes; ROMFS allows 2 GiB in all", hint="use SquashFS or EROFS")
