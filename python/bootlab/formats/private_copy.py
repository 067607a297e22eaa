# SPDX-License-Identifier: MIT
"""A partition as a file of its own, for programs that read no part of a file: its holes and zeros stay holes."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from bootlab.errors import UserError, cannot_write
from bootlab.formats.disk_bytes import ByteSource, file_place

DATA_MAX_BYTES = 16 << 30
"""More data than this is not copied to read a menu and a kernel."""
_ROOM_KEPT_BYTES = 2 << 30
_CHUNK_BYTES = 1 << 20


def as_file(source: ByteSource, folder: Path) -> Path:
    """Return a file with the bytes of a medium or partition: the image itself, or a sparse copy in a folder.

    Raise UserError where there is no room for it.
    """
    place = file_place(source)
    if place is not None and place[1] == 0 and place[0].stat().st_size == source.size_bytes:
        return place[0].resolve()
    copy = folder / "partition"
    try:
        if place is not None:
            _copy_part(*place, source.size_bytes, copy)
        else:
            _copy_read(source, copy)
    except OSError as error:
        raise cannot_write("a partition of it cannot be copied to be read", error, folder) from error
    return copy


def _check_room(count: int, folder: Path) -> None:
    """Raise UserError where so many bytes are too much for a disk."""
    if count > min(DATA_MAX_BYTES, shutil.disk_usage(folder).free - _ROOM_KEPT_BYTES):
        raise UserError(
            f"its {count >> 20:,} MiB of data would have to be copied to {folder.parent} to be read: there is no "
            f"room, or they are more than {DATA_MAX_BYTES >> 30} GiB (TMPDIR names another folder)",
            hint=f"df -h {folder.parent}",
        )


def _data(file: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give where a file has data, and where each ends."""
    at = start
    while at < end:
        try:
            begin = os.lseek(file, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        if begin >= end:
            return
        at = min(os.lseek(file, begin, os.SEEK_HOLE), end)
        yield begin, at


def _copy_part(image: Path, start: int, count: int, copy: Path) -> None:
    """Copy a part of a file. Where the file system can, both share the data."""
    with image.open("rb") as file, copy.open("wb") as out:
        pieces = list(_data(file.fileno(), start, start + count))
        _check_room(sum(end - begin for begin, end in pieces), copy.parent)
        out.truncate(count)
        for begin, end in pieces:
            at = begin
            while at < end:
                done = _copied(file.fileno(), out.fileno(), at, at - start, end - at)
                if not done:
                    raise UserError(f"{image} ends within a partition", hint="copy it again")
                at += done


def _copied(file: int, out: int, at: int, to: int, count: int) -> int:
    """Copy some bytes from one open file to another; return how many."""
    try:
        return os.copy_file_range(file, out, count, at, to)
    except OSError as error:
        if error.errno not in {errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}:
            raise
    # From one file system to another the kernel copies so.
    os.lseek(out, to, os.SEEK_SET)
    return os.sendfile(out, file, at, count)


def _copy_read(source: ByteSource, copy: Path) -> None:
    """Copy what is kept in another form."""
    written = 0
    with copy.open("wb") as out:
        for start in range(0, source.size_bytes, _CHUNK_BYTES):
            data = source.read(start, _CHUNK_BYTES)
            if data.count(0) == len(data):
                continue
            if not written % (256 * _CHUNK_BYTES):
                _check_room(written + _CHUNK_BYTES, copy.parent)
            out.seek(start)
            written += out.write(data)
        out.truncate(source.size_bytes)
