# SPDX-License-Identifier: MIT
"""Android's boot images: `boot.img` of the versions 0 to 4, and `vendor_boot.img`, the other half of the newer ones.

Format: https://source.android.com/docs/core/architecture/bootloader/boot-image-header (system/tools/mkbootimg).
"""

from __future__ import annotations

import itertools
from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import board_trees
from bootlab.formats.bundle import Bundle
from bootlab.formats.whole_file import read_whole

MAGICS = (b"ANDROID!", b"VNDRBOOT")
SIZE_MAX_BYTES = 1 << 30
_LEAST_BYTES = 2128
_VERSION_MAX, _GENERIC_SINCE = 4, 3
# Vendors put the length of their device trees where the version stands since version 1.
_PAGES = tuple(1 << bits for bits in range(11, 18))
_GENERIC_PAGE_BYTES = 4096
_KERNEL_ELSEWHERE = "the kernel is in boot.img: --from boot.img before this one"


def is_android(head: bytes) -> bool:
    """Tell by the first bytes whether a file is one of the two."""
    return head.startswith(MAGICS)


def read(path: Path) -> Bundle:
    """Return kernel, ramdisk, device tree and command line. Raise UserError for what is cut off or of no version."""
    data = read_whole(path, SIZE_MAX_BYTES, "Android boot image", "is it the file you mean?")
    if len(data) < _LEAST_BYTES:
        raise UserError(f"{path} is cut off inside the header of an Android boot image", hint="copy it again")
    if data.startswith(MAGICS[1]):
        return _vendor(path, data)
    version = _number(data, 40)
    if version in range(_GENERIC_SINCE, _VERSION_MAX + 1):
        kernel, ramdisk = _parts(path, data, _GENERIC_PAGE_BYTES, 1, (_number(data, 8), _number(data, 12)))
        lacks = {"vendor": "its device tree, and the modules of its drivers, are in vendor_boot.img: --from it too"}
        # Since Android 13 the ramdisk has an image of its own, init_boot.img, which has the same header and no kernel.
        if not ramdisk:
            lacks["initramfs"] = "the first program may be in init_boot.img: --from init_boot.img too"
        if not kernel:
            lacks["kernel"] = _KERNEL_ELSEWHERE
        line = _text(data[44 : 44 + 1536])
        what = _what(version)
        return Bundle(what=what, kernel=kernel, initramfs=ramdisk, cmdline=line, lacks=lacks, half="generic")
    version = version if version < _GENERIC_SINCE else 0
    page = _number(data, 36)
    if page not in _PAGES:
        raise UserError(f"{path} has a header of an Android boot image that makes no sense", hint="copy it again")
    sizes = [_number(data, at) for at in (8, 16, 24)]
    sizes += [_number(data, 1632) if version >= 1 else 0, _number(data, 1648) if version >= 2 else 0]
    # Before version 1, Qualcomm's table of device trees follows, and its length stands in the place of the version.
    qualcomm = _number(data, 40) if version == 0 and _number(data, 40) > _VERSION_MAX else 0
    sizes[3] = qualcomm or sizes[3]
    kernel, ramdisk, second, third, tree = _parts(path, data, page, 1, sizes)
    line = f"{_text(data[64 : 64 + 512])}{_text(data[608 : 608 + 1024])}"
    own = third if third.startswith(board_trees.TABLE) else second if second.startswith(board_trees.RESOURCES) else tree
    chosen = board_trees.of_container(own, path.name) if own else board_trees.BoardTrees()
    notes = (chosen.note,) if chosen.note else ()
    return Bundle(
        what=_what(version), kernel=kernel, initramfs=ramdisk, device_tree=chosen.tree, cmdline=line, notes=notes
    )


def _vendor(path: Path, data: bytes) -> Bundle:
    version, page = _number(data, 8), _number(data, 12)
    if page not in _PAGES:
        raise UserError(f"{path} has a header of an Android boot image that makes no sense", hint="copy it again")
    header_pages = -(-_number(data, 2096) // page)
    ramdisk, tree = _parts(path, data, page, header_pages, (_number(data, 24), _number(data, 2100)))
    what = f"an Android vendor_boot image of version {version}"
    line = _text(data[28 : 28 + 2048])
    lacks = {"kernel": _KERNEL_ELSEWHERE}
    return Bundle(what=what, initramfs=ramdisk, device_tree=tree, cmdline=line, lacks=lacks, half="vendor")


def _parts(path: Path, data: bytes, page: int, first: int, sizes: list[int] | tuple[int, ...]) -> list[bytes]:
    """Return parts that follow each other, each from a page of its own."""
    pages = (-(-size // page) * page for size in sizes)
    starts = list(itertools.accumulate(pages, initial=first * page))
    end = max(start + size for start, size in zip(starts, sizes, strict=False))
    if end > len(data):
        raise UserError(
            f"{path} is cut off: {len(data):,} of {end:,} bytes of an Android boot image are there",
            hint="copy it again",
        )
    return [data[start : start + size] for start, size in zip(starts, sizes, strict=False)]


def _what(version: int) -> str:
    return f"an Android boot image of version {version}"


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _text(data: bytes) -> str:
    return data.split(b"\0")[0].decode("utf-8", "replace")
