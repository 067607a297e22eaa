# SPDX-License-Identifier: MIT
"""Where a path leads in a tree of files: symbolic links are followed on every part of it, as the kernel does."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

import msgspec

from bootlab.model.tree import Entry

LINKS_MAX = 40
"""include/linux/namei.h: MAXSYMLINKS."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """What opening a path goes through. `links`: the links on the way; `path`: where it ends; `entry`: what is there.

    `entry` None: nothing is there. `looped`: the links never end.
    """

    links: tuple[str, ...]
    path: str
    entry: Entry | None
    looped: bool = False


def normal(path: str) -> str:
    """Return an absolute path without doubled slashes and dots; the root's parent is the root."""
    return posixpath.normpath("/" + path.lstrip("/"))


def follow(entries: Mapping[str, Entry], path: str) -> Way:
    """Follow a path through a tree, its last part too."""
    links: list[str] = []
    todo = [part for part in reversed(path.split("/")) if part]
    here = ""
    while todo:
        part = todo.pop()
        if part == ".":
            continue
        if part == "..":
            here = here.rpartition("/")[0]
            continue
        at = f"{here}/{part}"
        entry = entries.get(at)
        if entry is None or entry.kind != "symlink":
            here = at
            continue
        links.append(at)
        if len(links) > LINKS_MAX:
            return Way(links=tuple(dict.fromkeys(links)), path=at, entry=None, looped=True)
        target = entry.target or ""
        if target.startswith("/"):
            here = ""
        todo += [part for part in reversed(target.split("/")) if part]
    return Way(links=tuple(links), path=here or "/", entry=entries.get(here))
