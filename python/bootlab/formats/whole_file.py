# SPDX-License-Identifier: MIT
"""A file that is read as a whole, up to a length."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError


def read_whole(path: Path, most_bytes: int, what: str, hint: str) -> bytes:
    """Return a file's bytes. Raise UserError when it cannot be read, or is larger than any `what`, with `hint`."""
    try:
        if path.stat().st_size > most_bytes:
            raise UserError(f"{path} is larger than any {what}", hint=hint)
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
