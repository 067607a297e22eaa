# SPDX-License-Identifier: MIT
"""Folders that a server gives to PXELINUX, iPXE or GRUB: their menus, whose names count from the top or the menu."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.extlinux import parse_extlinux
from bootlab.sources.menus.grub import parse_grub
from bootlab.sources.menus.ipxe import parse_ipxe

_DEPTH_MAX = 3
_FOLDERS_MAX = 500
_SCRIPTS = frozenset({"boot.ipxe", "autoexec.ipxe"})


def entries(view: FileView) -> tuple[BootEntry, ...]:
    """Return the entries of the first menu for all machines, its own choice first, with paths from the folder's top."""
    for folder in _folders(view):
        for found in (_pxelinux(view, folder), _ipxe(view, folder), _grub(view, folder)):
            if any(view.kind(entry.kernel) == "file" for entry in found):
                return tuple(sorted(found, key=lambda entry: not entry.default))
    return ()


def _pxelinux(view: FileView, folder: str) -> tuple[BootEntry, ...]:
    path = f"{folder}/pxelinux.cfg/default"
    text = view.text(path)
    # Debian's installer has its menu below its architecture, and a link to it at the top, which the names mean.
    for base in ("/", folder or "/") if text is not None else ():
        found = parse_extlinux(text or "", path, reads=view.text, base=base)
        if any(view.kind(entry.kernel) == "file" for entry in found):
            return tuple(msgspec.structs.replace(entry, source=path) for entry in found)
    return ()


def _ipxe(view: FileView, folder: str) -> tuple[BootEntry, ...]:
    names = sorted(view.names(folder or "/"), key=lambda name: (name not in _SCRIPTS, name))
    for name in names[:_FOLDERS_MAX]:
        path = f"{folder}/{name}"
        text = view.text(path) if name.endswith(".ipxe") else None
        entry = parse_ipxe(text, path, folder or "/") if text is not None else None
        if entry is not None and view.kind(entry.kernel) == "file":
            return (entry,)
    return ()


def _grub(view: FileView, folder: str) -> tuple[BootEntry, ...]:
    path = f"{folder}/grub/grub.cfg"
    text = view.text(path)
    return parse_grub(text, path, view.text) if text is not None else ()


def _folders(view: FileView) -> Iterator[str]:
    waiting, seen = [("", 0)], 0
    while waiting and seen < _FOLDERS_MAX:
        folder, depth = waiting.pop(0)
        seen += 1
        yield folder
        if depth < _DEPTH_MAX:
            names = (name for name in view.names(folder or "/") if view.kind(f"{folder}/{name}") == "dir")
            waiting += [(f"{folder}/{name}", depth + 1) for name in names if view.link(f"{folder}/{name}") is None]
