"""A unified kernel image: kernel, initramfs and command line in one EFI program (Boot Loader Specification, type 2).

Format: https://uapi-group.org/specifications/specs/unified_kernel_image/, in the sections of a PE file.
"""

from __future__ import annotations

import struct
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.sources.whole_file import read_whole

SIZE_MAX_BYTES = 1 << 30
_SECTION = struct.Struct("<8sIIII16x")
_SECTIONS_MAX = 64
_HEAD_MAX_BYTES = 1 << 16


class UnifiedParts(msgspec.Struct, frozen=True):
    """What the image carries; empty where a section is not there."""

    kernel: bytes
    initramfs: bytes
    cmdline: str
    name: str


def is_unified(head: bytes) -> bool:
    """Tell by the first bytes whether an EFI program carries a kernel in a section of its own."""
    return ".linux" in _sections(head)


def read(path: Path) -> UnifiedParts:
    """Return the parts of a unified image. Raise UserError when it cannot be read, or was cut off."""
    data = read_whole(path, SIZE_MAX_BYTES, "kernel image", "name the kernel image")
    found = _sections(data[:_HEAD_MAX_BYTES])

    def part(name: str) -> bytes:
        start, size = found.get(name, (0, 0))
        if start + size > len(data):
            raise UserError(
                f"{path} is cut off: its section {name} ends at byte {start + size:,}, the file at {len(data):,}",
                hint="copy it again",
            )
        return data[start : start + size]

    release = dict(line.partition("=")[::2] for line in part(".osrel").decode("utf-8", "replace").splitlines())
    return UnifiedParts(
        kernel=part(".linux"),
        initramfs=part(".initrd"),
        cmdline=" ".join(part(".cmdline").split(b"\0")[0].decode("utf-8", "replace").split()),
        name=release.get("PRETTY_NAME", "").strip("\"'"),
    )


def _sections(head: bytes) -> dict[str, tuple[int, int]]:
    """Return offset and length in the file of each section; nothing where this is no PE file."""
    if head[:2] != b"MZ" or len(head) < 64:
        return {}
    at = int.from_bytes(head[60:64], "little")
    if head[at : at + 4] != b"PE\0\0":
        return {}
    count = int.from_bytes(head[at + 6 : at + 8], "little")
    table = at + 24 + int.from_bytes(head[at + 20 : at + 22], "little")
    found = {}
    for index in range(min(count, _SECTIONS_MAX)):
        piece = head[table + 40 * index : table + 40 * index + _SECTION.size]
        if len(piece) < _SECTION.size:
            break
        name, memory, _, size, start = _SECTION.unpack(piece)
        # The file's length is rounded up; the length in memory is the exact one.
        found[name.rstrip(b"\0").decode("ascii", "replace")] = (start, min(size, memory) if memory else size)
    return found
