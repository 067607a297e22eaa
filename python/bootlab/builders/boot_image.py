# SPDX-License-Identifier: MIT
"""The file that a machine loads, made of a kernel that was built: with a header, or with a device tree behind it.

Where the kernel's own make would call mkimage, the header is written here: it needs no program, and the load address
is the machine's.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.builders.cache import Cache, key_of
from bootlab.errors import KernelBuildError, UserError
from bootlab.model.board import board, ram_start
from bootlab.model.system import Machine

if TYPE_CHECKING:
    from bootlab.builders.kbuild import BuiltKernel

_VERSION = 1
_FDT_MAGIC = 0xD00DFEED.to_bytes(4, "big")

# U-Boot, include/image.h: struct legacy_img_hdr, and IH_OS_LINUX, IH_ARCH_*, IH_TYPE_KERNEL, IH_COMP_*.
_HEADER = struct.Struct(">IIIIIIIBBBB32s")
_MAGIC = 0x27051956
UIMAGE_MAGIC = _MAGIC.to_bytes(4, "big")
_OS_LINUX, _TYPE_KERNEL, _TYPE_SCRIPT = 5, 2, 6
_ARCH = {"arm": 2, "riscv64": 26}
_PLAIN, _GZIP = 0, 1
# OpenSBI takes the first 2 MiB of RAM, and a 64-bit kernel starts at the next such boundary.
_RISCV_OFFSET = 2 << 20
_ARM_HALF = 0xF0000000


def legacy_header(
    data: bytes, *, load: int, arch: str, gzip: bool = False, name: str = "Linux", entry: int | None = None
) -> bytes:
    """Return U-Boot's legacy header of 64 bytes for a kernel that is copied (or unpacked) to `load`.

    `entry`: where it is entered; None: at its first byte. Its time stays 0, so that equal kernels are equal files.
    """
    return _header(
        data,
        (load, load if entry is None else entry),
        (_OS_LINUX, _ARCH[arch], _TYPE_KERNEL, _GZIP if gzip else _PLAIN),
        name,
    )


def legacy_script(text: bytes, *, arch: str) -> bytes:
    """Return a boot script (boot.scr) with its header: U-Boot wants a table of lengths before the text."""
    data = struct.pack(">II", len(text), 0) + text
    return _header(data, (0, 0), (_OS_LINUX, _ARCH[arch], _TYPE_SCRIPT, _PLAIN), "boot script") + data


def legacy_load(header: bytes) -> int:
    """Return the load address that a legacy header states."""
    return int(_HEADER.unpack_from(header)[4])


def _header(data: bytes, places: tuple[int, int], kinds: tuple[int, int, int, int], name: str) -> bytes:
    facts = (len(data), *places, zlib.crc32(data), *kinds, name.encode()[:31])
    return _HEADER.pack(_MAGIC, zlib.crc32(_HEADER.pack(_MAGIC, 0, 0, *facts)), 0, *facts)


def bootable(built: BuiltKernel, machine: Machine, cache: Cache, *, device_tree: Path | None = None) -> Path:
    """Return the file to boot: the image as it is, unless the machine needs a header or a device tree behind it.

    Raise UserError for a board whose load address is not known, KernelBuildError where no device tree can be appended.
    """
    image = built.image
    kind = built.facts.image
    if device_tree is not None:
        return _appended(image, kind, device_tree, cache)
    if (machine.arch, kind) not in {("arm", "Image"), ("riscv64", "Image.gz")}:
        return image
    load = _load_address(built, machine)

    def make(path: Path) -> None:
        data = image.read_bytes()
        name = f"Linux {built.facts.source}"
        path.write_bytes(legacy_header(data, load=load, arch=machine.arch, gzip=kind.endswith(".gz"), name=name) + data)

    return cache.file(key_of("uimage", _VERSION, cache.digest(image), machine.arch, load), ".uimage", make)


def _appended(image: Path, kind: str, device_tree: Path, cache: Cache) -> Path:
    if kind != "zImage":
        raise KernelBuildError(
            f"a device tree can be appended to a zImage only, not to {kind}", hint="leave kernel.append_device_tree out"
        )

    def make(path: Path) -> None:
        blob = device_tree.read_bytes()
        if not blob.startswith(_FDT_MAGIC):
            raise UserError(f"{device_tree} is not a device tree blob", hint="give a .dtb file, as made by dtc")
        path.write_bytes(image.read_bytes() + blob)

    return cache.file(key_of("appended", _VERSION, cache.digest(image), cache.digest(device_tree)), ".zimage-dtb", make)


def _load_address(built: BuiltKernel, machine: Machine) -> int:
    ram = ram_start(machine)
    if ram is None:
        raise UserError(
            f"the load address of {built.facts.image} on the board {board(machine)} is unknown",
            hint=f"leave kernel.image out: {'zImage' if machine.arch == 'arm' else 'Image'} needs no address",
        )
    if machine.arch != "arm":
        return ram + _RISCV_OFFSET
    # arch/arm/kernel/vmlinux.lds.S: _text is TEXT_OFFSET behind the kernel's half; it runs as far behind RAM's start.
    for line in built.system_map.read_text(encoding="ascii", errors="replace").splitlines():
        words = line.split()
        if words[2:] == ["_text"]:
            text = int(words[0], 16)
            return ram + text - (text & _ARM_HALF)
    raise UserError(f"{built.system_map} has no symbol _text", hint="build the kernel again, or use zImage")
