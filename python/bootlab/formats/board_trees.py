# SPDX-License-Identifier: MIT
"""Device trees in files that are no device trees: behind a packed kernel, in Rockchip's and Qualcomm's containers.

Behind a kernel: Documentation/arch/arm/booting (CONFIG_ARM_APPENDED_DTB) and Android's `Image.gz-dtb`. Rockchip's
resource.img: u-boot, arch/arm/mach-rockchip/resource_img.c. Qualcomm's table: lk, platform/msm_shared/dev_tree.h.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import msgspec

from bootlab.errors import UserError
from bootlab.formats import device_tree, magics, uboot_header

RESOURCES, TABLE = b"RSCE", b"QCDT"
_TREES_MAX = 200
_ZIMAGE = b"\x18\x28\x6f\x01"
# arch/arm64/include/asm/image.h
_ARM64_AT, _ARM64 = 0x38, b"ARM\x64"
_BLOCK = 512
_HEAD_BYTES, _SEARCHED_BYTES, _PIECE_BYTES = 40, 16 << 20, 16 << 20
_ROCKCHIP_NAME = "rk-kernel.dtb"
# Words of an entry in Qualcomm's table, by its version.
_WORDS = {1: 5, 2: 6, 3: 10}


class BoardTrees(msgspec.Struct, frozen=True):
    """What was found: the one device tree, or a note of several, of which the board's loader takes one."""

    tree: bytes = b""
    note: str = ""


def behind_kernel(data: bytes, name: str) -> BoardTrees:
    """Return the device tree that stands behind a zImage or a kernel packed with gzip."""
    if data.startswith(uboot_header.MAGIC):
        data = data[uboot_header.HEADER_BYTES :]
    if data[0x24:0x28] == _ZIMAGE and len(data) > _HEAD_BYTES * 2:
        start, end = struct.unpack_from("<II", data, 0x28)
        rest = data[end - start :] if end > start else b""
    elif data.startswith(magics.GZIP) and device_tree.MAGIC in data[-_SEARCHED_BYTES:]:
        packed, left = zlib.decompressobj(31), data
        try:
            while not packed.eof and (packed.decompress(left, _PIECE_BYTES) or packed.unconsumed_tail):
                left = packed.unconsumed_tail
        except zlib.error:
            return BoardTrees()
        rest = packed.unused_data
    elif data[_ARM64_AT : _ARM64_AT + len(_ARM64)] == _ARM64:
        rest = _at_end(data)
    else:
        return BoardTrees()
    return _one_of(list(_following(rest)), f"behind the kernel in {name}")


def of_container(data: bytes, name: str) -> BoardTrees:
    """Return the device tree of a container of Rockchip's or Qualcomm's, or of trees that follow each other."""
    if len(data) < _HEAD_BYTES:
        return BoardTrees()
    if data.startswith(RESOURCES):
        found = dict(_resources(data))
        own = found.get(_ROCKCHIP_NAME)
        return BoardTrees(own) if own is not None else _one_of(list(found.values()), f"in {name}")
    if data.startswith(TABLE):
        return _one_of(list(_table(data)), f"in {name} (QCDT)")
    return _one_of(list(_following(data)), f"in {name}")


def _one_of(trees: list[bytes], where: str) -> BoardTrees:
    trees = list(dict.fromkeys(trees))
    if len(trees) <= 1:
        return BoardTrees(trees[0] if trees else b"")
    models = [model for tree in trees[:4] if (model := _model(tree))]
    listed = f" ({', '.join(models)}{' and more' if len(trees) > len(models) else ''})" if models else ""
    note = (
        f"{len(trees)} device trees lie {where}{listed}: the board's loader takes one of them, and none is taken here: "
    )
    return BoardTrees(note=f"{note}cut yours out, and name it with --from")


def _model(tree: bytes) -> str:
    try:
        return device_tree.read_tree(tree).text("model")
    except UserError:
        return ""


def _at_end(data: bytes) -> bytes:
    """Return the device trees that go to the end of a kernel: its own, built in, lie before its end."""
    at = data.find(device_tree.MAGIC, max(_HEAD_BYTES, len(data) - _SEARCHED_BYTES))
    while at >= 0:
        trees = list(_following(data[at:]))
        rest = data[at:].rpartition(trees[-1])[2] if trees else b"\1"
        if not rest.strip(b"\0"):
            return data[at:]
        at = data.find(device_tree.MAGIC, at + 1)
    return b""


def _following(data: bytes) -> Iterator[bytes]:
    """Give device trees that follow each other, with a few bytes that align them between."""
    at, count = 0, 0
    while count < _TREES_MAX and (at := data.find(device_tree.MAGIC, at, at + _BLOCK * 8)) >= 0:
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if not _HEAD_BYTES < size <= len(data) - at:
            return
        yield data[at : at + size]
        at, count = at + size, count + 1


def _resources(data: bytes) -> Iterator[tuple[str, bytes]]:
    header_blocks, table_at, entry_blocks, count = data[8], data[9], data[10], int.from_bytes(data[12:16], "little")
    for number in range(min(count, _TREES_MAX)):
        at = _BLOCK * (max(table_at, header_blocks) + number * entry_blocks)
        entry = data[at : at + _BLOCK]
        if entry[:4] != b"ENTR":
            return
        name = entry[4:224].split(b"\0")[0].decode("utf-8", "replace")
        start, size = struct.unpack_from("<II", entry, 260)
        if name.endswith(".dtb"):
            yield name, data[start * _BLOCK : start * _BLOCK + size]


def _table(data: bytes) -> Iterator[bytes]:
    version, count = struct.unpack_from("<II", data, 4)
    words = _WORDS.get(version, 0)
    for number in range(min(count, _TREES_MAX) if words else 0):
        at = 12 + 4 * words * number
        if at + 4 * words > len(data):
            return
        start, size = struct.unpack_from("<II", data, at + 4 * (words - 2))
        if data[start : start + 4] == device_tree.MAGIC:
            yield data[start : start + min(size, int.from_bytes(data[start + 4 : start + 8], "big"))]
