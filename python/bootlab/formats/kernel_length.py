# SPDX-License-Identifier: MIT
"""How long a kernel image must be by its own headers: a copy that was cut off boots to nothing, without a word."""

from __future__ import annotations

from typing import Any

from bootlab.formats import magics
from bootlab.formats.portable_executable import read_pe


def lacking_bytes(facts: dict[str, Any], data: bytes) -> int:
    """Return how many bytes a kernel image lacks at its end; 0 when it is whole, or its headers do not say.

    `facts`: what the core says about the image.
    """
    setup, zimage, elf = (facts.get(part) or {} for part in ("setup", "arm_zimage", "elf"))
    needed = _sections_end(data)
    if setup.get("payload_length_bytes"):
        offset = setup["protected_mode_offset_bytes"] + setup["payload_offset_bytes"]
        needed = max(needed, offset + setup["payload_length_bytes"])
    if zimage:
        needed = max(needed, zimage["length_bytes"])
    # In a packed image, these are segments of what was unpacked.
    if elf and data.startswith(magics.ELF):
        needed = max((s["file_offset_bytes"] + s["file_size_bytes"] for s in elf.get("segments") or ()), default=0)
    return max(0, needed - len(data))


def _sections_end(data: bytes) -> int:
    """Return where the last section of an image with an EFI stub ends; 0 when it is none."""
    pe = read_pe(data)
    return max((one.offset_bytes + one.file_bytes for one in pe.sections), default=0) if pe is not None else 0
