# SPDX-License-Identifier: MIT
"""What the SPL loads in falcon mode: one image with kernel and initramfs, and the device tree."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from bootlab.builders.boot_image import UIMAGE_MAGIC, legacy_header, legacy_load
from bootlab.errors import UserError
from bootlab.model.boot_loader import LoaderBoard

_HEADER_BYTES = 64
_PAGE_BYTES = 4096


class FalconImage(msgspec.Struct, frozen=True, kw_only=True):
    """Where the image goes in RAM, where the kernel in it is entered, and where the initramfs begins and ends."""

    load: int
    entry: int
    initramfs: tuple[int, int] | None


def place(board: LoaderBoard, kernel: Path, initramfs: Path | None, *, span_bytes: int | None) -> FalconImage:
    """Say where all goes. `span_bytes`: how long a kernel is in memory that is not packed. Raise UserError, OSError.

    The initramfs of a packed kernel lies before it, that of a plain one behind it and its variables.
    """
    size = initramfs.stat().st_size if initramfs is not None else 0
    with kernel.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not _is_legacy(header):
        load = board.kernel_address - _paged(size)
        return FalconImage(
            load=load, entry=board.kernel_address, initramfs=(load, load + size) if initramfs is not None else None
        )
    load = legacy_load(header)
    if initramfs is None:
        return FalconImage(load=load, entry=load, initramfs=None)
    if span_bytes is None:
        raise UserError(
            "where the kernel ends in memory is unknown, so the initramfs cannot be placed after it",
            hint='name its System.map: [kernel] symbols = "System.map"; or boot a zImage',
        )
    start = load + _paged(span_bytes)
    return FalconImage(load=load, entry=load, initramfs=(start, start + size))


def image(found: FalconImage, kernel: bytes, initramfs: bytes | None, tree: bytes | None, *, arch: str) -> bytes:
    """Return the image with its header. `tree`: the device tree that stands behind a packed kernel."""
    plain = _is_legacy(kernel)
    body = kernel[_HEADER_BYTES:] if plain else kernel + (tree or b"")
    if initramfs is not None and found.initramfs is not None:
        gap = found.initramfs[0] - found.load - len(body) if plain else 0
        if gap < 0:
            raise UserError(
                "the kernel is longer than its symbols say", hint="does kernel.symbols belong to this kernel?"
            )
        body = body + bytes(gap) + initramfs if plain else initramfs.ljust(found.entry - found.load, b"\0") + body
    return legacy_header(body, load=found.load, entry=found.entry, arch=arch) + body


def sealed(tree: bytes) -> bytes:
    """Return a device tree with its checksum behind it, at the next word, as bootlab's SPL compares it."""
    return tree.ljust(-(-len(tree) // 4) * 4, b"\0") + zlib.crc32(tree).to_bytes(4, "big")


def _is_legacy(data: bytes) -> bool:
    return data.startswith(UIMAGE_MAGIC)


def _paged(size: int) -> int:
    return -(-size // _PAGE_BYTES) * _PAGE_BYTES
