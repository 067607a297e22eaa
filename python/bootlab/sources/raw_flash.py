# SPDX-License-Identifier: MIT
"""A dump of flash without a partition table: what lies in it, where, and the command that takes each part out.

Which part of flash is which stands in the loader, or on the kernel's line (mtdparts=), and nowhere in the dump.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import UserError
from bootlab.formats import device_tree, fit, magics, processor, ubi, uboot_header
from bootlab.sources.kernel_image import is_kernel

_STEP_BYTES = 4096
_SEARCHED_BYTES = 512 << 20
_PARTS_MAX = 6
_SQUASHFS, _UBI, _UBIFS = b"hsqs", ubi.BLOCK_MAGIC, b"\x31\x18\x10\x06"
_TRX, _CHK = b"HDR0", b"*#$^"
# OpenWrt's tools/firmware-utils: mktplinkfw.c writes the version of its head and the maker's name.
_TPLINK = b"\0\0\0\1TP-LINK Technologies"
_TPLINK_PLACES_AT, _TPLINK_SIZE_BYTES = 0x80, 0x200
ROUTERS = (_TRX, _CHK, _TPLINK)
"""What routers' updates begin with: Broadcom's TRX, Netgear's and TP-Link's heads."""
HEADS = (*ROUTERS, _UBI)
"""What begins with parts of flash that lie in an order of its own."""
_LOADER = "loader.itb"
# OpenWrt's libfstools mounts it over the root; its systems for rescue are called so.
_OVERLAY, _RESCUE = "rootfs_data", re.compile("recovery|rescue")
_OVERLAY_IS = f" ({_OVERLAY} is what OpenWrt lays over its root: no system)"
KERNELS = frozenset({"itb", "uImage", "lzma", "kernel"})
"""The endings of the parts that are a kernel."""


class FlashPart(msgspec.Struct, frozen=True):
    """A part of a dump. `size_bytes`: 0 where it goes to the end. `ending`: of the file that is made of it.

    `foreign`: the processor that it is for, where bootlab has no machine with it. `spans`: where its pieces lie, as
    (first byte, length), for a volume of UBI's.
    """

    at_bytes: int
    what: str
    ending: str
    size_bytes: int = 0
    foreign: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def refusal(path: Path) -> UserError | None:
    """Return what is said of a dump of flash; None for a file in which nothing of a system was found."""
    parts = list(parts_of(path))
    if not parts:
        return None
    listed = ", ".join(f"{part.what} at {part.at_bytes:,}" for part in parts)
    foreign = next((part.foreign for part in parts if part.foreign), "")
    ways = commands(path, parts)
    given = {f"--from {_name(number, part)}": part for number, part in enumerate(parts) if not part.spans}
    names = [name for name, part in given.items() if part.ending != _LOADER]
    choices = [" ".join([*names, *volumes]) for volumes in _volumes_given(parts)] or [" ".join(names)]
    with path.open("rb") as file:
        is_update = file.read(64).startswith(ROUTERS)
    kind = "an update for a router" if is_update else "a dump of flash without a partition table"
    kind = "an image of raw flash (UBI)" if parts[0].spans else kind
    what = f"{path} is {kind}: it has {listed} (bytes from its begin)"
    if foreign:
        roots = [name for name, part in given.items() if part.ending == "squashfs"]
        unpacked = f"take the parts out: {'; '.join(ways)}; unsquashfs unpacks {roots[0].split()[1]}. " if roots else ""
        return UserError(
            f"{what}; its kernel is for {foreign}: {processor.UNSUPPORTED}",
            hint=f"{unpacked}Or give a build of the same system for a processor that bootlab has; {processor.WAY_OUT}",
        )
    return UserError(
        what,
        hint=f"take the parts out, and give those of one system: {'; '.join(ways)}; then {', or '.join(choices)}"
        f"{_OVERLAY_IS if any(_is_overlay(part) for part in parts) else ''}",
    )


def _volume_name(part: FlashPart) -> str:
    return part.what.rpartition(" ")[2]


def _is_overlay(part: FlashPart) -> bool:
    return bool(part.spans) and _volume_name(part) == _OVERLAY


def _volumes_given(parts: list[FlashPart]) -> list[list[str]]:
    """Return what of UBI's volumes is given together, one list for each kernel; the one for rescue comes last."""
    own = [part for part in parts if part.spans and not _is_overlay(part) and part.ending != _LOADER]
    alone = all(part.ending == "ubifs" for part in parts)
    roots = [
        f"--from files/*/{_volume_name(part)}" if alone else f"--from files/img-*_vol-{_volume_name(part)}.ubifs"
        for part in own
        if part.ending == "ubifs"
    ][:1]
    roots = roots or [_volume_file(part, "--from ") for part in own if part.ending == "squashfs"][:1]
    kernels = [part for part in own if part.ending in KERNELS]
    kernels.sort(key=lambda part: bool(_RESCUE.search(_volume_name(part))))
    if not kernels:
        return [roots] if roots else []
    return [[_volume_file(part, "--from "), *roots] for part in kernels]


