# SPDX-License-Identifier: MIT
"""A unified kernel image: kernel, initramfs and command line in one EFI program (Boot Loader Specification, type 2).

Format: https://uapi-group.org/specifications/specs/unified_kernel_image/, in the sections of a PE file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import os_release
from bootlab.formats.bundle import Bundle
from bootlab.formats.portable_executable import read_pe
from bootlab.formats.whole_file import read_whole

SIZE_MAX_BYTES = 1 << 30
HEAD_MAX_BYTES = 1 << 16
"""As much of a file as tells where its sections are."""
_TEXT_MAX_BYTES = 1 << 16
_VERSIONS = ("IMAGE_VERSION", "VERSION", "VERSION_ID", "BUILD_ID")


class SystemOfImage(msgspec.Struct, frozen=True):
    """What an image says of itself without its kernel. `profiles`: the title of each, the first being the usual one."""

    sort_key: str = ""
    version: str = ""
    profiles: tuple[str, ...] = ("",)


def is_unified(head: bytes) -> bool:
    """Tell by the first bytes whether an EFI program carries a kernel in a section of its own."""
    return ".linux" in _sections(head)


def told_by(reads: Callable[[int, int], bytes], head: bytes) -> SystemOfImage:
    """Return what an image says of its system. `reads`: returns bytes by offset and count."""
    release = os_release.read(_text_at(reads, _sections(head).get(".osrel")))
    version = next((release[key] for key in _VERSIONS if key in release), "")
    profiles = []
    for part in _profiles(head)[1:]:
        said = os_release.read(_text_at(reads, part.get(".profile")))
        profiles.append(said.get("TITLE", said.get("ID", "")))
    return SystemOfImage(release.get("IMAGE_ID", release.get("ID", "")), version, tuple(profiles) or ("",))


def added_line(path: Path) -> str:
    """Return what an addon appends to the command line; "" for what is none."""
    data = read_whole(path, SIZE_MAX_BYTES, "addon", "is it the file you mean?")
    start, size = _sections(data[:HEAD_MAX_BYTES]).get(".cmdline", (0, 0))
    return _line_of(data[start : start + size])


def read(path: Path, profile: int = 0) -> Bundle:
    """Return the parts of a unified image. Raise UserError when it cannot be read, or was cut off.

    `profile`: which of its profiles; its sections stand for those of the same name before all profiles.
    """
    data = read_whole(path, SIZE_MAX_BYTES, "kernel image", "name the kernel image")
    found = _sections(data[:HEAD_MAX_BYTES], profile)

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
        cmdline=_line_of(part(".cmdline")),
    )


def _line_of(data: bytes) -> str:
    return data.split(b"\0")[0].decode("utf-8", "replace")


def _text_at(reads: Callable[[int, int], bytes], place: tuple[int, int] | None) -> str:
    return reads(place[0], min(place[1], _TEXT_MAX_BYTES)).decode("utf-8", "replace") if place is not None else ""


def _profiles(head: bytes) -> list[dict[str, tuple[int, int]]]:
    """Return offset and length in the file of the sections before all profiles, then of those of each profile."""
    pe = read_pe(head)
    found: list[dict[str, tuple[int, int]]] = [{}]
    for one in pe.sections if pe is not None else ():
        if one.name == ".profile":
            found.append({})
        # The file's length is rounded up; the length in memory is the exact one.
        size = min(one.file_bytes, one.memory_bytes) if one.memory_bytes else one.file_bytes
        found[-1].setdefault(one.name, (one.offset_bytes, size))
    return found


def _sections(head: bytes, profile: int = 0) -> dict[str, tuple[int, int]]:
    """Return offset and length in the file of each section; nothing where this is no PE file."""
    base, *profiles = _profiles(head)
    return {**base, **(profiles[profile] if profile < len(profiles) else {})}
