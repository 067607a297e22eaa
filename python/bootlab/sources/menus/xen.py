# SPDX-License-Identifier: MIT
"""Xen as the firmware's own program: the file beside it names Linux, its line and its initrd (docs/misc/efi.pandoc)."""

from __future__ import annotations

import configparser
from collections.abc import Iterator

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.paths import below

_PLACES = ("/boot/efi", "/efi", "/boot", "")


def entries(view: FileView) -> Iterator[BootEntry]:
    """Give the sections of the first file that is one of Xen's; Linux is booted without it, and that is said."""
    for place in _PLACES:
        for folder in (f"{place}/EFI/{name}" for name in view.names(f"{place}/EFI")):
            for name in view.names(folder):
                path = f"{folder}/{name}"
                text = view.text(path) if name.casefold().endswith(".cfg") and name != "grub.cfg" else None
                found = _of(text, path, folder) if text is not None else []
                if found:
                    yield from found
                    return


def _of(text: str, path: str, folder: str) -> list[BootEntry]:
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    if not parser.has_section("global"):
        return []
    chosen = parser.get("global", "default", fallback="")
    note = f"{path} starts the hypervisor Xen, and Linux as its first guest (dom0): Linux alone is booted here"
    found = []
    for section in parser.sections():
        kernel, _, line = parser.get(section, "kernel", fallback="").strip().partition(" ")
        early = parser.get(section, "ramdisk", fallback="").split()
        if kernel:
            found.append(
                BootEntry(
                    title=section,
                    kernel=below(folder, kernel),
                    initrds=tuple(below(folder, one) for one in early[:1]),
                    cmdline=" ".join(line.split()),
                    source=path,
                    default=section == chosen,
                    notes=(note,),
                )
            )
    return found
