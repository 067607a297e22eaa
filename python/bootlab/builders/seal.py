"""A digest beside a file that bootlab keeps: damage is found when the file is used, not when a boot goes wrong."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from pathlib import Path

_LOG = logging.getLogger("bootlab")


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


def tell_damage(path: Path) -> None:
    """Say that a kept file is not what was written, and is made again. To `logging`: nothing prints here."""
    _LOG.warning("%s is damaged (its digest is another); it is made again", path)
