# SPDX-License-Identifier: MIT
"""A path that somebody gave: whether it can be written down and leads to a file, and the file's first bytes."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import foreign_file


def check(path: Path) -> None:
    """Raise UserError for a name that cannot be written down, or that leads nowhere."""
    try:
        str(path).encode()
        path.stat()
    except UnicodeEncodeError as error:
        shown = str(path).encode("utf-8", "replace").decode()
        raise UserError(
            f"the name {shown} is not UTF-8, and a system file cannot hold it", hint="give the file another name"
        ) from error
    except FileNotFoundError as error:
        if path.is_symlink():
            there = f"{path} is a link to {path.readlink()}, which is not there"
            raise UserError(there, hint=f"ls -l {path}") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error


def inside(path: Path) -> tuple[Path, str] | None:
    """Return image and path of a file that lies in an image or root tree (`card.img:/boot/x.dtb`); None for a file."""
    before, colon, behind = str(path).partition(":/")
    try:
        if not colon or path.exists() or not Path(before).exists():
            return None
    except (OSError, ValueError):
        return None
    return Path(before), f"/{behind}"


def head(path: Path) -> bytes:
    """Return the first bytes, which tell what a file is. Raise UserError where there are none to read."""
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISBLK(mode)):
            raise UserError(f"{path} is a pipe, a socket or a character device", hint="write it to a file first")
        with path.open("rb") as file:
            return file.read(foreign_file.HEAD_BYTES)
    except FileNotFoundError as error:
        if address := re.match(r"(https?|ftp):/(?!/)", str(path)):
            whole = str(path).replace(address[0], f"{address[1]}://", 1)
            raise UserError(
                f"{whole} is an address, and bootlab downloads nothing", hint=f"curl -LO {whole}"
            ) from error
        raise UserError(f"there is no file or folder {path}", hint=f"ls {path.parent}") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
