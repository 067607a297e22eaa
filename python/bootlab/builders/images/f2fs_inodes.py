# SPDX-License-Identifier: MIT
"""What sload.f2fs cannot put into an image: device nodes and pipes, and owners of more than 16 bits.

It is given empty files in their place, whose inodes are changed here. An inode knows its name and its folder. Formats:
the kernel's `include/linux/f2fs_fs.h`.
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from bootlab.builders.images.members import Member, root_of
from bootlab.errors import EnvironmentFault
from bootlab.model.tree import Entry, FileTree

_BLOCK_BYTES = 4096
_CHUNK_BLOCKS = 16
_OWNER_MAX = 0xFFFF
_SPECIAL = frozenset({"char", "block", "fifo"})
# enum of file types in a folder's entries, as fs_types.h has it.
_FILE_TYPES = {"file": 1, "char": 3, "block": 4, "fifo": 5}
_SUPERBLOCK = 1024
_MAIN_AT, _ROOT_AT = 92, 96
_FOOTER = struct.Struct("<II")
_FOOTER_AT = _BLOCK_BYTES - 24
# struct f2fs_inode: mode, i_inline, owners; i_pino and the name; block addresses, where a device has its number.
_OWNERS_AT, _PARENT_AT, _ADDRESSES_AT, _ADDRESSES = 4, 84, 360, 923
_INLINE_ENTRIES = 0x04


class _Inode(msgspec.Struct, frozen=True):
    at: int
    block: bytes

    @property
    def parent(self) -> int:
        return int.from_bytes(self.block[_PARENT_AT : _PARENT_AT + 4], "little")

    @property
    def name(self) -> bytes:
        start = _PARENT_AT + 8
        return self.block[start : start + int.from_bytes(self.block[_PARENT_AT + 4 : start], "little")]


def loadable(tree: FileTree) -> FileTree:
    """Return a tree with an empty file for each device node and pipe."""
    entries = ((path, entry) for path, entry in tree.entries)
    return FileTree(
        tuple(
            (path, Entry(kind="file", text="", mode=entry.mode, uid=entry.uid, gid=entry.gid))
            if entry.kind in _SPECIAL
            else (path, entry)
            for path, entry in entries
        )
    )


def settle(image: Path, tree: FileTree) -> None:
    """Give inodes of an image of `loadable` what the tree says. Raise EnvironmentFault when one is not found."""
    wanted = [
        member
        for member in root_of(tree).walk()
        if not member.link_to
        and (member.entry.kind in _SPECIAL or max(member.entry.uid, member.entry.gid) > _OWNER_MAX)
    ]
    if not wanted:
        return
    with image.open("r+b") as stream:
        stream.seek(_SUPERBLOCK)
        head = stream.read(128)
        root = int.from_bytes(head[_ROOT_AT : _ROOT_AT + 4], "little")
        main = int.from_bytes(head[_MAIN_AT : _MAIN_AT + 4], "little") * _BLOCK_BYTES
        inodes = _inodes(stream, main)
        numbers = _numbers(inodes, root)
        for member in wanted:
            number = numbers.get(member.path)
            if number is None:
                raise EnvironmentFault(
                    f"sload.f2fs did not put {member.path} into the image", hint="its version: sload.f2fs -V"
                )
            for inode in inodes[number]:
                _change(stream, inode, member)
            if member.entry.kind in _SPECIAL:
                parent = inodes[inodes[number][0].parent]
                _name_type(stream, parent, number, member)


def _inodes(stream: BinaryIO, start: int) -> dict[int, list[_Inode]]:
    """Return the inodes by number; a log keeps older versions of one, which are changed like the last."""
    found: dict[int, list[_Inode]] = {}
    stream.seek(start)
    while chunk := stream.read(_CHUNK_BLOCKS * _BLOCK_BYTES):
        if chunk.count(0) != len(chunk):
            for at in range(0, len(chunk), _BLOCK_BYTES):
                block = chunk[at : at + _BLOCK_BYTES]
                number, owner = _FOOTER.unpack_from(block, _FOOTER_AT)
                # Only an inode's own block belongs to itself.
                if number and number == owner and stat.S_IFMT(int.from_bytes(block[:2], "little")):
                    found.setdefault(number, []).append(_Inode(start + at, block))
        start += len(chunk)
    return found


def _numbers(inodes: dict[int, list[_Inode]], root: int) -> dict[str, int]:
    """Return each inode's number by its path."""
    found = {"/": root}
    for number in inodes:
        names: list[bytes] = []
        at = number
        while at != root and at in inodes and len(names) <= len(inodes):
            names.append(inodes[at][-1].name)
            at = inodes[at][-1].parent
        if names and at == root:
            found["/" + b"/".join(reversed(names)).decode(errors="surrogateescape")] = number
    return found


def _change(stream: BinaryIO, inode: _Inode, member: Member) -> None:
    entry = member.entry
    stream.seek(inode.at)
    stream.write(struct.pack("<H", member.mode))
    stream.seek(inode.at + _OWNERS_AT)
    stream.write(struct.pack("<II", entry.uid, entry.gid))
    if entry.kind in {"char", "block"}:
        # fs/f2fs/inode.c: __get_inode_rdev() takes the second form where the first is 0.
        stream.seek(inode.at + _ADDRESSES_AT)
        minor = (entry.minor & 0xFF) | (entry.minor & ~0xFF) << 12
        stream.write(struct.pack("<II", 0, minor | entry.major << 8))


def _name_type(stream: BinaryIO, folder: list[_Inode], number: int, member: Member) -> None:
    """Change the file's type in its folder's entry: number, length of the name, type."""
    old = struct.pack("<IHB", number, len(member.name), _FILE_TYPES["file"])
    for inode in folder:
        for place in _entry_blocks(inode):
            stream.seek(place)
            at = stream.read(_BLOCK_BYTES).find(old)
            if at >= 0:
                stream.seek(place + at + len(old) - 1)
                stream.write(bytes([_FILE_TYPES[member.entry.kind]]))


def _entry_blocks(inode: _Inode) -> Iterable[int]:
    if inode.block[3] & _INLINE_ENTRIES:
        return [inode.at]
    addresses = struct.unpack_from(f"<{_ADDRESSES}I", inode.block, _ADDRESSES_AT)
    return [address * _BLOCK_BYTES for address in addresses if 0 < address < 0xFFFFFFFF]
