# SPDX-License-Identifier: MIT
"""A tree of files as a value: what an initramfs or a root file system holds, before anybody packs it."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

Compression = Literal["none", "gzip", "bzip2", "lzma", "xz", "lzo", "lz4", "zstd"]


OwnProgram = Literal["mount-root"]
"""A program that bootlab brings itself, by its name under guest/."""


class BusyboxBuild(msgspec.Struct, frozen=True, kw_only=True):
    """A BusyBox to be built for the machine, static.

    `applets`: those it shall hold, sorted; empty: those of the base configuration. `options`: set last, by name without
    `CONFIG_`, value as a `.config` writes it. `source`: absolute path of a source tree, or `debian`.
    """

    applets: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    source: str = "debian"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One name in the tree. Exactly the fields of its kind are set.

    `file`: `source` (a path on this machine), `text`, `busybox` or `own` (the name of a program of bootlab's own; both
    are built when the tree is packed); `symlink`: `target`; `char`, `block`: `major`, `minor`. `linked`: files with the
    same text here are hard links of one file.
    """

    kind: Literal["file", "dir", "symlink", "char", "block", "fifo"]
    mode: int = 0o755
    uid: int = 0
    gid: int = 0
    source: str | None = None
    text: str | None = None
    busybox: BusyboxBuild | None = None
    own: OwnProgram | None = None
    target: str | None = None
    major: int = 0
    minor: int = 0
    linked: str = ""


class FileTree(msgspec.Struct, frozen=True):
    """Entries by absolute path (`/bin/sh`), sorted. Missing parent folders are made when the tree is packed."""

    entries: tuple[tuple[str, Entry], ...] = ()

    @property
    def digest(self) -> str:
        """The SHA-256 of the entries (of sources their paths), to tell whether a tree was changed."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    def as_dict(self) -> dict[str, Entry]:
        """Return a fresh mapping of path to entry."""
        return dict(self.entries)

    @classmethod
    def of(cls, entries: dict[str, Entry]) -> FileTree:
        """Make a tree from a mapping, sorted by path."""
        return cls(tuple(sorted(entries.items())))

    def with_links_named(self) -> FileTree:
        """Return the tree with each group of hard links named by its first path; a name that is alone gets no group."""
        groups: dict[str, list[str]] = {}
        for path, entry in self.entries:
            if entry.linked:
                groups.setdefault(entry.linked, []).append(path)
        return FileTree(
            tuple(
                (path, msgspec.structs.replace(entry, linked=_group_name(groups[entry.linked])))
                if entry.linked
                else (path, entry)
                for path, entry in self.entries
            )
        )

    def get(self, path: str) -> Entry | None:
        """Return the entry at a path, or None."""
        return self.as_dict().get(path)

    def put(self, path: str, entry: Entry) -> FileTree:
        """Return a tree with this entry added or replaced."""
        return FileTree.of({**self.as_dict(), path: entry})

    def without(self, paths: frozenset[str]) -> FileTree:
        """Return a tree without these paths."""
        return FileTree(tuple((p, e) for p, e in self.entries if p not in paths))


def _group_name(paths: list[str]) -> str:
    return paths[0] if len(paths) > 1 else ""
