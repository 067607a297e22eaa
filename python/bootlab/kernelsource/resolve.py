# SPDX-License-Identifier: MIT
"""From the names in a kernel's symbol table to source files: by definition, by configuration, by order of addresses.

The linker lays objects out one after another, so all functions of one object stand together in each section
(kernel: include/asm-generic/vmlinux.lds.h). A name that several files define is told apart by its neighbours; a name
that no file defines in so many words (macros of headers make many) is its neighbours' when both are of one object.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.functions import Defined, FunctionIndex
from bootlab.kernelsource.kbuild import Built, Kbuild

Certainty: TypeAlias = Literal["resolved", "ambiguous", "unknown"]
_OF_THE_COMPILER = re.compile(r"\.(isra|constprop|part|cold|llvm|lto_priv|localalias|unlikely|hot|startup)\b.*$")
_SYSTEM_CALL = re.compile(r"(__\w+_)?(compat_)?sys_\w+")
_NO_CALL = "kernel/sys_ni"
"""COND_SYSCALL: what stands in, weakly, for a system call that the configuration leaves out."""
_GAP = 60
"""Most names without a definition between two of one object."""


def as_in_source(name: str) -> str:
    """Return a function's name without what the compiler puts behind it for a part or a copy: `probe.isra.0`."""
    return _OF_THE_COMPILER.sub("", name)


class DefinedAt(msgspec.Struct, frozen=True, kw_only=True):
    """Where a function comes from. `why`: the evidence; `others`: files that define it as well."""

    name: str
    certainty: Certainty
    file: str = ""
    line: int = 0
    stem: str = ""
    """The object that holds it, without its suffix."""
    why: str = ""
    others: tuple[str, ...] = ()


class _Candidate(msgspec.Struct, frozen=True):
    file: str
    line: int
    local: bool
    stem: str


class Resolver:
    """Resolves names with a tree's index and Makefiles, and a configuration where there is one."""

    def __init__(self, index: FunctionIndex, kbuild: Kbuild, advisor: Advisor | None) -> None:
        """Take what is known of the tree."""
        self.index, self.kbuild, self.advisor = index, kbuild, advisor
        self._holders: dict[str, list[str]] = {}
        self._built: dict[str, bool] = {}
        for ending in (".c", ".S"):
            for name, users in index.including(ending).items():
                for user in users:
                    near = posixpath.normpath(posixpath.join(posixpath.dirname(user), name))
                    for path in {near, posixpath.normpath(name)}:
                        self._holders.setdefault(path, []).append(user)

    def resolve(self, table: Sequence[tuple[str, str]]) -> list[DefinedAt]:
        """Resolve functions in the order of their addresses: (name, kind letter of nm or "")."""
        plain = [as_in_source(name) for name, _ in table]
        defined = self.index.named(plain)
        choices = [
            self._candidates(name, defined.get(name, ()), kind) for name, (_, kind) in zip(plain, table, strict=True)
        ]
        stems: list[str | None] = []
        for options in choices:
            objects = {option.stem for option in options}
            stems.append(objects.pop() if len(objects) == 1 else None)
        certain = list(stems)
        places = []
        for at, (name, _) in enumerate(table):
            options = choices[at]
            if len(options) == 1 or (options and stems[at] is not None):
                places.append(_place(name, options[0], "the only definition"))
                continue
            before, after = _beside(certain, at, -1), _beside(certain, at, 1)
            near = [option for option in options if option.stem in {before, after}]
            elsewhere = tuple(dict.fromkeys(d.file for d in defined.get(plain[at], ())))
            if not options:
                places.append(self._between(name, before, after, elsewhere))
            elif len({option.stem for option in near}) == 1:
                places.append(_place(name, near[0], "its neighbours by address are of this object"))
            else:
                files = tuple(dict.fromkeys(option.file for option in options))
                places.append(DefinedAt(name=name, certainty="ambiguous", others=files, why="several files define it"))
        return places

    def named(self, name: str) -> DefinedAt:
        """Resolve one name without its neighbours."""
        return self.resolve([(name, "")])[0]

    def _between(self, name: str, before: str | None, after: str | None, elsewhere: tuple[str, ...]) -> DefinedAt:
        if before is not None and before == after:
            source = self.source(before)
            return DefinedAt(
                name=name, certainty="resolved", file=source, stem=before, why="is between functions of this object"
            )
        why = (
            "defined, but not in this image: a module, or not built"
            if elsewhere
            else "no source file defines it as such"
        )
        return DefinedAt(name=name, certainty="unknown", why=why, others=elsewhere)

    def source(self, stem: str) -> str:
        """Return the source file of an object."""
        for ending in (".c", ".S"):
            if (self.kbuild.tree / f"{stem}{ending}").is_file():
                return stem + ending
        return ""

    def _candidates(self, name: str, defined: Sequence[Defined], kind: str) -> list[_Candidate]:
        """Return the definitions that can be in the image."""
        if kind in {"W", "w"} and _SYSTEM_CALL.fullmatch(name) and self.in_image(_NO_CALL):
            return [_Candidate(f"{_NO_CALL}.c", 0, False, _NO_CALL)]
        found: list[_Candidate] = []
        for one in defined:
            for stem in self.objects(one.file):
                candidate = _Candidate(one.file, one.line, one.kind == "L", stem)
                if all((c.file, c.stem) != (one.file, stem) for c in found):
                    found.append(candidate)
        if kind in {"T", "W", "V"}:
            found = [c for c in found if not c.local] or found
        return found

    def objects(self, file: str, depth: int = 0) -> list[str]:
        """Return the objects of the image that a source file is compiled or included into."""
        stem = file.rpartition(".")[0]
        if self.in_image(stem):
            return [stem]
        if depth > 4:
            return []
        return [found for user in self._holders.get(file, ()) for found in self.objects(user, depth + 1)]

    def in_image(self, stem: str) -> bool:
        """Tell whether an object can be in the image: its Makefile names it and its conditions allow y."""
        known = self._built.get(stem)
        if known is None:
            ways = self.kbuild.objects.get(stem, ())
            known = any(self.advisor is None or self.advisor.known(way.condition).high == 2 for way in ways)
            self._built[stem] = known
        return known

    def ways(self, stem: str) -> list[Built]:
        """Return how an object gets into the image, those that hold now first."""
        ways = self.kbuild.objects.get(stem, [])
        if self.advisor is None:
            return ways
        advisor = self.advisor
        return sorted(ways, key=lambda way: -advisor.known(way.condition).low)


def _place(name: str, option: _Candidate, why: str) -> DefinedAt:
    return DefinedAt(name=name, certainty="resolved", file=option.file, line=option.line, stem=option.stem, why=why)


def _beside(stems: Sequence[str | None], at: int, step: int) -> str | None:
    for distance in range(1, _GAP + 1):
        other = at + step * distance
        if not 0 <= other < len(stems):
            return None
        if stems[other] is not None:
            return stems[other]
    return None
