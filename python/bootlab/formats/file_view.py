# SPDX-License-Identifier: MIT
"""Files of any source under one face: a folder, a file system inside an image, an unpacked initramfs.

Links are followed as inside a root: an absolute target starts at the source's own root, never at this machine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from bootlab.errors import UserError, cannot_write
from bootlab.formats.disk_bytes import ByteSource

Kind = Literal["file", "dir", "symlink", "other"]
KIND_OF_MODE: dict[int, Kind] = {0x4000: "dir", 0x8000: "file", 0xA000: "symlink"}
"""What the highest four bits of a mode say (inode(7))."""
_LINKS_MAX = 40
_CHUNK_BYTES = 1 << 20
PARTITION_PLACE = ".partition"
"""With a number: where a partition of the same medium is shown, whatever else is mounted. No folder lists it."""
TEXT_MAX_BYTES = 1 << 20
"""Configuration files are small; of a larger one the beginning is read."""


class Node(msgspec.Struct, frozen=True):
    """One file, folder or link. `key` is its reader's own name of it.

    `measure`: asks for the length in bytes where a reader must take the file out to know it; `size_bytes` is 0 then.
    """

    kind: Kind
    size_bytes: int
    key: object
    mode: int = 0
    measure: Callable[[], int] | None = None

    def length(self) -> int:
        """Return the length in bytes."""
        return self.measure() if self.measure is not None else self.size_bytes


class Files(Protocol):
    """What a reader offers. Nothing follows links here. `folds_case`: capital and small letters name the same file."""

    @property
    def folds_case(self) -> bool:
        """Tell whether names are found whatever their case."""

    def root(self) -> Node:
        """Return the root folder."""

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds."""

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file."""

    def target(self, node: Node) -> str:
        """Return where a link points."""


class NoFiles:
    """A reader of nothing: a root that cannot be read, in which other readers are mounted."""

    folds_case = False

    def root(self) -> Node:
        """Return an empty folder."""
        return Node(kind="dir", size_bytes=0, key="")

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:  # noqa: ARG002 - as the others
        """Give nothing."""
        return iter(())

    def read(self, node: Node, offset: int, count: int) -> bytes:  # noqa: ARG002 - as the others
        """Return nothing."""
        return b""

    def target(self, node: Node) -> str:  # noqa: ARG002 - as the others
        """Return nothing."""
        return ""


class OneFile:
    """Bytes without a file system, such as a partition with a kernel, as a root that is a file."""

    folds_case = False

    def __init__(self, source: ByteSource) -> None:
        """Show some bytes."""
        self._source = source

    def root(self) -> Node:
        """Return the file."""
        return Node(kind="file", size_bytes=self._source.size_bytes, key="")

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:  # noqa: ARG002 - as the others
        """Give nothing."""
        return iter(())

    def read(self, node: Node, offset: int, count: int) -> bytes:  # noqa: ARG002 - as the others
        """Return some of the bytes."""
        return self._source.read(offset, count)

    def target(self, node: Node) -> str:  # noqa: ARG002 - as the others
        """Return nothing."""
        return ""


class _Below:
    """A folder of another reader as a root."""

    def __init__(self, files: Files, folder: Node) -> None:
        self._files = files
        self._folder = folder
        self.folds_case = files.folds_case
        self.entries = files.entries
        self.read = files.read
        self.target = files.target

    def root(self) -> Node:
        return self._folder


def below(files: Files, folder: Node) -> Files:
    """Return a folder of a reader as a root."""
    return _Below(files, folder)


class FileView:
    """Paths over a reader, with other readers mounted in it (`/boot` on a partition of its own)."""

    def __init__(self, files: Files) -> None:
        """Look at one reader's root."""
        self.files = files
        self._mounts: dict[str, FileView] = {}
        self._folders: dict[object, dict[str, Node]] = {}

    def mount(self, path: str, view: FileView) -> None:
        """Show another view's root at an absolute path."""
        self._mounts["/" + path.strip("/")] = view

    def below(self, path: str) -> FileView | None:
        """Return a folder as a root of its own; None where it is none."""
        found = self.find(path)
        return FileView(below(found[0].files, found[1])) if found is not None and found[1].kind == "dir" else None

    def find(self, path: str) -> tuple[FileView, Node, str] | None:
        """Follow a path through links; return the view that holds it, the node and the path without links."""
        parts = [part for part in path.split("/") if part not in {"", "."}]
        return self._walk(parts, _LINKS_MAX)

    def kind(self, path: str) -> Kind | None:
        """Return what a path leads to; None when nothing is there."""
        found = self.find(path)
        return found[1].kind if found else None

    def exists(self, path: str) -> bool:
        """Tell whether something is there."""
        return self.find(path) is not None

    def identity(self, path: str) -> tuple[int, object] | None:
        """Return what tells a file from all others, whatever names it has; None when nothing is there."""
        found = self.find(path)
        return (id(found[0].files), found[1].key) if found is not None else None

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder, sorted; nothing when it is none."""
        found = self.find(path)
        if found is None or found[1].kind != "dir":
            return ()
        view, node, _ = found
        return tuple(sorted(view.held(node)))

    def link(self, path: str) -> str | None:
        """Return the target of a link itself; None when there is none."""
        folder, _, name = path.rstrip("/").rpartition("/")
        found = self.find(folder or "/")
        node = found[0].child(found[1], name) if found else None
        return found[0].files.target(node) if found and node is not None and node.kind == "symlink" else None

    def data(self, path: str, maximum: int = TEXT_MAX_BYTES) -> bytes | None:
        """Return the beginning of a file; None when there is none."""
        found = self.find(path)
        if found is None or found[1].kind != "file":
            return None
        view, node, _ = found
        return view.files.read(node, 0, min(node.length(), maximum))

    def part(self, path: str, offset: int, count: int) -> bytes:
        """Return bytes of a file from an offset on; nothing when there is none."""
        found = self.find(path)
        if found is None or found[1].kind != "file":
            return b""
        view, node, _ = found
        return view.files.read(node, offset, max(0, min(count, node.length() - offset)))

    def text(self, path: str) -> str | None:
        """Return the beginning of a text file; None when there is none."""
        data = self.data(path)
        return None if data is None else data.decode("utf-8", "replace")

    def size(self, path: str) -> int:
        """Return a file's length in bytes; 0 when there is none."""
        found = self.find(path)
        return found[1].length() if found and found[1].kind == "file" else 0

    def copy(self, path: str, destination: Path) -> None:
        """Write a file's contents. Raise UserError when there is none, EnvironmentFault when it cannot be written."""
        found = self.find(path)
        if found is None or found[1].kind != "file":
            raise UserError(f"there is no file {path} in it", hint="list the files that it contains")
        view, node, _ = found
        length = node.length()
        try:
            with destination.open("wb") as out:
                for start in range(0, length, _CHUNK_BYTES):
                    out.write(view.files.read(node, start, min(_CHUNK_BYTES, length - start)))
        except OSError as error:
            raise cannot_write(f"{destination} cannot be written", error, destination.parent) from error

    def held(self, node: Node) -> dict[str, Node]:
        """Return what a folder holds by name, read once."""
        if node.key not in self._folders:
            self._folders[node.key] = dict(self.files.entries(node))
        return self._folders[node.key]

    def child(self, node: Node, name: str) -> Node | None:
        """Return what a folder holds under a name, a link itself."""
        if node.kind != "dir":
            return None
        held = self.held(node)
        found = held.get(name)
        if found is None and self.files.folds_case:
            wanted = name.casefold()
            found = next((other for known, other in held.items() if known.casefold() == wanted), None)
        return found

    def _walk(self, parts: list[str], links: int) -> tuple[FileView, Node, str] | None:
        view, node, place = self, self.files.root(), ""
        # Folders on the way, for `..`.
        above: list[tuple[FileView, Node, str]] = []
        for index, part in enumerate(parts):
            if part == "..":
                view, node, place = above.pop() if above else (self, self.files.root(), "")
                continue
            here = f"{place}/{part}"
            if here in self._mounts:
                above.append((view, node, place))
                view = self._mounts[here]
                node, place = view.files.root(), here
                continue
            below = view.child(node, part)
            if below is None:
                return None
            if below.kind == "symlink":
                if links <= 0:
                    return None
                target = view.files.target(below)
                folders = [p for p in place.split("/") if p]
                # A link inside a partition stays in it.
                top = folders[:1] if folders and folders[0].startswith(PARTITION_PLACE) else []
                start = top if target.startswith("/") else folders
                rest = [p for p in target.split("/") if p not in {"", "."}]
                return self._walk([*start, *rest, *parts[index + 1 :]], links - 1)
            above.append((view, node, place))
            node, place = below, here
        return view, node, place or "/"
