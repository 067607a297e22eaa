# SPDX-License-Identifier: MIT
"""Several initrds of one boot entry: what a loader puts into memory, one behind another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bootlab.formats import uboot_header

_STEP = 4


def joined(parts: Sequence[Path]) -> bytes:
    """Return the parts as a loader gives them to the kernel, each filled up to 4 bytes.

    GRUB (grub-core/loader/linux.c), Syslinux (lib/syslinux/load_linux.c) and systemd-boot do so. What U-Boot's
    header stands before comes without it. Raise UserError for a header that is damaged.
    """
    whole = bytearray()
    for part in parts:
        data = part.read_bytes()
        data = uboot_header.read(part).data if data.startswith(uboot_header.MAGIC) else data
        whole += data + bytes(-len(data) % _STEP)
    return bytes(whole)
