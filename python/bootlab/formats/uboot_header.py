# SPDX-License-Identifier: MIT
"""U-Boot's old image header (`uImage`, `uInitrd`): 64 bytes before a payload, or before several parts.

Format: include/image.h and boot/image.c of U-Boot.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats.bundle import Bundle
from bootlab.formats.whole_file import read_whole

MAGIC = b"\x27\x05\x19\x56"
HEADER_BYTES = 64
SIZE_MAX_BYTES = 1 << 30
BAD_CHECKSUM = "its bytes do not have the checksum of U-Boot's header, and U-Boot would refuse them: copy it again"
_KERNELS, _RAMDISK, _SEVERAL = frozenset({2, 14}), 3, 4
_PARTS_MAX = 10


class Wrapped(msgspec.Struct, frozen=True):
    """What stands behind a header: `kernel` or `ramdisk`, "" for anything else, and its bytes.

    `damaged`: they are not those that the header's checksum was made of.
    """

    kind: str
    name: str
    data: bytes
    damaged: bool = False


def has_parts(head: bytes) -> bool:
    """Tell whether several parts stand behind the header."""
    return head.startswith(MAGIC) and head[30:31] == bytes([_SEVERAL])


def read_parts(path: Path) -> Bundle:
    """Return kernel, ramdisk and device tree of an image of several parts, which have no names: their order tells."""
    wrapped = read(path)
    sizes: list[int] = []
    at = 0
    while (size := int.from_bytes(wrapped.data[at : at + 4], "big")) and len(sizes) < _PARTS_MAX:
        sizes.append(size)
        at += 4
    at += 4
    parts: list[bytes] = []
    for size in sizes:
        parts.append(wrapped.data[at : at + size])
        at += -(-size // 4) * 4
    kernel, *rest = parts or [b""]
    tree = next((part for part in rest if part.startswith(b"\xd0\x0d\xfe\xed")), b"")
    ramdisk = next((part for part in rest if part and part is not tree), b"")
    notes = (BAD_CHECKSUM,) if wrapped.damaged else ()
    what = f"a U-Boot image of {len(parts)} parts"
    return Bundle(what=what, kernel=kernel, initramfs=ramdisk, device_tree=tree, notes=notes)


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
    damaged = zlib.crc32(data) != int.from_bytes(blob[24:28], "big")
    return Wrapped(word, blob[32:64].split(b"\0")[0].decode("utf-8", "replace"), data, damaged)
