# SPDX-License-Identifier: MIT
"""A folder with the calls of fsspec's file systems that shared files need.

fsspec's own file system of a folder writes in place, so that another machine may see a half-written file.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from bootlab.workers.own_name import own_name


class FolderStorage:
    """Files of a folder that machines share. A name is never seen with a part of its contents."""

    def invalidate_cache(self) -> None:
        """Forget listings: there are none."""

    def exists(self, path: str) -> bool:
        """Tell whether a file is there."""
        return Path(path).exists()

    def get_file(self, path: str, here: str) -> None:
        """Copy a file from there."""
        shutil.copyfile(path, here)

    def put_file(self, here: str, path: str) -> None:
        """Copy a file to there."""
        fresh = _fresh(path)
        try:
            shutil.copyfile(here, fresh)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    def pipe_file(self, path: str, value: bytes) -> None:
        """Write a file there."""
        fresh = _fresh(path)
        try:
            fresh.write_bytes(value)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    def cat_file(self, path: str) -> bytes:
        """Return what a file there holds. Raise FileNotFoundError when there is none."""
        return Path(path).read_bytes()

    def rm_file(self, path: str) -> None:
        """Remove a file there. Raise FileNotFoundError when it is gone."""
        Path(path).unlink()

    def ls(self, path: str, detail: bool = False) -> list[str]:  # noqa: ARG002 - fsspec's signature
        """Return the paths of the whole files of a folder."""
        return [str(file) for file in sorted(Path(path).iterdir()) if not file.name.startswith(".")]

    def glob(self, pattern: str) -> list[str]:
        """Return the paths of `FOLDER/*/NAME`; the folder may not be there."""
        folder, _, name = pattern.rpartition("/*/")
        return [str(path) for path in sorted(Path(folder).glob(f"*/{name}"))]


def _fresh(path: str) -> Path:
    final = Path(path)
    final.parent.mkdir(parents=True, exist_ok=True)
    return final.with_name(f".{final.name}.{own_name()}")
