# SPDX-License-Identifier: MIT
"""`[storage]` of a system file: where `bootlab fs` puts root file systems."""

from __future__ import annotations

import msgspec

from bootlab.model.storage import Storage
from bootlab.systemfile.patterns import compiled
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw import RawStorage

_RANGES = {
    "flash_bank": (0, 7),
    "flash_bank_mib": (1, 4096),
    "flash_address": (0, (1 << 64) - 1),
    "flash_erase_kib": (4, 4096),
    "root_kib": (64, 4096 << 10),
}


def storage(raw: RawStorage, place: Place) -> Storage:
    """Check `[storage]`. Raise SystemFileError."""
    for key, (low, high) in _RANGES.items():
        value = getattr(raw, key)
        if value is not None and not low <= value <= high:
            raise place.error(f"expected {low} to {high}, got {value}", f"storage.{key}")
    if raw.root_kib > raw.flash_bank_mib << 10:
        raise place.error(
            f"a partition of {raw.root_kib} KiB does not fit a bank of {raw.flash_bank_mib} MiB", "storage.root_kib"
        )
    if raw.root_kib % raw.flash_erase_kib:
        raise place.error(
            f"a partition is a number of whole erase blocks of {raw.flash_erase_kib} KiB", "storage.root_kib"
        )
    if raw.flash_bank is not None and not raw.mtd_block:
        raise place.error(
            "the kernel's name of the partition must be given with flash_bank",
            "storage.mtd_block",
            'mtd_block = "/dev/mtdblock2"; cat /proc/mtd shows the number',
        )
    for key in ("page_cache", "mapping", "sectors_read", "remounted"):
        _pattern(getattr(raw, key), f"storage.{key}", place)
    return Storage(**msgspec.structs.asdict(raw))


def _pattern(text: str | None, where: str, place: Place) -> None:
    if text is None:
        return
    pattern = compiled(text, where, place)
    if pattern.groups != 1:
        raise place.error(
            f"expected a pattern with one group in (), got {pattern.groups}", where, r"page_cache = 'Cached: +(\d+) kB'"
        )
