# SPDX-License-Identifier: MIT
"""U-Boot's environment as it is stored: a CRC32, then `name=value`, each ended by a NUL (U-Boot's env_internal.h).

In a file, as `mkenvimage` writes it: `uboot.env` on a FAT partition. A redundant one has a byte that counts behind its
checksum.
"""

from __future__ import annotations

import zlib

SIZE_MAX_BYTES = 1 << 20
_HEADS_BYTES = (4, 5)


def read(data: bytes) -> dict[str, str] | None:
    """Return the variables of a whole environment; None for what is none, or whose checksum is wrong."""
    for head in _HEADS_BYTES:
        body = data[head:]
        if body and zlib.crc32(body) == int.from_bytes(data[:4], "little"):
            return _variables(body)
    return None


def _variables(body: bytes) -> dict[str, str]:
    pairs = (pair.partition(b"=") for pair in body.split(b"\0\0", 1)[0].split(b"\0"))
    return {name.decode("utf-8", "replace"): value.decode("utf-8", "replace") for name, _, value in pairs if name}
