# SPDX-License-Identifier: MIT
"""What the partitions of a medium boot by themselves: menus of each one's own loader, partitions that are a kernel.

A BIOS starts the loader in the active partition, U-Boot's standard boot reads the flagged one (doc/develop/bootstd),
Android's loader takes the partition `boot` of the active slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from bootlab.formats import android_boot, device_tree, fit, uboot_header, unified_image
from bootlab.formats.file_view import PARTITION_PLACE, FileView
from bootlab.sources import boot_entries
from bootlab.sources.facts import BootEntry, PartitionFacts
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import BootMedium, flagged, place_of

_FOLDERS = ("", "/boot", "/boot/efi", "/efi")
# What a flag leads to: a loader in the partition itself, or U-Boot's menus and scripts.
_BY_FLAG = tuple(
    f"{folder}/{name}"
    for folder in ("/boot", "")
    for name in ("extlinux/extlinux.conf", "extlinux.conf", "syslinux/syslinux.cfg", "syslinux.cfg", "boot.scr")
)
_KERNELS = re.compile(r"(?:boot|kernel|linux|kern)(?P<slot>[-_]?[a-z0-9])?", re.IGNORECASE)
_RECOVERY = re.compile(r"recovery|vendor|init_boot|dtbo", re.IGNORECASE)
_FIT_MAX_BYTES = 64 << 20
_HEAD_BYTES = 0x1000
# Qualcomm's loaders: the bit of a partition's attributes that says which slot is active.
_ACTIVE = 1 << 50


def by_flag(medium: BootMedium) -> tuple[BootEntry, ...]:
    """Return the entries of the flagged partition where several have a menu that a flag chooses; else nothing."""
    # Without what is mounted in the root's tree.
    bare = {number: FileView(view.files) for number, view in medium.views.items()}
    having = [number for number, view in bare.items() if any(view.exists(path) for path in _BY_FLAG)]
    chosen = next((number for number in flagged(medium) if number in having), None)
    return _of(medium, chosen) if chosen is not None and len(having) > 1 else ()


def own(medium: BootMedium) -> tuple[BootEntry, ...]:
    """Return the entries of the first partition whose own menu names a kernel in it; else the kernels' partitions."""
    first = list(flagged(medium))
    for number in (*first, *(number for number in medium.views if number not in first)):
        if found := _of(medium, number):
            return found
    return tuple(_kernels(medium))


def _of(medium: BootMedium, number: int) -> tuple[BootEntry, ...]:
    """Return the entries of a partition whose kernels lie in it, with their paths in the view of the root."""
    view = FileView(medium.views[number].files)
    medium.show_in(view)

    def placed(path: str) -> str:
        if path.startswith(f"/{PARTITION_PLACE}"):
            return path
        found = next((f"{folder}{path}" for folder in _FOLDERS if view.kind(f"{folder}{path}") == "file"), path)
        return found if medium.holder(view, found) != number else place_of(number, found)

    return tuple(
        msgspec.structs.replace(
            entry,
            kernel=placed(entry.kernel),
            initrds=tuple(placed(path) for path in entry.initrds),
            device_tree=placed(entry.device_tree) if entry.device_tree else "",
            addons=tuple(placed(path) for path in entry.addons),
        )
        for entry in boot_entries.read(view, medium)
        if view.kind(placed(entry.kernel)) == "file" or entry.inside
    )


def _kernels(medium: BootMedium) -> Iterator[BootEntry]:
    """Give the partitions that are a kernel, or an image of one with its parts, those of the active slot first."""
    found = [part for part in medium.parts if part.number and part.file_system is None and _is_bootable(medium, part)]
    found.sort(key=lambda part: (not _is_named(part), not part.partition.attributes & _ACTIVE))
    for number, part in enumerate(found):
        yield BootEntry(
            title=part.partition.name or f"partition {part.number}",
            kernel=place_of(part.number, "").rstrip("/"),
            source=f"partition {part.number}",
            default=number == 0,
        )


def _is_named(part: PartitionFacts) -> bool:
    return _KERNELS.fullmatch(part.partition.name) is not None


def _is_bootable(medium: BootMedium, part: PartitionFacts) -> bool:
    if _RECOVERY.search(part.partition.name):
        return False
    window = medium.window(part)
    head = window.read(0, max(_HEAD_BYTES, unified_image.HEAD_MAX_BYTES))
    if head.startswith(device_tree.MAGIC):
        # A boot loader's partition may be a FIT image too.
        return fit.has_kernel(window.read(0, min(int.from_bytes(head[4:8], "big"), _FIT_MAX_BYTES)))
    starts = (uboot_header.MAGIC, android_boot.MAGICS[0])
    return head.startswith(starts) or unified_image.is_unified(head) or is_kernel(head[:_HEAD_BYTES])
