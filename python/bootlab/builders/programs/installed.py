# SPDX-License-Identifier: MIT
"""A system with its programs in the tree: built, installed, and joined by the libraries that they need."""

from __future__ import annotations

import posixpath
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.own_programs import with_own_programs
from bootlab.errors import ProgramBuildError, UserError
from bootlab.model.program import BuiltFile, BuiltPrograms, ElfFacts, Role
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree

_LINKS_MAX = 40


def with_built_programs(system: SystemDescription, cache: Cache) -> SystemDescription:
    """Return the system with its programs in its tree. One that builds none stays as it is.

    Raise ProgramBuildError, UserError, ToolMissing or EnvironmentFault.
    """
    return _installed(_with_busybox(with_own_programs(system), cache), cache)[0]


def built_programs(system: SystemDescription, cache: Cache) -> tuple[SystemDescription, BuiltPrograms]:
    """Return the same, and what was built."""
    return _installed(_with_busybox(with_own_programs(system), cache), cache)


def facts_file(built: BuiltPrograms, cache: Cache) -> Path:
    """Return a file that says what was built, to lie beside the recording of a boot from it."""
    text = msgspec.json.format(msgspec.json.encode(built), indent=1)

    def make(path: Path) -> None:
        path.write_bytes(text)

    return cache.file(key_of("programs", text), ".programs.json", make)


def _with_busybox(system: SystemDescription, cache: Cache) -> SystemDescription:
    if system.tree is None or not any(entry.busybox is not None for _, entry in system.tree.entries):
        return system
    from bootlab.builders.busybox import with_busybox  # noqa: PLC0415 - only where one is built

    return system.with_tree(with_busybox(system.tree, system.machine.arch, cache))


def _installed(system: SystemDescription, cache: Cache) -> tuple[SystemDescription, BuiltPrograms]:
    if not system.programs:
        return system, BuiltPrograms()
    from bootlab.builders.programs.builder import ProgramBuilder  # noqa: PLC0415 - only where one is built
    from bootlab.builders.programs.libraries import elf_files, missing  # noqa: PLC0415

    if system.tree is None:
        raise UserError(
            f"{system.name} builds programs but has no tree to install them in",
            hint="add a table [initramfs] or [root]",
        )
    builder = ProgramBuilder(cache)
    entries = system.tree.as_dict()
    roles: dict[str, Role] = {}
    compilers: dict[str, None] = {}
    for program in system.programs:
        done = builder.build(program, system.machine.arch)
        compilers[done.compiler.version] = None
        tree = done.tree
        _check_links(program.path, entries, tree)
        # Folders that are there keep their owner and mode.
        entries |= {path: entry for path, entry in tree.entries if entry.kind != "dir" or path not in entries}
        entries[program.path] = msgspec.structs.replace(entries[program.path], mode=program.mode)
        files = elf_files(tree)
        roles.update(dict.fromkeys(files, "own"))
        roles[program.path] = "program"
        for wanted, source in missing(files, entries, done.compiler, program.library_dirs).items():
            place = _through_links(wanted, entries)
            entries[place] = Entry(kind="file", source=str(source), mode=0o755)
            roles[place] = "toolchain"
    tree = FileTree.of(entries)
    facts = elf_files(FileTree.of({path: entries[path] for path in roles}))
    built = BuiltPrograms(
        compilers=tuple(compilers),
        files=tuple(_file(path, roles[path], entries[path], facts[path], cache) for path in sorted(facts)),
    )
    return msgspec.structs.replace(system.with_tree(tree), programs=()), built


def _file(path: str, role: Role, entry: Entry, facts: ElfFacts, cache: Cache) -> BuiltFile:
    return BuiltFile(path=path, role=role, sha256=cache.digest(Path(entry.source or "")), elf=facts)


def _check_links(program: str, entries: dict[str, Entry], tree: FileTree) -> None:
    """Raise ProgramBuildError where a build wants a folder at the place of something else (`/lib` a link)."""
    for path, entry in tree.entries:
        there = entries.get(path)
        if entry.kind == "dir" and there is not None and there.kind != "dir":
            raise ProgramBuildError(
                f"{program} installs into {path}, which is a {there.kind} in the tree",
                hint=f"install into its target: {posixpath.join(posixpath.dirname(path), there.target or '')}",
            )


def _through_links(path: str, entries: dict[str, Entry]) -> str:
    """Return where a file of this name lies when its folder, or one above it, is a symbolic link in the tree."""
    for _ in range(_LINKS_MAX):
        folder = posixpath.dirname(path)
        above = [folder]
        while posixpath.dirname(above[-1]) != above[-1]:
            above.append(posixpath.dirname(above[-1]))
        link = next((name for name in reversed(above) if (e := entries.get(name)) and e.kind == "symlink"), None)
        if link is None:
            return path
        target = posixpath.join(posixpath.dirname(link), entries[link].target or "")
        path = posixpath.normpath(f"{target}{path[len(link) :]}")
    raise UserError(f"{path}: symbolic links in a loop", hint="look at the links of the tree's /lib")
