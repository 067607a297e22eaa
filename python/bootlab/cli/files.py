# SPDX-License-Identifier: MIT
"""Writes the files that a verb was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from bootlab.cli.screen import say
from bootlab.errors import UserError, write_hint

STDOUT = Path("-")
"""The path that means standard output."""


def write_file(path: Path, data: bytes | str) -> None:
    """Write a file, or standard output for `-`; text as UTF-8 with its line ends as they are. Raise UserError."""
    if path == STDOUT:
        sys.stdout.buffer.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(data.encode("utf-8", "replace") if isinstance(data, str) else data)
    except OSError as fault:
        raise UserError(f"cannot write {path}: {fault.strerror}", hint=write_hint(fault, path.parent)) from fault


def write_files(*wanted: tuple[Path | None, Callable[[], bytes | str]]) -> None:
    """Write each file that has a path, and say so; what it holds is made only then. Raise UserError."""
    for path, made in wanted:
        if path is not None:
            write_file(path, made())
            if path == STDOUT:
                continue
            say(f"wrote {path}")
