# SPDX-License-Identifier: MIT
"""The bytes of a disk image, whatever it is kept in: read in pieces, never as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from bootlab.errors import UserError

READ_MAX_BYTES = 256 << 20
"""No single read asks for more, whatever a damaged image says."""


class ByteSource(Protocol):
    """Something of a known size that can be read anywhere."""

    @property
    def size_bytes(self) -> int:
        """How long it is."""

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes; fewer where the medium ends."""


class RawFile:
    """A file that holds the medium byte by byte. It is opened for each read, so that nobody need close it."""

    def __init__(self, path: Path) -> None:
        """Look at a file or a block device. Raise UserError when it cannot be read."""
        self.path = path
        try:
            with path.open("rb") as file:
                self.size_bytes = file.seek(0, os.SEEK_END)
        except OSError as error:
            raise _unreadable(path, error) from error

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes; fewer where the file ends. Raise UserError when it cannot be read."""
        if offset < 0 or count <= 0 or offset >= self.size_bytes:
            return b""
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                return file.read(min(count, READ_MAX_BYTES))
        except OSError as error:
            raise _unreadable(self.path, error) from error


def _unreadable(path: Path, error: OSError) -> UserError:
    return UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}")


class Window:
    """A part of a medium: a partition."""

    def __init__(self, medium: ByteSource, start: int, size_bytes: int) -> None:
        """Show `size_bytes` from `start` on, as far as the medium goes."""
        self.medium = medium
        self.start = max(0, start)
        self.size_bytes = max(0, min(size_bytes, medium.size_bytes - self.start))

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes; fewer where the part ends."""
        if offset < 0 or offset >= self.size_bytes:
            return b""
        return self.medium.read(self.start + offset, min(count, self.size_bytes - offset))


def file_place(source: ByteSource) -> tuple[Path, int] | None:
    """Return the file that holds some bytes one by one, and where they begin in it; None where none does."""
    start = 0
    while isinstance(source, Window):
        start += source.start
        source = source.medium
    return (source.path, start) if isinstance(source, RawFile) else None
