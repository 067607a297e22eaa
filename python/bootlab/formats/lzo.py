# SPDX-License-Identifier: MIT
"""Bare blocks that LZO1X packed, as SquashFS has them. Format: Documentation/staging/lzo.rst of the kernel."""

from __future__ import annotations

_LITERALS_FIRST = 17
_FAR_BYTES, _MIDDLE_BYTES = 0x4000, 0x800
# What came before an instruction: a match without literals behind it, or a run of literals.
_NONE, _RUN = 0, 4


def unpacked(data: bytes, limit: int) -> bytes:
    """Return the bytes of a block. Raise ValueError for one that is damaged, or longer than `limit`."""
    try:
        return bytes(_unpacked(data, limit))
    except IndexError as error:
        raise ValueError("it ends inside an instruction") from error


def _unpacked(data: bytes, limit: int) -> bytearray:
    out = bytearray()
    at, state = 0, _NONE
    if data[0] > _LITERALS_FIRST:
        count = data[0] - _LITERALS_FIRST
        out += data[1 : 1 + count]
        at, state = 1 + count, min(count, _RUN)
    while len(out) <= limit:
        code = data[at]
        at += 1
        if code < 16 and state == _NONE:
            count = code or 15
            if not code:
                count, at = _long(data, at, 15)
            out += data[at : at + count + 3]
            at, state = at + count + 3, _RUN
            continue
        if code < 16:
            back = 1 + (code >> 2) + (data[at] << 2) + (_MIDDLE_BYTES if state == _RUN else 0)
            length, after, at = 3 if state == _RUN else 2, code & 3, at + 1
        elif code >= 64:
            back = 1 + (code >> 2 & 7) + (data[at] << 3)
            length, after, at = (code >> 5) + 1, code & 3, at + 1
        else:
            mask = 31 if code >= 32 else 7
            length = code & mask
            if not length:
                length, at = _long(data, at, mask)
            pair = data[at] | data[at + 1] << 8
            length, after, at = length + 2, pair & 3, at + 2
            back = (pair >> 2) + (1 if code >= 32 else (code & 8) << 11)
            if code < 32:
                if not back:
                    return out
                back += _FAR_BYTES
        if back > len(out):
            raise ValueError("it points before its begin")
        start = len(out) - back
        piece = out[start : start + length]
        out += piece if back >= length else (piece * (length // back + 1))[:length]
        out += data[at : at + after]
        at, state = at + after, after
    raise ValueError("it is longer than its block")


def _long(data: bytes, at: int, least: int) -> tuple[int, int]:
    """Return a length that zeros make longer, and the place behind it."""
    count = least
    while not data[at]:
        count += 255
        at += 1
    return count + data[at], at + 1
