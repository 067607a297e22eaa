# SPDX-License-Identifier: MIT
"""The shared libraries that programs need: found where the compiler has them, with the places they get in the tree."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from pathlib import Path

from bootlab.builders.programs.elf import NotElf, is_elf, read
from bootlab.builders.programs.toolchain import Compiler
from bootlab.errors import ProgramBuildError
from bootlab.model.program import ElfFacts
from bootlab.model.tree import FileTree

# ld.so(8). Debian's multiarch folders are searched as well, but these by every loader of theirs.
_FOLDERS = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")


def elf_files(tree: FileTree) -> dict[str, ElfFacts]:
    """Return the ELF files of a tree by path. What is broken, or no ELF file, is left out."""
    found = {}
    for path, entry in tree.entries:
        if entry.kind != "file" or entry.source is None:
            continue
        try:
            if is_elf(Path(entry.source)):
                found[path] = read(Path(entry.source))
        except (OSError, NotElf):
            continue
    return found


def missing(
    built: dict[str, ElfFacts], there: Iterable[str], compiler: Compiler, folders: tuple[str, ...]
) -> dict[str, Path]:
    """Return what must be added to a tree: place in the tree and file of this machine, loaders and libraries.

    `built`: the ELF files that need something; `there`: every path of the tree, their own included. Raise
    ProgramBuildError for a library that nobody has.
    """
    paths = set(there)
    searched = _searched(built) | _multiarch(built, paths, compiler)
    names = {posixpath.basename(path) for path in paths if posixpath.dirname(path) in searched}
    added: dict[str, Path] = {}
    folder = "/lib"
    todo = list(built.items())
    for path, facts in todo:
        if facts.interpreter is not None and facts.interpreter not in paths:
            loader = compiler.library(posixpath.basename(facts.interpreter), folders)
            if loader is None:
                raise _nowhere(path, facts.interpreter, compiler)
            added[facts.interpreter] = loader
            paths.add(facts.interpreter)
            folder = _folder_of(loader)
            names.add(posixpath.basename(facts.interpreter))
    position = 0
    while position < len(todo):
        path, facts = todo[position]
        position += 1
        for name in facts.needed:
            # musl's loader is its C library (ldso/dynlink.c: reserved names).
            if name in names or (compiler.libc == "musl" and name == "libc.so"):
                continue
            found = compiler.library(name, folders)
            if found is None:
                raise _nowhere(path, name, compiler)
            names.add(name)
            added[f"{folder}/{name}"] = found
            try:
                todo.append((f"{folder}/{name}", read(found)))
            except NotElf as error:
                raise _nowhere(path, name, compiler) from error
    return added


def _searched(built: dict[str, ElfFacts]) -> set[str]:
    # $ORIGIN and folders of the file's own are told by the file; ld.so(8).
    folders = set(_FOLDERS)
    for path, facts in built.items():
        home = posixpath.dirname(path)
        for part in facts.search_path:
            folders.add(posixpath.normpath(part.replace("${ORIGIN}", home).replace("$ORIGIN", home)))
    return folders


def _multiarch(built: dict[str, ElfFacts], paths: set[str], compiler: Compiler) -> set[str]:
    """Return Debian's folders for the architecture where the tree brings Debian's loader, which searches them."""
    triplet = compiler.prefix.rstrip("-")
    folders = {f"/lib/{triplet}", f"/usr/lib/{triplet}"}
    loaders = {posixpath.basename(facts.interpreter) for facts in built.values() if facts.interpreter is not None}
    there = any(f"{folder}/{name}" in paths for folder in folders for name in loaders)
    return folders if triplet and there else set()


def _folder_of(loader: Path) -> str:
    """Return the folder that a loader searches without being told: the names are texts inside it."""
    try:
        data = loader.read_bytes()
    except OSError:
        return "/lib"
    return next((name for name in ("/lib", "/lib64") if b"\0%s/\0" % name.encode() in data), "/lib")


def _nowhere(path: str, name: str, compiler: Compiler) -> ProgramBuildError:
    return ProgramBuildError(
        f"{path} needs {name}, which is neither in the tree nor where {compiler.name} looks",
        hint='name its folder: [programs."PATH"] library_dirs = ["DIR"], or build with link = "static"',
    )
