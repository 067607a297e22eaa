# SPDX-License-Identifier: MIT
"""What is taken out of images: each part as a file in one folder."""

from __future__ import annotations

import posixpath
from pathlib import Path

from bootlab.errors import cannot_write
from bootlab.formats.file_view import FileView


class KeptFiles:
    """The folder that gets what is taken out; it is made when something goes into it."""

    def __init__(self, folder: Path) -> None:
        """Name the folder."""
        self.folder = folder

    def copy(self, view: FileView, path: str) -> Path:
        """Keep a file of a view. Raise UserError when there is none, EnvironmentFault when it cannot be written."""
        place = self._place(posixpath.basename(path))
        view.copy(path, place)
        return place

    def copy_beside(self, view: FileView, kernel_at: str) -> None:
        """Keep the configuration and the symbols that lie beside a kernel under its version."""
        for what in ("config", "System.map"):
            name, dash, version = posixpath.basename(kernel_at).partition("-")
            beside = f"{posixpath.dirname(kernel_at)}/{what}{dash}{version}"
            # Debian's System.map is a line that says where the real one is.
            if (dash or name == "vmlinuz") and view.size(beside) > 1000:
                self.copy(view, beside)

    def write(self, name: str, data: bytes) -> Path:
        """Keep some bytes. Raise EnvironmentFault when they cannot be written."""
        place = self._place(name)
        try:
            place.write_bytes(data)
        except OSError as error:
            raise cannot_write(f"{place} cannot be written", error, self.folder) from error
        return place

    def _place(self, name: str) -> Path:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(f"{self.folder} cannot be made", error, self.folder.parent) from error
        return self.folder / name
