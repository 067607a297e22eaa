"""How long a kernel image must be by its own headers: a copy that was cut off boots to nothing, without a word."""

from __future__ import annotations

import struct
from typing import Any

_SECTIONS_MAX = 96


def lacking_bytes(facts: dict[str, Any], data: bytes) -> int:
    """Return how many bytes a kernel image lacks at its end; 0 when it is whole, or its headers do not say.

    `facts`: what the core says about the image.
    """
    setup, zimage, elf = (facts.get(part) or {} for part in ("setup", "arm_zimage", "elf"))
    needed = _portable_executable(data)
    if setup.get("payload_length_bytes"):
        offset = setup["protected_mode_offset_bytes"] + setup["payload_offset_bytes"]
        needed = max(needed, offset + setup["payload_length_bytes"])
    if zimage:
        needed = max(needed, zimage["length_bytes"])
    # In a packed image, these are segments of what was unpacked.
    if elf and data.startswith(b"\x7fELF"):
        needed = max((s["file_offset_bytes"] + s["file_size_bytes"] for s in elf.get("segments") or ()), default=0)
    return max(0, needed - len(data))


def _portable_executable(data: bytes) -> int:
    """Return where the last section of an image with an EFI stub ends; 0 when it is none."""
    if data[:2] != b"MZ" or len(data) < 0x40:
        return 0
    at = struct.unpack_from("<I", data, 0x3C)[0]
    if data[at : at + 4] != b"PE\0\0" or len(data) < at + 24:
        return 0
    count, optional_bytes = struct.unpack_from("<H", data, at + 6)[0], struct.unpack_from("<H", data, at + 20)[0]
    first = at + 24 + optional_bytes
    if count > _SECTIONS_MAX or len(data) < first + 40 * count:
        return 0
    # Section header: SizeOfRawData at 16, PointerToRawData at 20.
    ends = (sum(struct.unpack_from("<II", data, first + 40 * number + 16)) for number in range(count))
    return max(ends, default=0)
