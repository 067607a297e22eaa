# SPDX-License-Identifier: MIT
"""A tree of files as what an image writer walks: folders with their members in order, and the bytes of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders import cpio
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree


class Member(msgspec.Struct, kw_only=True):
    """One name of the tree; the root's path is `/`. `members` are sorted by the bytes of their names.

    `link_to`: the path of the first name of a file that has several; "" for that one itself. `names`: how many it has.
    """

    path: str
    entry: Entry
    members: list[Member] = []
    link_to: str = ""
    names: int = 1

    @property
    def name(self) -> bytes:
        """The last part of the path, as bytes."""
        return self.path.rpartition("/")[2].encode()

    @property
    def mode(self) -> int:
        """Type and permissions, as `st_mode` holds them."""
        return cpio.FILE_TYPES[self.entry.kind] | (self.entry.mode & 0o7777)

    def walk(self) -> Iterator[Member]:
        """Yield the member and everything below it, a folder before what it holds."""
        yield self
        for member in self.members:
            yield from member.walk()


def root_of(tree: FileTree) -> Member:
    """Return the tree's root with everything below it. Raise UserError for names that no kernel takes."""
    root = Member(path="/", entry=Entry(kind="dir", mode=0o755))
    folders = {"/": root}
    for path, entry in cpio.plan(tree):
        member = Member(path=path, entry=entry, members=[])
        folders[path.rpartition("/")[0] or "/"].members.append(member)
        if entry.kind == "dir":
            folders[path] = member
    for folder in folders.values():
        folder.members.sort(key=lambda member: member.name)
    members = list(root.walk())
    links = cpio.hard_links((member.path, member.entry) for member in members)
    for member in members:
        if (link := links.get(member.path)) is not None:
            member.link_to = link.first if link.first != member.path else ""
            member.names = link.count
    return root


def size_of(member: Member) -> int:
    """Return the length of a file's or link's contents in bytes. Raise UserError when its source cannot be read."""
    entry = member.entry
    if entry.kind == "symlink":
        return len((entry.target or "").encode())
    if entry.kind != "file":
        return 0
    if entry.source is None:
        return len((entry.text or "").encode())
    try:
        return Path(entry.source).stat().st_size
    except OSError as error:
        raise UserError(
            f"{entry.source}, for {member.path}, cannot be read: {error.strerror}", hint=f"ls -l {entry.source}"
        ) from error


def stored_bytes(member: Member) -> int:
    """Return what a member's contents take where holes of a file take nothing. Raise UserError."""
    size = size_of(member)
    if member.link_to:
        return 0
    if member.entry.kind != "file" or member.entry.source is None:
        return size
    return min(size, Path(member.entry.source).stat().st_blocks * 512)


def blocks_of(member: Member, block_bytes: int) -> Iterator[bytes]:
    """Yield a file's or link's contents in blocks. Raise UserError when its source cannot be read, or changes."""
    entry = member.entry
    if entry.kind != "file" or entry.source is None:
        data = ((entry.target if entry.kind == "symlink" else entry.text) or "").encode()
        for start in range(0, len(data), block_bytes):
            yield data[start : start + block_bytes]
        return
    left = size_of(member)
    try:
        with Path(entry.source).open("rb") as stream:
            while left:
                block = stream.read(min(left, block_bytes))
                if not block:
                    break
                left -= len(block)
                yield block
            if left or stream.read(1):
                raise UserError(
                    f"{entry.source} changed size while it was being packed", hint="run the same command again"
                )
    except OSError as error:
        raise UserError(
            f"{entry.source}, for {member.path}, cannot be read: {error.strerror}", hint=f"ls -l {entry.source}"
        ) from error


def content_of(member: Member) -> bytes:
    """Return a file's or link's whole contents; for file systems whose files are small by their format."""
    return b"".join(blocks_of(member, 1 << 20))
