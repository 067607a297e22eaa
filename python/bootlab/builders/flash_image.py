# SPDX-License-Identifier: MIT
"""The flash bank of a machine that starts from flash: bootlab's loader, the kernel, the initramfs."""

from __future__ import annotations

import struct
from pathlib import Path

from bootlab import _core
from bootlab.builders import guest_program
from bootlab.builders.cache import Cache, key_of
from bootlab.data import source_folder
from bootlab.errors import EnvironmentFault, UserError
from bootlab.model.flash_layout import FlashLayout, entry
from bootlab.model.system import FlashStart

_VERSION = 2
_TABLE_OFFSET = 4
_MAGIC = b"BLFL"
_FLAGS = ("-nostdlib", "-nostartfiles", "-static", "-Wl,-Ttext=0", "-Wl,--build-id=none")


def flash_image(place: FlashLayout, start: FlashStart, kernel: Path, initramfs: Path | None, cache: Cache) -> Path:
    """Return the bank's contents as a file of the bank's size. Raise UserError for what does not fit into it."""
    code = loader_code(place)
    initramfs_bytes = initramfs.stat().st_size if initramfs is not None else 0
    kernel_bytes = kernel.stat().st_size
    if place.kernel + kernel_bytes > place.initramfs:
        raise UserError(
            f"{kernel} does not fit into flash: it has {kernel_bytes} bytes; there is room for "
            f"{place.initramfs - place.kernel}",
            hint="build a smaller kernel",
        )
    room = place.bank + place.bank_bytes - place.initramfs
    if initramfs_bytes > min(room, place.ram + (place.least_ram_mib << 20) - place.initramfs_to):
        raise UserError(
            f"{initramfs} does not fit into the flash and RAM: {initramfs_bytes} bytes", hint="make it smaller"
        )
    key = key_of(
        "flash", _VERSION, place.arch, code, start, cache.digest(kernel), cache.digest(initramfs) if initramfs else ""
    )

    def make(path: Path) -> None:
        copied = kernel_bytes if start in {"copied", "unpacked"} else 0
        table = struct.pack(
            "<4s9I",
            _MAGIC,
            place.device_tree_from,
            place.device_tree,
            place.initramfs,
            place.initramfs_to,
            initramfs_bytes,
            place.kernel,
            entry(place, start),
            copied,
            entry(place, start),
        )
        with path.open("wb") as file:
            file.write(code[:_TABLE_OFFSET] + table + code[_TABLE_OFFSET + len(table) :])
            # What is between stays zero: a RISC-V kernel reads behind its end before its first page table.
            file.seek(place.kernel - place.bank)
            file.write(kernel.read_bytes())
            if initramfs is not None:
                file.seek(place.initramfs - place.bank)
                file.write(initramfs.read_bytes())
            file.truncate(place.bank_bytes)

    return cache.file(key, ".flash", make)


def loader_code(place: FlashLayout) -> bytes:
    """Return the loader's instructions, linked to address 0. Raise ToolMissing or EnvironmentFault."""
    source = source_folder("loader", place.loader) / place.loader
    elf = guest_program.build(
        "flash-loader", [source], place.arch, _FLAGS, needed_for="to build the loader that starts from flash"
    )
    code = _first_segment(elf.read_bytes())
    if code[_TABLE_OFFSET : _TABLE_OFFSET + len(_MAGIC)] != _MAGIC:
        raise EnvironmentFault(f"the loader {elf} is damaged", hint=f"rm {elf}")
    return code


def _first_segment(elf: bytes) -> bytes:
    """Return what the program header puts at address 0 (the linker may have put the file's own head in front)."""
    for address, place, length, _ in _core.elf_segments(elf):
        if address == 0:
            return elf[place : place + length]
    raise EnvironmentFault("the linker put the loader elsewhere", hint="is the cross compiler Debian's?")
