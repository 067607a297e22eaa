# SPDX-License-Identifier: MIT
"""A root tree as a booted system sees it: links followed, files read, without unpacking or running anything."""

from __future__ import annotations

import posixpath
from pathlib import Path

from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree

LINKS_MAX = 40
TEXT_MAX_BYTES = 1 << 20
"""Start scripts and tables are text of a few KB; what is larger is not looked at."""

PROGRAM_MAX_BYTES = 32 << 20


def norm(path: str) -> str:
    """Return an absolute path without `.`, `..` and doubled slashes."""
    return posixpath.normpath("/" + path.lstrip("/"))


def steps(path: str, tree: dict[str, Entry]) -> list[str]:
    """Return every path that opening this one goes through (links on each component), the real one last."""
    found: list[str] = []
    for _ in range(LINKS_MAX):
        parts = path.strip("/").split("/")
        for depth in range(1, len(parts) + 1):
            prefix = "/" + "/".join(parts[:depth])
            entry = tree.get(prefix)
            if entry is not None and entry.kind == "symlink" and entry.target is not None:
                target = posixpath.join(posixpath.dirname(prefix), entry.target)
                found.append(prefix)
                path = norm(posixpath.join(target, *parts[depth:]))
                break
        else:
            found.append(path)
            return found
    return found


class TreeFiles:
    """A tree with its files' contents. What cannot be read is as if it were not there."""

    def __init__(self, tree: FileTree) -> None:
        """Look at a tree."""
        self.entries = tree.as_dict()

    @classmethod
    def of(cls, system: SystemDescription) -> TreeFiles | None:
        """Return the tree that a system brings, or None; of a ready image the part that says how it starts."""
        return cls(system.startup) if system.startup is not None else None

    def real(self, path: str) -> str:
        """Return the path that a path leads to."""
        return steps(norm(path), self.entries)[-1]

    def entry(self, path: str) -> Entry | None:
        """Return what a path leads to, or None."""
        return self.entries.get(self.real(path))

    def data(self, path: str, limit: int = TEXT_MAX_BYTES) -> bytes | None:
        """Return a file's contents; None for what is no file, not there or longer than the limit."""
        entry = self.entry(path)
        if entry is None or entry.kind != "file" or entry.busybox is not None:
            return None
        if entry.source is None:
            if entry.text is None:
                # A program of a ready image: it is there, and its contents were not read.
                return None
            text = entry.text.encode()
            return text if len(text) <= limit else None
        try:
            with Path(entry.source).open("rb") as file:
                found = file.read(limit + 1)
        except OSError:
            return None
        return found if len(found) <= limit else None

    def text(self, path: str) -> str | None:
        """Return a text file's contents; None for what holds NUL bytes or is not UTF-8."""
        data = self.data(path)
        if data is None or b"\0" in data:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None

    def runs(self, path: str) -> bool:
        """Tell whether a path leads to a file that may be executed."""
        entry = self.entry(path)
        return entry is not None and entry.kind == "file" and bool(entry.mode & 0o111)

    def below(self, folder: str) -> list[str]:
        """Return the paths directly in a folder, folders that only a longer path names too, in byte order."""
        start = self.real(folder).rstrip("/") + "/"
        names = {p[len(start) :].partition("/")[0] for p in self.entries if p.startswith(start)}
        return [f"{norm(folder).rstrip('/')}/{name}" for name in sorted(names)]
