"""Writes the files that a verb was asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bootlab.cli.session import err
from bootlab.errors import UserError


def write_files(*wanted: tuple[Path | None, Callable[[], bytes]]) -> None:
    """Write each file that has a path; what it holds is made only then. Raise UserError."""
    for path, made in wanted:
        if path is None:
            continue
        try:
            path.write_bytes(made())
        except OSError as fault:
            raise UserError(f"cannot write {path}: {fault.strerror}", hint=f"ls -ld {path.parent}") from None
        err().print(f"wrote {path}", markup=False, soft_wrap=True)
