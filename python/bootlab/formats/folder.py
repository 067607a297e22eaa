# SPDX-License-Identifier: MIT
"""A folder of this machine as a reader: the tree that a build system or mmdebstrap left."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats.file_view import Kind, Node

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


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "dir"
    return "symlink" if stat.S_ISLNK(mode) else "other"
