# SPDX-License-Identifier: MIT
"""UEFI on a PC: the firmware, the EFI program that it starts, and the kernel as an EFI program of its own."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import msgspec

from bootlab import _core
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.loader import partition
from bootlab.builders.loader.commands import INITRAMFS_FILE, KERNEL_FILE
from bootlab.errors import UserError
from bootlab.formats.portable_executable import COFF_BYTES, SECTION_BYTES, read_pe
from bootlab.model.boot_loader import Loader

_VERSION = 1
PARTITION_BYTES = 1 << 20
# UEFI 2.10, 3.5.1.1: what a firmware starts from a medium that nobody told it of.
_PROGRAM_FILE = "EFI/BOOT/BOOTX64.EFI"
_PAGE_BYTES = 4096
_KNOWN_BYTES = 32
# Documentation/arch/x86/boot.rst; arch/x86/boot/compressed/head_64.S: startup_64 is 0x200 behind startup_32.
_SETUP_SECTORS_AT, _HEADER_AT, _HEADER_MAGIC, _START_64 = 0x1F1, 0x202, b"HdrS", 0x200
# Fields of the optional header: Microsoft's PE format.
_SECTION_ALIGN_AT, _IMAGE_SIZE_AT, _HEADERS_SIZE_AT = 32, 56, 60
# CNT_INITIALIZED_DATA | MEM_READ
_DATA = 0x40000040


def code(data: bytes, at: int, address: int) -> str:
    """Return code as the plugin's argument names it: where in a page it lies, and its first bytes."""
    return f"{address % _PAGE_BYTES:#x}:{data[at : at + _KNOWN_BYTES].hex()}"


def codes(loader: Loader, kernel: Path) -> dict[str, str]:
    """Return the first instructions of the parts by the names of their marks. Raise UserError, OSError.

    The firmware loads them wherever there is room: they are known by their bytes.
    """
    found: dict[str, str] = {}
    if loader.program is not None:
        program = Path(loader.program).read_bytes()
        pe = read_pe(program)
        at = None if pe is None else pe.offset(pe.entry)
        if pe is None or at is None:
            raise UserError(
                f"{loader.program} is not an EFI program",
                hint="Debian's package systemd-boot-efi has some in /usr/lib/systemd/boot/efi",
            )
        found["efi-program"] = code(program, at, pe.entry)
    data = kernel.read_bytes()
    pe = read_pe(data)
    at = None if pe is None else pe.offset(pe.entry)
    if pe is None or at is None or data[_HEADER_AT : _HEADER_AT + 4] != _HEADER_MAGIC:
        raise UserError(
            f"{kernel} has no EFI stub, so a UEFI cannot start it",
            hint="give a bzImage that was built with CONFIG_EFI_STUB=y",
        )
    found["efi-stub"] = code(data, at, pe.entry)
    start = (data[_SETUP_SECTORS_AT] + 1) * 512 + _START_64
    found["decompression"] = code(data, start, start)
    return found | _unpacked(data)


def _unpacked(image: bytes) -> dict[str, str]:
    """Return the first instruction of the kernel inside; nothing where it cannot be had."""
    try:
        elf = _core.kernel_extract_vmlinux(image)
        facts: dict[str, Any] = msgspec.json.decode(_core.kernel_inspect(elf)).get("elf") or {}
    except ValueError:
        return {}
    entry = facts.get("entry", 0)
    for segment in facts.get("segments") or ():
        inside = entry - segment["physical_address"]
        if 0 <= inside < segment["file_size_bytes"]:
            return {"kernel-image": code(elf, segment["file_offset_bytes"] + inside, entry)}
    return {}


def entry_file(parts: partition.PcBoot, wait_s: int) -> dict[str, bytes]:
    """Return systemd-boot's two files: its settings and the one entry."""
    lines = ["title Linux", f"linux /{KERNEL_FILE}"]
    lines += [f"initrd /{INITRAMFS_FILE}"] if parts.initramfs is not None else []
    entry = "\n".join([*lines, f"options {parts.cmdline}"]) + "\n"
    settings = f"timeout {wait_s}\ndefault linux.conf\n"
    return {"loader/loader.conf": settings.encode(), "loader/entries/linux.conf": entry.encode()}


def disk(loader: Loader, parts: partition.PcBoot, cache: Cache) -> Path:
    """Return a disk with the program, its entry, kernel and initramfs on a FAT, from the cache or made.

    Raise ToolMissing, EnvironmentFault, UserError, OSError.
    """
    program = Path(loader.program or "")
    digests = [None if path is None else cache.digest(path) for path in (program, parts.kernel, parts.initramfs)]
    key = key_of("uefi-disk", _VERSION, digests, parts.cmdline, loader.wait_s)

    def make(path: Path) -> None:
        files = {_PROGRAM_FILE: program.read_bytes(), KERNEL_FILE: parts.kernel.read_bytes()}
        files |= entry_file(parts, loader.wait_s)
        if parts.initramfs is not None:
            files[INITRAMFS_FILE] = parts.initramfs.read_bytes()
        partition.make_table(path, PARTITION_BYTES, sum(len(data) for data in files.values()))
        partition.fill(path, PARTITION_BYTES, files)

    return cache.file(key, ".disk", make)


def unified(loader: Loader, parts: partition.PcBoot, cache: Cache) -> Path:
    """Return one EFI program of systemd's stub, kernel, initramfs and command line, from the cache or made."""
    program = Path(loader.program or "")
    digests = [None if path is None else cache.digest(path) for path in (program, parts.kernel, parts.initramfs)]
    key = key_of("uefi-unified", _VERSION, digests, parts.cmdline)

    def make(path: Path) -> None:
        sections = {".cmdline": parts.cmdline.encode(), ".linux": parts.kernel.read_bytes()}
        if parts.initramfs is not None:
            sections[".initrd"] = parts.initramfs.read_bytes()
        path.write_bytes(with_sections(program.read_bytes(), sections))

    return cache.file(key, ".efi", make)


def with_sections(program: bytes, sections: dict[str, bytes]) -> bytes:
    """Return an EFI program with data sections added behind its own. Raise UserError for one without room for them."""
    pe = read_pe(program)
    if pe is None:
        raise UserError("this is not an EFI program", hint="Debian: /usr/lib/systemd/boot/efi/linuxx64.efi.stub")
    data = bytearray(program)
    fields = pe.header + COFF_BYTES
    align, file_align = struct.unpack_from("<II", data, fields + _SECTION_ALIGN_AT)
    (headers,) = struct.unpack_from("<I", data, fields + _HEADERS_SIZE_AT)
    row = pe.table + SECTION_BYTES * len(pe.sections)
    if row + SECTION_BYTES * len(sections) > min(headers, *(old.offset_bytes for old in pe.sections if old.file_bytes)):
        raise UserError(
            "the EFI program has no room for further sections in its header",
            hint="Debian: /usr/lib/systemd/boot/efi/linuxx64.efi.stub",
        )
    address = max(old.address + max(old.memory_bytes, old.file_bytes) for old in pe.sections)
    for name, content in sections.items():
        address = -(-address // align) * align
        data += bytes(-len(data) % file_align)
        at, count = len(data), -(-len(content) // file_align) * file_align
        struct.pack_into("<8sIIII12xI", data, row, name.encode(), len(content), address, count, at, _DATA)
        data += content.ljust(count, b"\0")
        address, row = address + len(content), row + SECTION_BYTES
    struct.pack_into("<H", data, pe.header + 6, len(pe.sections) + len(sections))
    struct.pack_into("<I", data, fields + _IMAGE_SIZE_AT, -(-address // align) * align)
    return bytes(data)
