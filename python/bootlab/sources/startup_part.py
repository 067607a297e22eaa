# SPDX-License-Identifier: MIT
"""What of a ready image says how its system starts: units, generators, start scripts, tables, and the links to them.

It stands in the place of the whole tree for everything that looks at the start of a system and changes it. Of programs
only that they are there is known.
"""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import disk_image
from bootlab.formats.disk_bytes import ByteSource, Window
from bootlab.formats.ext import ExtFiles
from bootlab.formats.file_view import FileView, Node
from bootlab.formats.partitions import read_partitions
from bootlab.formats.superblock import identify
from bootlab.model.tree import Entry, FileTree

_FOLDERS = (
    *(f"{folder}/systemd/system" for folder in ("/etc", "/usr/local/lib", "/usr/lib", "/lib")),
    *(f"{folder}/systemd/system-generators" for folder in ("/etc", "/usr/local/lib", "/usr/lib", "/lib")),
    *("/etc/init.d", "/etc/rc.d", "/etc/init", "/etc/runlevels", "/etc/conf.d"),
    *(f"/etc/rc{level}.d" for level in "S0123456"),
)
_FILES = (
    *("/etc/inittab", "/etc/fstab", "/etc/crypttab", "/etc/machine-id", "/etc/os-release", "/etc/rc.local"),
    *("/sbin/init", "/etc/init", "/bin/init", "/init", "/bin/sh", "/usr/lib/systemd/systemd", "/lib/systemd/systemd"),
    *("/bin", "/sbin", "/lib", "/usr/lib", "/usr/bin", "/usr/sbin"),
)
_TEXT_MAX_BYTES = 64 << 10
_WHOLE_MAX_BYTES = 16 << 20
_ENTRIES_MAX = 20_000
_DEPTH_MAX = 4
_LINKS_MAX = 40


def read(path: Path, partition: int) -> tuple[FileTree, int]:
    """Return the part of an image's tree, and where on the medium its file system begins.

    Nothing where the file system is none that is read here, or was not unmounted: what is changed in such a one may
    be undone by its journal.
    """
    medium = disk_image.opened(path)
    window, start_bytes = _window(medium, partition)
    system = identify(window) if window is not None else None
    if window is None or system is None or system.fstype not in {"ext2", "ext3", "ext4"}:
        return FileTree(), start_bytes
    try:
        files = ExtFiles(window)
        return (FileTree() if files.unclean else _Reading(FileView(files)).tree()), start_bytes
    except UserError:
        return FileTree(), start_bytes


def _window(medium: ByteSource, partition: int) -> tuple[Window | None, int]:
    if partition == 0:
        return Window(medium, 0, medium.size_bytes), 0
    table = read_partitions(medium)
    found = next((p for p in table.partitions if p.number == partition), None) if table is not None else None
    if found is None:
        return None, 0
    return Window(medium, found.start_bytes, found.size_bytes), found.start_bytes


class _Reading:
    """The entries that were found so far."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._found: dict[str, Entry] = {}
        self._bytes = 0

    def tree(self) -> FileTree:
        for path in _FILES:
            self._way(path, _LINKS_MAX)
        for folder in _FOLDERS:
            real = self._way(folder, _LINKS_MAX)
            if real is not None and self._found[real].kind == "dir":
                self._below(real, _DEPTH_MAX)
        return FileTree.of(self._found)

    def _way(self, path: str, links: int) -> str | None:
        """Note what a path leads through, links on each component too; return where it ends, None when nowhere."""
        place, node = "", self._view.files.root()
        parts = [part for part in path.split("/") if part]
        for index, part in enumerate(parts):
            below = self._view.child(node, part)
            if below is None or links <= 0:
                return None
            place, node = f"{place}/{part}", below
            self._note(place, node)
            if node.kind == "symlink":
                target = self._view.files.target(node)
                start = "" if target.startswith("/") else place.rpartition("/")[0]
                return self._way(_plain(f"{start}/{target}/{'/'.join(parts[index + 1 :])}"), links - 1)
        return place or "/"

    def _below(self, folder: str, depth: int) -> None:
        found = self._view.find(folder)
        if found is None or depth == 0:
            return
        for name, node in sorted(found[0].held(found[1]).items()):
            if len(self._found) >= _ENTRIES_MAX:
                return
            path = f"{folder}/{name}"
            self._note(path, node)
            if node.kind == "dir":
                self._below(path, depth - 1)

    def _note(self, path: str, node: Node) -> None:
        if path in self._found or not path.isprintable():
            return
        mode = node.mode & 0o7777
        if node.kind == "symlink":
            self._found[path] = Entry(kind="symlink", mode=mode, target=self._view.files.target(node))
        elif node.kind == "dir":
            self._found[path] = Entry(kind="dir", mode=mode)
        elif node.kind == "file":
            self._found[path] = Entry(kind="file", mode=mode, text=self._text(node))

    def _text(self, node: Node) -> str | None:
        length = node.length()
        if length > _TEXT_MAX_BYTES or self._bytes + length > _WHOLE_MAX_BYTES:
            return None
        data = self._view.files.read(node, 0, length)
        self._bytes += len(data)
        try:
            return data.decode() if b"\0" not in data else None
        except UnicodeDecodeError:
            return None


def _plain(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)