def _volume_file(part: FlashPart, before: str = "") -> str:
    """Return the file that ubi_reader makes of a volume (ubireader_extract_images.py)."""
    return f"{before}volumes/*/img-*_vol-{_volume_name(part)}.ubifs"


def commands(path: Path, parts: list[FlashPart], beside: list[FlashPart] | None = None) -> list[str]:
    """Return the commands that take parts out; `beside`: what else lies there."""
    ways = []
    package = "(pipx install ubi_reader)"
    if parts and all(part.ending == "ubifs" for part in [*parts, *(beside or [])]):
        ways.append(f"ubireader_extract_files -o files {path}   {package}")
    elif any(part.spans for part in parts):
        # The other command ends at the first volume that is no UBIFS.
        ways.append(f"ubireader_extract_images -o volumes {path}   {package}")
        files = [part for part in parts if part.spans and part.ending == "ubifs" and not _is_overlay(part)]
        ways += [f"ubireader_extract_files -o files {_volume_file(part)}" for part in files]
    for number, part in enumerate(parts):
        if part.spans:
            continue
        count = f" count={part.size_bytes}" if part.size_bytes else ""
        name = _name(number, part)
        ways.append(f"dd if={path} of={name} bs=1M iflag=skip_bytes,count_bytes skip={part.at_bytes}{count}")
    return ways


def _name(number: int, part: FlashPart) -> str:
    return f"part{number}.{part.ending}"


