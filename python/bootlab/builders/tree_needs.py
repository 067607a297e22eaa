# SPDX-License-Identifier: MIT
"""What the files of a tree need of each other: interpreters of scripts, loaders and libraries of programs.

Libraries are looked for as ld.so(8) does, as far as a tree can tell: the file's own folders, those of ld.so.conf, the
usual ones; and, because ld.so.cache and LD_LIBRARY_PATH may name others, anywhere in the tree by their name.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.builders.programs import elf
from bootlab.builders.programs.elf import ElfNeeds, NotElf
from bootlab.errors import UserError
from bootlab.formats import magics
from bootlab.model.architecture import Arch
from bootlab.model.tree import Entry, FileTree
from bootlab.model.tree_links import Way, follow, normal

_LINE_MAX_BYTES = 256
"""include/uapi/linux/binfmts.h: BINPRM_BUF_SIZE, the part of a script that the kernel looks at."""
_CONF_MAX_BYTES = 1 << 16
_INCLUDES_MAX = 100
_TRIPLETS: dict[Arch, str] = {
    "x86_64": "x86_64-linux-gnu",
    "arm": "arm-linux-gnueabihf",
    "arm64": "aarch64-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
}


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a file cannot run without. `name` as the file says it; `way`: where that leads."""

    kind: Literal["interpreter", "loader", "library"]
    name: str
    way: Way

    @property
    def met(self) -> bool:
        """Tell whether it is in the tree."""
        return self.way.entry is not None


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What a file is, as far as starting it goes. None of both: data, or a text without `#!`.

    `carriage_return`: the script's first line ends with one, as editors of other systems write it.
    """

    interpreter: str | None = None
    carriage_return: bool = False
    elf: ElfNeeds | None = None
    broken: bool = False

    @property
    def is_program(self) -> bool:
        """Tell whether the kernel could try to run it."""
        return self.interpreter is not None or self.elf is not None or self.broken


class TreeNeeds:
    """A tree that can be asked what its files need."""

    def __init__(self, tree: FileTree, arch: Arch) -> None:
        """Look at a tree for a machine; files are read when they are asked for."""
        self.entries = tree.as_dict()
        self._arch = arch
        self._contents: dict[str, Content] = {}
        self._named: dict[str, list[str]] | None = None
        self._folders: tuple[str, ...] | None = None

    def follow(self, path: str) -> Way:
        """Follow a path through the tree's links."""
        return follow(self.entries, path)

    def content(self, path: str) -> Content:
        """Say what a file is. Raise UserError when its source cannot be read."""
        if path not in self._contents:
            self._contents[path] = _content_of(self.entries[path])
        return self._contents[path]

    def of(self, path: str) -> tuple[Need, ...]:
        """Return what a regular file needs; nothing for data."""
        content = self.content(path)
        if content.interpreter:
            return (Need(kind="interpreter", name=content.interpreter, way=self.follow(content.interpreter)),)
        if content.elf is None:
            return ()
        found = []
        if loader := content.elf.interpreter:
            found.append(Need(kind="loader", name=loader, way=self.follow(loader)))
        asking = content.elf
        found += [Need(kind="library", name=n, way=self._library(path, n, asking)) for n in asking.needed]
        return tuple(found)

    def _library(self, path: str, name: str, asking: ElfNeeds) -> Way:
        if "/" in name:
            return self.follow(name)
        origin = posixpath.dirname(path)
        own = [f.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for f in asking.search_path]
        for folder in (*own, *self._usual()):
            way = self.follow(f"{folder}/{name}")
            if way.entry is not None and self._fits(way.path, asking):
                return way
        for other in self._by_name().get(name, ()):
            way = self.follow(other)
            if way.entry is not None and self._fits(way.path, asking):
                return way
        return Way(links=(), path=f"/{name}", entry=None)

    def _fits(self, path: str, asking: ElfNeeds) -> bool:
        """ld.so passes over libraries for another processor or width."""
        if self.entries[path].kind != "file":
            return False
        other = self.content(path).elf
        # A linker script or an empty stand-in: better taken than missed.
        return other is None or (other.machine == asking.machine and other.wide == asking.wide)

    def _usual(self) -> tuple[str, ...]:
        if self._folders is None:
            triplet = _TRIPLETS[self._arch]
            usual = (f"/lib/{triplet}", f"/usr/lib/{triplet}", "/lib", "/usr/lib", "/lib64", "/usr/lib64")
            self._folders = tuple(dict.fromkeys((*self._configured("/etc/ld.so.conf", [0]), *usual)))
        return self._folders

    def _configured(self, path: str, read: list[int]) -> list[str]:
        """Read ld.so.conf(5) with what it includes."""
        way = self.follow(path)
        read[0] += 1
        if way.entry is None or way.entry.kind != "file" or read[0] > _INCLUDES_MAX:
            return []
        found: list[str] = []
        for line in _head_of(way.entry, _CONF_MAX_BYTES).decode("utf-8", "surrogateescape").splitlines():
            words = line.partition("#")[0].split()
            if words[:1] == ["include"]:
                for pattern in words[1:]:
                    whole = normal(posixpath.join(posixpath.dirname(path), pattern))
                    for other in sorted(fnmatch.filter(self.entries, whole)):
                        found += self._configured(other, read)
            elif words:
                found.append(words[0])
        return found

    def _by_name(self) -> dict[str, list[str]]:
        if self._named is None:
            self._named = {}
            for path, entry in self.entries.items():
                if entry.kind in {"file", "symlink"}:
                    self._named.setdefault(path.rpartition("/")[2], []).append(path)
        return self._named


def _content_of(entry: Entry) -> Content:
    head = _head_of(entry, _LINE_MAX_BYTES)
    if head[:2] == b"#!":
        # fs/binfmt_script.c: spaces and tabs part words; a carriage return is a part of the name.
        line = head[2:].split(b"\n", 1)[0].strip(b" \t")
        name = re.split(rb"[ \t]", line)[0].decode("utf-8", "surrogateescape")
        return Content(interpreter=name, carriage_return=line.endswith(b"\r"))
    if head[:4] != magics.ELF or entry.source is None:
        return Content(broken=head[:4] == magics.ELF)
    try:
        return Content(elf=elf.read_needs(Path(entry.source)))
    except NotElf:
        return Content(broken=True)
    except OSError as error:
        raise _unreadable(entry, error) from error


def _head_of(entry: Entry, size: int) -> bytes:
    if entry.source is None:
        return (entry.text or "").encode("utf-8", "surrogateescape")[:size]
    try:
        with Path(entry.source).open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise _unreadable(entry, error) from error


def _unreadable(entry: Entry, error: OSError) -> UserError:
    return UserError(f"{entry.source} cannot be read: {error.strerror or error}", hint=f"ls -l {entry.source}")
