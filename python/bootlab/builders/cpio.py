# SPDX-License-Identifier: MIT
"""Writing the archive that the kernel unpacks as its first root file system.

Format "newc" (`Documentation/driver-api/early-userspace/buffer-format.rst`, `init/initramfs.c`). The same tree gives
the same bytes on every machine: sorted names, times and inode numbers of our own, device nodes without root.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from bootlab.errors import UserError, of_writing
from bootlab.formats.names import TRAILER, check_name, check_target, parent_of
from bootlab.model.tree import Entry, FileTree

SIZE_MAX_BYTES = 0xFFFF_FFFF
_FIELD_MAX = 0xFFFF_FFFF
_CHUNK_BYTES = 1 << 20
FILE_TYPES = {
    "file": stat.S_IFREG,
    "dir": stat.S_IFDIR,
    "symlink": stat.S_IFLNK,
    "char": stat.S_IFCHR,
    "block": stat.S_IFBLK,
    "fifo": stat.S_IFIFO,
}
"""The type in a file's mode, by the kind of an entry."""


def plan(tree: FileTree) -> tuple[tuple[str, Entry], ...]:
    """Return the entries in the order they are written: names checked, parents made, a folder before what it holds."""
    entries: dict[str, Entry] = {}
    for name, entry in tree.entries:
        path = check_name(name)
        if path in entries:
            raise UserError(f"{path} occurs twice", hint="these are two spellings of one path; remove one")
        entries[path] = entry
    folders: set[str] = set()
    for path in list(entries):
        parent = parent_of(path)
        while parent != "/" and parent not in folders:
            there = entries.setdefault(parent, Entry(kind="dir"))
            if there.kind != "dir":
                raise UserError(
                    f"{path} lies below {parent}, which is a {there.kind}",
                    hint="the kernel does not follow links while unpacking; write the path of the real folder",
                )
            folders.add(parent)
            parent = parent_of(parent)
    return tuple(sorted(entries.items(), key=lambda item: item[0].split("/")))


class HardLink(msgspec.Struct, frozen=True):
    """One of several names of a file. `first`: the path of the first one; `count`: how many; `last`: it is the last."""

    first: str
    count: int
    last: bool


def hard_links(planned: Iterable[tuple[str, Entry]]) -> dict[str, HardLink]:
    """Return the names that share one file: of one group, and alike in permissions and owner."""
    groups: dict[object, list[str]] = {}
    for path, entry in planned:
        if entry.kind == "file" and entry.linked:
            key = (entry.linked, entry.text, entry.mode, entry.uid, entry.gid)
            groups.setdefault(key, []).append(path)
    return {
        path: HardLink(paths[0], len(paths), path == paths[-1])
        for paths in groups.values()
        if len(paths) > 1
        for path in paths
    }


def check_sizes(planned: Iterable[tuple[str, Entry]]) -> None:
    """Raise UserError for a file that the format's 32 bits cannot hold, before anybody reads it."""
    for path, entry in planned:
        if entry.kind == "file" and entry.source is not None:
            try:
                size = Path(entry.source).stat().st_size
            except OSError as error:
                raise _unreadable(entry.source, path, error) from error
            _check_size(entry.source, size)


def _check_size(source: str | Path, size: int) -> None:
    if size > SIZE_MAX_BYTES:
        raise UserError(
            f"{source} is {size} bytes; an initramfs can hold files up to {SIZE_MAX_BYTES}",
            hint="put it on a disk image instead",
        )


def _unreadable(source: str | Path, path: str, error: OSError) -> UserError:
    return UserError(f"{source}, for {path}, cannot be read: {error.strerror}", hint=f"ls -l {source}")


def write(tree: FileTree, out: BinaryIO, *, mtime_s: int = 0) -> int:
    """Write a tree as one archive; return its size in bytes. The last name of a hard-linked file has its contents.

    Raise UserError for a name that no kernel takes, a file that is missing, or one larger than 4 GiB less one byte.
    """
    size = 0
    planned = plan(tree)
    links = hard_links(planned)
    numbers: dict[str, int] = {}
    for count, (path, entry) in enumerate(planned, start=1):
        link = links.get(path)
        number = numbers.setdefault(link.first if link is not None else path, count)
        names = 2 if entry.kind == "dir" else link.count if link is not None else 1
        has_body = link is None or link.last
        if entry.kind == "file" and entry.source is not None and has_body:
            size += _write_source(out, number, path, entry, (names, mtime_s))
            continue
        body = b""
        if entry.kind == "file" and has_body:
            body = (entry.text or "").encode()
        elif entry.kind == "symlink":
            body = check_target(path, entry.target or "").encode()
        record = _head(number, path, entry, len(body), (names, mtime_s)) + body
        size += out.write(record + _padding(len(record), 4))
    record = _record((0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), TRAILER)
    size += out.write(record)
    return size + out.write(_padding(size, 512))


def _write_source(out: BinaryIO, number: int, path: str, entry: Entry, names_mtime: tuple[int, int]) -> int:
    source = Path(entry.source or "")
    try:
        with source.open("rb") as stream:
            body_bytes = source.stat().st_size
            _check_size(source, body_bytes)
            size = out.write(_head(number, path, entry, body_bytes, names_mtime))
            left = body_bytes
            while left and (chunk := stream.read(min(left, _CHUNK_BYTES))):
                left -= out.write(chunk)
            if left or stream.read(1):
                raise UserError(f"{source} changed size while it was being packed", hint="run the same command again")
    except OSError as error:
        if of_writing(error):
            raise
        raise _unreadable(source, path, error) from error
    return size + body_bytes + out.write(_padding(body_bytes, 4))


def _head(number: int, path: str, entry: Entry, body_bytes: int, names_mtime: tuple[int, int]) -> bytes:
    device = entry.kind in {"char", "block"}
    return _record(
        (
            number,
            FILE_TYPES[entry.kind] | (entry.mode & 0o7777),
            entry.uid,
            entry.gid,
            *names_mtime,
            body_bytes,
            0,
            0,
            entry.major if device else 0,
            entry.minor if device else 0,
        ),
        path[1:],
    )


def _record(fields: tuple[int, ...], name: str) -> bytes:
    if not all(0 <= field <= _FIELD_MAX for field in fields):
        raise UserError(f"/{name}: owner, mode or device number does not fit 32 bits", hint="use smaller numbers")
    encoded = name.encode() + b"\0"
    numbers = b"".join(b"%08X" % field for field in (*fields, len(encoded), 0))
    record = b"070701" + numbers + encoded
    return record + _padding(len(record), 4)


def _padding(size: int, multiple: int) -> bytes:
    return bytes(-size % multiple)