def parts_of(path: Path) -> Iterator[FlashPart]:
    """Give what lies at multiples of 4 KiB in a file."""
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError):
            return
        with data:
            at, count, logs = 0, 0, 0
            for own in _of_update(data, 0):
                yield own
                count, at = count + 1, -(-(own.at_bytes + max(own.size_bytes, 1)) // _STEP_BYTES) * _STEP_BYTES
            while at < min(len(data), _SEARCHED_BYTES) and count < _PARTS_MAX:
                part = _part(data, at)
                if part is not None and part.ending == "jffs2":
                    # Each of its blocks begins so.
                    logs += 1
                    part = part if logs == 1 else None
                volumes = ubi.read(data, at) if part is not None and part.ending == "ubi" else None
                if volumes is not None:
                    found = [made for one in volumes.volumes if (made := _volume(data, one)) is not None]
                    yield from found
                    count, at = count + len(found), volumes.end_bytes
                    continue
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


def _volume(data: mmap.mmap, volume: ubi.UbiVolume) -> FlashPart | None:
    """Return a volume of UBI's as a part; None for an empty one."""
    start, length = volume.spans[0]
    head = data[start : start + min(length, 64)]
    size = sum(length for _, length in volume.spans)
    name = volume.name if volume.name.isprintable() else "?"
    if head.startswith(_UBIFS):
        return FlashPart(start, f"UBIFS in UBI's volume {name}", "ubifs", size, spans=volume.spans)
    kinds = (
        (device_tree.MAGIC, "a FIT image", "itb"),
        (uboot_header.MAGIC, "an image for U-Boot", "uImage"),
        (_SQUASHFS, "a SquashFS file system", "squashfs"),
    )
    for magic, what, ending in kinds:
        if head.startswith(magic):
            whole = data[start : start + uboot_header.HEADER_BYTES + 1]
            foreign = processor.without_machine(whole) if ending == "uImage" else ""
            return FlashPart(start, f"{what} in UBI's volume {name}", ending, size, foreign, volume.spans)
    if is_kernel(data[start : start + min(length, 0x1000)]):
        return FlashPart(start, f"a kernel in UBI's volume {name}", "kernel", size, spans=volume.spans)
    return None


def _of_update(data: mmap.mmap, at: int) -> list[FlashPart]:
    """Return the parts behind the head of a router's update, by the places that it names."""
    head = data[at : at + 0x90]
    if head.startswith(_CHK):
        # tools/firmware-utils/src/mkchkimg.c: the length of the head, big-endian, behind its first word.
        behind = at + int.from_bytes(head[4:8], "big")
        return _of_update(data, behind) if at < behind < len(data) and data[behind : behind + 4] == _TRX else []
    if head.startswith(_TRX):
        # include/trx.h of Broadcom: length, checksum, flags and version, then three places; they count from the head.
        places = [int.from_bytes(head[place : place + 4], "little") for place in (16, 20, 24)]
        ends = [*(place for place in places[1:] if place), int.from_bytes(head[4:8], "little")]
        spans = [(place, end - place) for place, end in zip([p for p in places if p], ends, strict=False)]
    elif head.startswith(_TPLINK):
        numbers = [int.from_bytes(head[place : place + 4], "big") for place in range(_TPLINK_PLACES_AT, 0x90, 4)]
        spans = [(numbers[0], numbers[1]), (numbers[2], numbers[3])]
    else:
        return []
    found = []
    for place, size in spans:
        start = at + place
        part = _part(data, start) if 0 < size <= len(data) - start else None
        if part is None and 0 < size <= len(data) - start and data[start : start + 3] == magics.LZMA[:3]:
            part = FlashPart(start, "a kernel packed with LZMA", "lzma", size)
        found += [part] if part is not None else []
    return found


def _part(data: mmap.mmap, at: int) -> FlashPart | None:
    head = data[at : at + 64]
    size = 0
    if head.startswith(device_tree.MAGIC):
        return _fit(data, at)
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
    if _is_jffs2(head):
        return FlashPart(at, "a JFFS2 file system", "jffs2")
    return None


def _is_jffs2(head: bytes) -> bool:
    """Tell whether a node of JFFS2 begins (include/uapi/linux/jffs2.h): two bytes, its kind, its length, a checksum."""
    order: Literal["little", "big"] | None = {b"\x85\x19": "little", b"\x19\x85": "big"}.get(head[:2])  # type: ignore[assignment]
    # The kernel's crc32 begins with zeros, and does not turn the bits at the end.
    return order is not None and int.from_bytes(head[8:12], order) == zlib.crc32(head[:8], 0xFFFFFFFF) ^ 0xFFFFFFFF


def _fit(data: mmap.mmap, at: int) -> FlashPart | None:
    size = int.from_bytes(data[at + 4 : at + 8], "big")
    try:
        is_fit = 40 < size <= len(data) - at and fit.is_fit(device_tree.read_tree(data[at : at + size]))
    except UserError:
        return None
    if is_fit and not fit.has_kernel(data[at : at + size]):
        return FlashPart(at, "a FIT image without a kernel, as of a boot loader", _LOADER, size)
    return FlashPart(at, "a FIT image", "itb", size) if is_fit else None
