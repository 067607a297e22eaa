# SPDX-License-Identifier: MIT
"""Folders that a TFTP server gives: PXELINUX's menu, whose names count from where its program lies."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.extlinux import parse_extlinux

_DEPTH_MAX = 3
_FOLDERS_MAX = 500


def entries(view: FileView) -> tuple[BootEntry, ...]:
    """Return the entries of the first menu for all machines, with their paths from the top of the folder."""
    for folder in _folders(view):
        path = f"{folder}/pxelinux.cfg/default"
        text = view.text(path)
        if text is None:
            continue
        # Debian's installer has its menu below its architecture, and a link to it at the top, which the names mean.
        for base in ("/", folder or "/"):
            found = parse_extlinux(text, path, reads=view.text, base=base)
            if any(view.kind(entry.kernel) == "file" for entry in found):
                return tuple(msgspec.structs.replace(entry, source=path) for entry in found)
    return ()


def _folders(view: FileView) -> Iterator[str]:
    waiting, seen = [("", 0)], 0
    while waiting and seen < _FOLDERS_MAX:
        folder, depth = waiting.pop(0)
        seen += 1
        yield folder
        if depth < _DEPTH_MAX:
            names = (name for name in view.names(folder or "/") if view.kind(f"{folder}/{name}") == "dir")
            waiting += [(f"{folder}/{name}", depth + 1) for name in names if view.link(f"{folder}/{name}") is None]
