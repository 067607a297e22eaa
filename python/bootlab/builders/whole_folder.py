# SPDX-License-Identifier: MIT
"""A folder of results that gets its name only once everything in it is on disk."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole(folder: Path) -> Iterator[Path]:
    """Give an empty folder to be filled; behind the `with` block it replaces `folder`. An error leaves nothing behind.

    Raise OSError. Every file is written through first: a power cut must not leave a named folder without its contents.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        yield work
        for path in work.rglob("*"):
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        work.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
