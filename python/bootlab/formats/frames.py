# SPDX-License-Identifier: MIT
"""Where compressed data of lzop, lz4 (legacy) and zstd end, when something else stands behind them.

Their programs take a whole file and stumble over what follows; the kernel goes on behind the frame. Formats:
`lib/decompress_unlzo.c`, `lib/decompress_unlz4.c`, RFC 8878.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable

Bytes = mmap.mmap | bytes

_LZ4_MAGIC = 0x184C2102
_LZ4_BLOCK_MAX_BYTES = (8 << 20) + (8 << 20) // 255 + 16
_LZOP_EXTRA, _LZOP_FILTER = 0x40, 0x800
_LZOP_PLAIN_SUMS, _LZOP_PACKED_SUMS = (0x1, 0x100), (0x2, 0x200)


class BadFrame(ValueError):
    """The data end inside a frame, or are none."""


def _number(data: Bytes, offset: int, size: int, order: str = "little") -> int:
    piece = data[offset : offset + size]
    if len(piece) != size:
        raise BadFrame
    return int.from_bytes(piece, "big" if order == "big" else "little")


def _inside(data: Bytes, offset: int) -> int:
    if offset > len(data):
        raise BadFrame
    return offset


def zstd_end(data: Bytes, offset: int) -> int:
    """Return the offset behind the zstd frame that starts at one."""
    descriptor = _number(data, offset + 4, 1)
    single = descriptor >> 5 & 1
    content_size = (single, 2, 4, 8)[descriptor >> 6]
    offset += 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + content_size
    while True:
        head = _number(data, offset, 3)
        offset = _inside(data, offset + 3 + (1 if head >> 1 & 3 == 1 else head >> 3))
        if head & 1:
            return _inside(data, offset + (4 if descriptor & 4 else 0))


def lz4_end(data: Bytes, offset: int) -> int:
    """Return the offset behind the blocks of the legacy lz4 frame that starts at one."""
    offset += 4
    while offset + 4 <= len(data):
        size = _number(data, offset, 4)
        if size == _LZ4_MAGIC:
            offset += 4
        elif 0 < size <= _LZ4_BLOCK_MAX_BYTES:
            offset = _inside(data, offset + 4 + size)
        else:
            break
    return offset


def lzop_end(data: Bytes, offset: int) -> int:
    """Return the offset behind the lzop file that starts at one."""
    if _number(data, offset + 13, 2, "big") < 0x940:
        raise BadFrame
    flags = _number(data, offset + 17, 4, "big")
    offset += 21 + (4 if flags & _LZOP_FILTER else 0) + 12
    offset += 1 + _number(data, offset, 1) + 4
    if flags & _LZOP_EXTRA:
        offset += 8 + _number(data, offset, 4, "big")
    plain_sums = 4 * sum(bool(flags & bit) for bit in _LZOP_PLAIN_SUMS)
    packed_sums = 4 * sum(bool(flags & bit) for bit in _LZOP_PACKED_SUMS)
    while plain := _number(data, offset, 4, "big"):
        packed = _number(data, offset + 4, 4, "big")
        sums = plain_sums + (packed_sums if packed < plain else 0)
        offset = _inside(data, offset + 8 + sums + packed)
    return offset + 4


FRAME_ENDS: dict[str, Callable[[Bytes, int], int]] = {"lzo": lzop_end, "lz4": lz4_end, "zstd": zstd_end}
"""Format to the function that finds a frame's end. Each raises BadFrame."""
