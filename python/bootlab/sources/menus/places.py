# SPDX-License-Identifier: MIT
"""Where the files of menus lie when a loader's usual places have none: live systems have folders of their own.

Syslinux looks for its file in a list of places first (doc/syslinux.txt, core/fs/lib/loadconfig.c), then in the folder
that it was installed to, which may be any: that is searched for here.
"""

from __future__ import annotations

from collections.abc import Iterator

from bootlab.formats.file_view import FileView

SYSLINUX = ("extlinux.conf", "syslinux.cfg", "isolinux.cfg")
"""What Syslinux' variants read; a stick of a system that comes as an ISO image may have the last one only."""
_SYSLINUX_FOLDERS = (
    "/boot/extlinux",
    "/boot/syslinux",
    "/boot/isolinux",
    "/extlinux",
    "/syslinux",
    "/isolinux",
    "/boot",
    "",
)
# Of an installed system: nothing there is read by a loader.
_OF_SYSTEMS = frozenset(
    {"bin", "dev", "etc", "gnu", "home", "lib", "lib32", "lib64", "libx32", "lost+found", "media", "mnt", "nix", "opt",
     "proc", "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "System", "Windows", "Users"}
)  # fmt: skip
_DEPTH_MAX, _FOLDERS_MAX, _FOUND_MAX = 4, 400, 40


def of_syslinux(view: FileView) -> Iterator[str]:
    """Give the files of Syslinux' menus in the order in which it looks for them, then those in other folders."""
    fixed = [
        f"{top}{folder}/{name}" for top in ("", "/boot/firmware") for folder in _SYSLINUX_FOLDERS for name in SYSLINUX
    ]
    yield from fixed
    yield from (path for path in below(view, frozenset(SYSLINUX)) if path not in fixed)


def below(view: FileView, names: frozenset[str]) -> list[str]:
    """Return the files with some names in the folders that loaders read, those in higher folders first."""
    waiting, found, seen = [("", 0)], list[str](), 0
    while waiting and seen < _FOLDERS_MAX and len(found) < _FOUND_MAX:
        folder, depth = waiting.pop(0)
        seen += 1
        for name in view.names(folder or "/"):
            path = f"{folder}/{name}"
            if name.casefold() in names and view.kind(path) == "file":
                found.append(path)
            elif depth < _DEPTH_MAX and (depth or name not in _OF_SYSTEMS) and view.kind(path) == "dir":
                waiting += [(path, depth + 1)] if view.link(path) is None else []
    return found
