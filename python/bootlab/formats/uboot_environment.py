# SPDX-License-Identifier: MIT
"""U-Boot's environment as it is stored: a CRC32, then `name=value`, each ended by a NUL (U-Boot's env_internal.h).

In a file, as `mkenvimage` writes it: `uboot.env` on a FAT partition. A redundant one has a byte that counts behind its
checksum.
"""

from __future__ import annotations

import re
import zlib

SIZE_MAX_BYTES = 1 << 20
_REDUNDANT_BYTES = 5
_HEADS_BYTES = (4, _REDUNDANT_BYTES)
_SIZES_BYTES = tuple(1 << bits for bits in range(11, 19))
# A checksum, in one of two copies a counter, and the first variable.
_BEGIN = re.compile(rb"(?s:.){4}(?s:.)?[A-Za-z_.#][\w.#-]{0,63}=")


def read(data: bytes) -> dict[str, str] | None:
    """Return the variables of a whole environment; None for what is none, or whose checksum is wrong."""
    head = _head_bytes(data)
    return None if head is None else _variables(data[head:])


def newest(copies: list[bytes]) -> int:
    """Return which of two copies U-Boot takes, as an index: the one whose counter is ahead (env_check_redund)."""
    whole = [index for index, data in enumerate(copies) if _head_bytes(data) == _REDUNDANT_BYTES]
    if len(whole) < 2:
        return next((index for index, data in enumerate(copies) if _head_bytes(data) is not None), 0)
    first, second = (copies[index][4] for index in whole[:2])
    # The counter of one byte goes round; so does the one of flash, whose old copies have 0.
    ahead = second == 0 if first == 255 and second in {0, 255} else second > first and not (second == 255 and not first)
    return whole[1] if ahead else whole[0]


def stored_in(data: bytes, start: int = 0) -> dict[str, str] | None:
    """Return the variables of an environment that stands somewhere in a medium's bytes, of a size that is usual."""
    if not _BEGIN.match(data, start):
        return None
    for size in _SIZES_BYTES:
        if start + size <= len(data) and (found := read(data[start : start + size])) is not None:
            return found
    return None


def _head_bytes(data: bytes) -> int | None:
    """Return how long the head of an environment is; None for what is none."""
    for head in _HEADS_BYTES:
        body = data[head:]
        if body and zlib.crc32(body) == int.from_bytes(data[:4], "little"):
            return head
    return None


def _variables(body: bytes) -> dict[str, str]:
    pairs = (pair.partition(b"=") for pair in body.split(b"\0\0", 1)[0].split(b"\0"))
    return {name.decode("utf-8", "replace"): value.decode("utf-8", "replace") for name, _, value in pairs if name}
