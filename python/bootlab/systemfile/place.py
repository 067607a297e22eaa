# SPDX-License-Identifier: MIT
"""The file that is being read: expands and checks the paths in it, and makes errors that carry its name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from bootlab.errors import SystemFileError

_VARIABLE = re.compile(r"\$(?:\$|(?P<plain>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[^}]*)\})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Place(msgspec.Struct, frozen=True):
    """A system file's name, the folder its paths are relative to, and the environment of its `$VARIABLES`.

    `absent`: files and variables need not be there, because nothing will be built (the replay target).
    """

    path: str
    folder: Path
    environ: Mapping[str, str]
    absent: bool = False

    def error(self, message: str, where: str, hint: str = "") -> SystemFileError:
        """Make an error about one key of this file."""
        return SystemFileError(message, path=self.path, where=where, hint=hint)

    def expand(self, text: str, where: str) -> str:
        """Expand `$NAME`, `${NAME}` (`$$` is a dollar) and a leading `~`; an unset variable is an error."""

        def value(found: re.Match[str]) -> str:
            if found[0] == "$$":
                return "$"
            name = found["plain"] if found["plain"] is not None else found["braced"]
            if not _NAME.fullmatch(name):
                raise self.error(
                    f"${{{name}}} is not a variable's name", where, "write $NAME, ${NAME}, or $$ for a dollar"
                )
            if not self.environ.get(name) and self.absent:
                return found[0]
            if not self.environ.get(name):
                raise self.error(
                    f"the environment variable {name} is not set",
                    where,
                    f"set it: export {name}=...   (or write the path into the file)",
                )
            return self.environ[name]

        text = _VARIABLE.sub(value, text)
        if text == "~" or text.startswith("~/"):
            home = self.environ.get("HOME") or str(Path.home())
            return home + text[1:]
        return text

    def resolve(self, text: str, where: str) -> str:
        """Return an absolute path; what is relative starts at the system file's folder."""
        if not text or "\0" in text:
            raise self.error("expected a path, got empty text or a NUL byte", where)
        # normpath and not resolve(): a symlink's own name is what the user wrote and what an error must show.
        return os.path.normpath(self.folder / self.expand(text, where))

    def file(self, text: str, where: str) -> str:
        """Return the absolute path of an existing, readable regular file."""
        found = Path(self.resolve(text, where))
        if self.absent and not found.exists():
            return str(found)
        if found.is_dir():
            raise self.error(f"{found} is a folder; a file is expected", where)
        if not found.exists():
            raise self.error(f"there is no file {found}", where, _nearest(found))
        if not found.is_file():
            raise self.error(f"{found} is not a regular file", where)
        if not os.access(found, os.R_OK):
            raise self.error(f"{found} cannot be read", where, f"check its permissions: ls -l {found}")
        return str(found)

    def files(self, texts: Iterable[str], where: str) -> tuple[str, ...]:
        """Return the absolute paths of several files."""
        return tuple(self.file(text, f"{where}[{index}]") for index, text in enumerate(texts))

    def directory(self, text: str, where: str) -> str:
        """Return the absolute path of an existing folder."""
        found = Path(self.resolve(text, where))
        if not found.exists():
            raise self.error(f"there is no folder {found}", where, _nearest(found))
        if not found.is_dir():
            raise self.error(f"{found} is not a folder", where)
        return str(found)


def _nearest(missing: Path) -> str:
    parent = missing.parent
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    return f"see what is there: ls {parent}   (paths are relative to the system file)"
