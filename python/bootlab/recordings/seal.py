# SPDX-License-Identifier: MIT
"""A digest beside a file that bootlab keeps: damage is found when the file is used, not when a boot goes wrong."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from bootlab.recordings import damage


def beside(file: Path) -> Path:
    """Return where the digest of a file lies that bootlab made."""
    return file.with_name(f"{file.name}.sha256")


def holds(file: Path) -> bool:
    """Tell whether a file is there and is what was made; one that is not by now is named, and is to be made again.

    Without its digest it is not trusted.
    """
    if not file.is_file():
        return False
    said = said_by(beside(file))
    if said and said == sha256_of(file):
        return True
    if said:
        damage.tell(file)
    return False


def put_in_place(fresh: Path, file: Path) -> None:
    """Give a file that was made its name, and its digest before that. Raise OSError."""
    put_on(beside(file), sha256_of(fresh))
    fresh.replace(file)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's contents. Raise OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def put_on(seal: Path, said: str) -> None:
    """Write down what a file's contents are, whole or not at all. Raise OSError."""
    handle, name = tempfile.mkstemp(prefix=".new-", dir=seal.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(f"{said}\n")
        new.chmod(0o644)
        new.replace(seal)
    finally:
        new.unlink(missing_ok=True)


def said_by(seal: Path) -> str:
    """Return what was written down, "" when nothing was or it cannot be read."""
    with contextlib.suppress(OSError):
        return seal.read_text(encoding="ascii", errors="replace").strip()[:64]
    return ""
