# SPDX-License-Identifier: MIT
"""Files with holes: images of file systems that want hundreds of megabytes, of which a small root fills few."""

from __future__ import annotations

from pathlib import Path

_CHUNK_BYTES = 1 << 16


def copy(source: Path, size_bytes: int, path: Path) -> None:
    """Copy an image to a file of at least its size; holes stay holes, and stretches of zeros become some."""
    with path.open("wb") as out, source.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            if chunk.count(0) == len(chunk):
                out.seek(len(chunk), 1)
            else:
                out.write(chunk)
        out.truncate(max(size_bytes, source.stat().st_size))


def create(path: Path, size_bytes: int) -> None:
    """Make a file that is one hole."""
    with path.open("wb") as out:
        out.truncate(size_bytes)
