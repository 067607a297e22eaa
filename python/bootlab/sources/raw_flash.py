# SPDX-License-Identifier: MIT
"""A dump of flash without a partition table: what lies in it, where, and the command that takes each part out.

Which part of flash is which stands in the loader, or on the kernel's line (mtdparts=), and nowhere in the dump.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import device_tree, fit, processor, uboot_header

_STEP_BYTES = 4096
_SEARCHED_BYTES = 512 << 20
_PARTS_MAX = 6
_SQUASHFS, _UBI = b"hsqs", b"UBI#"


class FlashPart(msgspec.Struct, frozen=True):
    """A part of a dump. `size_bytes`: 0 where it goes to the end. `ending`: of the file that is made of it.

    `foreign`: the processor that it is for, where bootlab has no machine with it.
    """

    at_bytes: int
    what: str
    ending: str
    size_bytes: int = 0
    foreign: str = ""


def refusal(path: Path) -> UserError | None:
    """Return what is said of a dump of flash; None for a file in which nothing of a system was found."""
    parts = list(parts_of(path))
    if not parts:
        return None
    listed = ", ".join(f"{part.what} at {part.at_bytes:,}" for part in parts)
    foreign = next((part.foreign for part in parts if part.foreign), "")
    ways, names = [], []
    for number, part in enumerate(parts):
        name = f"part{number}.{part.ending}"
        count = f" count={part.size_bytes}" if part.size_bytes else ""
        ways.append(f"dd if={path} of={name} bs=1M iflag=skip_bytes,count_bytes skip={part.at_bytes}{count}")
        names.append(f"--from {name}")
    what = f"{path} is a dump of flash without a partition table: it has {listed} (bytes from its begin)"
    if foreign:
        roots = [name for name, part in zip(names, parts, strict=True) if part.ending == "squashfs"]
        unpacked = f"take the parts out: {'; '.join(ways)}; unsquashfs unpacks {roots[0].split()[1]}. " if roots else ""
        return UserError(
            f"{what}; its kernel is for {foreign}: {processor.UNSUPPORTED}",
            hint=f"{unpacked}Or give a build of the same system for a processor that bootlab has; {processor.WAY_OUT}",
        )
    return UserError(
        what,
        hint=f"take the parts out, and give those of one system: {'; '.join(ways)}; then {' '.join(names)}",
    )


def parts_of(path: Path) -> Iterator[FlashPart]:
    """Give what lies at multiples of 4 KiB in a file."""
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError):
            return
        with data:
            at, count = 0, 0
            while at < min(len(data), _SEARCHED_BYTES) and count < _PARTS_MAX:
                part = _part(data, at)
                if part is not None:
                    yield part
                    count += 1
                    if part.ending == "ubi":
                        return
                end = at + (part.size_bytes if part else 0)
                # OpenWrt puts the root right behind the kernel (its mtdsplit finds it there).
                if part is not None and end % _STEP_BYTES and _part(data, end) is not None:
                    at = end
                    continue
                at = max(at + _STEP_BYTES, -(-end // _STEP_BYTES) * _STEP_BYTES)


def _part(data: mmap.mmap, at: int) -> FlashPart | None:
    head = data[at : at + 64]
    size = 0
    if head.startswith(device_tree.MAGIC):
        size = int.from_bytes(head[4:8], "big")
        try:
            is_fit = 40 < size <= len(data) - at and fit.is_fit(device_tree.read_tree(data[at : at + size]))
        except UserError:
            return None
        return FlashPart(at, "a FIT image", "itb", size) if is_fit else None
    if head.startswith(uboot_header.MAGIC):
        size = uboot_header.HEADER_BYTES + int.from_bytes(head[12:16], "big")
        foreign = processor.without_machine(data[at : at + uboot_header.HEADER_BYTES + 1])
        name = " ".join(head[32:64].split(b"\0")[0].decode("ascii", "replace").split())
        what = f"an image for U-Boot{f' ({name})' if name.isprintable() and name else ''}"
        return FlashPart(at, what, "uImage", size, foreign) if size <= len(data) - at else None
    if head.startswith(_SQUASHFS):
        size = int.from_bytes(head[40:48], "little")
        return FlashPart(at, "a SquashFS file system", "squashfs", size) if 96 < size <= len(data) - at else None
    if head.startswith(_UBI):
        return FlashPart(at, "UBI's volumes", "ubi")
    return None
