# SPDX-License-Identifier: MIT
"""The contents of a file that lies on its medium in runs of blocks, with holes between them."""

from __future__ import annotations

from typing import NamedTuple

from bootlab.formats.disk_bytes import ByteSource


class BlockRun(NamedTuple):
    """Blocks that follow each other. `first`: which of the file; `where`: on the medium, 0 for zeros."""

    first: int
    length: int
    where: int


def read(medium: ByteSource, runs: list[BlockRun], block_bytes: int, offset: int, count: int) -> bytes:
    """Return `count` bytes of a file; what no run holds, and what the medium lacks, reads as zeros."""
    pieces = []
    for first, length, where in runs:
        start, end = first * block_bytes, (first + length) * block_bytes
        low, high = max(start, offset), min(end, offset + count)
        if low < high:
            at = where * block_bytes + low - start
            pieces.append((low, medium.read(at, high - low) if where else bytes(high - low), high - low))
    out = bytearray()
    for low, data, length in sorted(pieces, key=lambda piece: piece[0]):
        out += bytes(max(0, low - offset - len(out)))
        out += data.ljust(length, b"\0")
    return bytes(out.ljust(count, b"\0")[:count])
