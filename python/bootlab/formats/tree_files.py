# SPDX-License-Identifier: MIT
"""A tree of files as a reader: an initramfs whose files were unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.formats.file_view import Kind, Node
from bootlab.model.tree import Entry, FileTree


class TreeView:
    """The entries of a tree; folders that no entry names are there all the same."""

    folds_case = False

    def __init__(self, tree: FileTree) -> None:
        """Look at a tree."""
        self._entries = tree.as_dict()
        self._below: dict[str, dict[str, str]] = {"": {}}
        for path in self._entries:
            parts = path.strip("/").split("/")
            for depth in range(1, len(parts) + 1):
                here = "/" + "/".join(parts[:depth])
                self._below.setdefault(here.rpartition("/")[0], {})[parts[depth - 1]] = here

    def root(self) -> Node:
        """Return the root folder."""
        return Node(kind="dir", size_bytes=0, key="")

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds."""
        for name, path in self._below.get(str(node.key), {}).items():
            entry = self._entries.get(path, _FOLDER)
            yield name, Node(kind=_kind(entry), size_bytes=_size(entry), key=path, mode=entry.mode)

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file; none of one that is built when the tree is packed. Raise OSError."""
        entry = self._entries[str(node.key)]
        if entry.text is not None:
            return entry.text.encode()[offset : offset + count]
        if entry.source is None:
            return b""
        with Path(entry.source).open("rb") as file:
            file.seek(offset)
            return file.read(count)

    def target(self, node: Node) -> str:
        """Return where a link points."""
        return self._entries[str(node.key)].target or ""


_FOLDER = Entry(kind="dir")


def _kind(entry: Entry) -> Kind:
    return msgspec.convert(entry.kind, Kind) if entry.kind in {"file", "dir", "symlink"} else "other"


def _size(entry: Entry) -> int:
    if entry.text is not None:
        return len(entry.text.encode())
    try:
        return Path(entry.source).stat().st_size if entry.source is not None else 0
    except OSError:
        return 0
