"""A folder of this machine and a tree of entries as readers: the tree that a build system or mmdebstrap left."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree
from bootlab.sources.file_view import Kind, Node

_NAMES_MAX = 200_000


class FolderFiles:
    """A folder of this machine; links in it are read, never followed by this machine's rules."""

    folds_case = False

    def __init__(self, folder: Path) -> None:
        """Look at a folder. Raise UserError when it is none."""
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder", hint=f"ls -ld {folder}")
        self._folder = folder

    def root(self) -> Node:
        """Return the folder itself."""
        return Node(kind="dir", size_bytes=0, key=str(self._folder))

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds; what cannot be read is left out."""
        try:
            with os.scandir(str(node.key)) as found:
                for count, item in enumerate(found):
                    if count >= _NAMES_MAX:
                        return
                    status = item.stat(follow_symlinks=False)
                    kind = _kind(status.st_mode)
                    yield item.name, Node(kind=kind, size_bytes=status.st_size, key=item.path, mode=status.st_mode)
        except OSError:
            return

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file. Raise UserError when it cannot be read."""
        try:
            with Path(str(node.key)).open("rb") as file:
                file.seek(offset)
                return file.read(count)
        except OSError as error:
            raise UserError(f"{node.key} cannot be read: {error.strerror}", hint=f"ls -l {node.key}") from error

    def target(self, node: Node) -> str:
        """Return where a link points."""
        return str(Path(str(node.key)).readlink())


class TreeFiles:
    """A tree of entries, as an archive was unpacked to."""

    folds_case = False

    def __init__(self, tree: FileTree) -> None:
        """Look at a tree; folders that it does not name are there too."""
        self._entries: dict[str, Entry] = {}
        self._held: dict[str, dict[str, Node]] = {"/": {}}
        for path, entry in tree.entries:
            self._entries[path] = entry
            self._put(path, _node_of(path, entry))

    def root(self) -> Node:
        """Return the root folder."""
        return Node(kind="dir", size_bytes=0, key="/")

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds."""
        yield from self._held.get(str(node.key), {}).items()

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file."""
        entry = self._entries[str(node.key)]
        if entry.source is None:
            return (entry.text or "").encode("utf-8", "surrogateescape")[offset : offset + count]
        with Path(entry.source).open("rb") as file:
            file.seek(offset)
            return file.read(count)

    def target(self, node: Node) -> str:
        """Return where a link points."""
        return self._entries[str(node.key)].target or ""

    def _put(self, path: str, node: Node) -> None:
        folder, _, name = path.rpartition("/")
        folder = folder or "/"
        if folder not in self._held:
            self._held[folder] = {}
            if folder != "/":
                self._put(folder, Node(kind="dir", size_bytes=0, key=folder))
        self._held[folder].setdefault(name, node)
        if node.kind == "dir":
            self._held.setdefault(path, {})


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "dir"
    return "symlink" if stat.S_ISLNK(mode) else "other"


def _node_of(path: str, entry: Entry) -> Node:
    size = 0
    if entry.kind == "file":
        text = entry.text or ""
        size = Path(entry.source).stat().st_size if entry.source else len(text.encode("utf-8", "surrogateescape"))
    kind: Kind = entry.kind if entry.kind in {"file", "dir", "symlink"} else "other"
    return Node(kind=kind, size_bytes=size, key=path, mode=entry.mode)
