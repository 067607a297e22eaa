"""U-Boot's old image header (`uImage`, `uInitrd`): 64 bytes before a payload. Format: include/image.h of U-Boot."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.sources.whole_file import read_whole

MAGIC = b"\x27\x05\x19\x56"
HEADER_BYTES = 64
SIZE_MAX_BYTES = 1 << 30
_KERNELS, _RAMDISK = frozenset({2, 14}), 3


class Wrapped(msgspec.Struct, frozen=True):
    """What stands behind a header: `kernel` or `ramdisk`, "" for anything else, and its bytes."""

    kind: str
    name: str
    data: bytes


def read(path: Path) -> Wrapped:
    """Return what stands behind the header. Raise UserError when the file cannot be read, or was cut off."""
    blob = read_whole(path, SIZE_MAX_BYTES, "image for U-Boot", "name the image that U-Boot loads")
    size, kind = int.from_bytes(blob[12:16], "big"), blob[30] if len(blob) > HEADER_BYTES else 0
    data = blob[HEADER_BYTES : HEADER_BYTES + size]
    if len(data) < size:
        raise UserError(
            f"{path} is cut off: only {len(data):,} of {size:,} bytes follow U-Boot's header", hint="copy it again"
        )
    word = "kernel" if kind in _KERNELS else "ramdisk" if kind == _RAMDISK else ""
    return Wrapped(word, blob[32:64].split(b"\0")[0].decode("utf-8", "replace"), data)
