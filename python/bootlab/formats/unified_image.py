# SPDX-License-Identifier: MIT
"""A unified kernel image: kernel, initramfs and command line in one EFI program (Boot Loader Specification, type 2).

Format: https://uapi-group.org/specifications/specs/unified_kernel_image/, in the sections of a PE file.
"""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import os_release
from bootlab.formats.bundle import Bundle
from bootlab.formats.portable_executable import read_pe
from bootlab.formats.whole_file import read_whole

SIZE_MAX_BYTES = 1 << 30
HEAD_MAX_BYTES = 1 << 16
"""As much of a file as tells where its sections are."""


def is_unified(head: bytes) -> bool:
    """Tell by the first bytes whether an EFI program carries a kernel in a section of its own."""
    return ".linux" in _sections(head)


def read(path: Path) -> Bundle:
    """Return the parts of a unified image. Raise UserError when it cannot be read, or was cut off."""
    data = read_whole(path, SIZE_MAX_BYTES, "kernel image", "name the kernel image")
    found = _sections(data[:HEAD_MAX_BYTES])

    def part(name: str) -> bytes:
        start, size = found.get(name, (0, 0))
        if start + size > len(data):
            raise UserError(
                f"{path} is cut off: its section {name} ends at byte {start + size:,}, the file at {len(data):,}",
                hint="copy it again",
            )
        return data[start : start + size]

    name = os_release.read(part(".osrel").decode("utf-8", "replace")).get("PRETTY_NAME", "")
    return Bundle(
        what=f"a unified kernel image{f' of {name}' if name else ''}",
        kernel=part(".linux"),
        initramfs=part(".initrd"),
        device_tree=part(".dtb"),
        cmdline=part(".cmdline").split(b"\0")[0].decode("utf-8", "replace"),
    )


def _sections(head: bytes) -> dict[str, tuple[int, int]]:
    """Return offset and length in the file of each section; nothing where this is no PE file."""
    pe = read_pe(head)
    # The file's length is rounded up; the length in memory is the exact one.
    return {
        one.name: (one.offset_bytes, min(one.file_bytes, one.memory_bytes) if one.memory_bytes else one.file_bytes)
        for one in (pe.sections if pe is not None else ())
    }
