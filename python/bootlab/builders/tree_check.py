# SPDX-License-Identifier: MIT
"""A tree looked at before it is booted: programs that could not start, and what each of them lacks."""

from __future__ import annotations

import msgspec

from bootlab.builders.cache import Cache
from bootlab.builders.images import first_program
from bootlab.builders.images.members import root_of, size_of
from bootlab.builders.programs import with_built_programs
from bootlab.builders.tree_needs import Content, Need, TreeNeeds
from bootlab.errors import UserError
from bootlab.model.architecture import Arch
from bootlab.model.system import SystemDescription
from bootlab.model.tree import FileTree

FINDINGS_MAX = 200


class TreeFault(msgspec.Struct, frozen=True, kw_only=True):
    """Something in a tree that will not work. `fatal`: the system's first program cannot start, so nothing will."""

    path: str
    message: str
    hint: str
    fatal: bool = False


def check_first_program(system: SystemDescription, cache: Cache) -> None:
    """Raise UserError when the first program of a system's tree cannot start, or there is no room for the tree.

    A system that has no tree, or is not booted here, is left alone; so is an initramfs without /init beside a `root=`,
    where the kernel mounts that root.
    """
    if system.target != "qemu":
        return
    if system.tree is not None:
        system = with_built_programs(system, cache)
        _check_first(system, TreeNeeds(system.tree or FileTree(), system.machine.arch))
    _check_room(system)


def _check_first(system: SystemDescription, needs: TreeNeeds) -> None:
    init = system.init_path
    if system.root is None and system.cmdline.has("root") and needs.follow(init).entry is None:
        return
    try:
        first_program.check_needs(needs, init, system.machine.arch)
    except UserError as error:
        raise UserError(
            f"the first program cannot start: {error.message}",
            hint=f"{error.hint}   (bootlab boot --force boots it anyway)",
        ) from error


def _check_room(system: SystemDescription) -> None:
    """Raise UserError when an initramfs holds more than the machine's memory."""
    if system.initramfs is None:
        return
    size = sum(size_of(member) for member in root_of(system.initramfs.tree).walk() if not member.link_to)
    memory = system.machine.memory_mib << 20
    if size > memory:
        raise UserError(
            f"the files of the initramfs are {size} bytes, the machine has {memory} bytes of memory",
            hint="raise machine.memory_mib, leave files out (bootlab rootfs trim), or put the tree on a medium: [root]",
        )


def check_tree(system: SystemDescription, cache: Cache) -> tuple[TreeFault, ...]:
    """Return what cannot run in a system's tree, at most FINDINGS_MAX, the first program's trouble first.

    Raise UserError when a file of the tree cannot be read.
    """
    system = with_built_programs(system, cache)
    if system.tree is None:
        return ()
    arch = system.machine.arch
    needs = TreeNeeds(system.tree, arch)
    found: list[TreeFault] = []
    try:
        _check_first(system, needs)
        _check_room(system)
    except UserError as error:
        found.append(TreeFault(path=system.init_path, message=error.message, hint=error.hint, fatal=True))
    for path, entry in system.tree.entries:
        if len(found) >= FINDINGS_MAX:
            break
        if found and found[0].fatal and path == system.init_path:
            continue
        if entry.kind == "symlink" and needs.follow(path).looped:
            found.append(TreeFault(path=path, message="is a link in a loop", hint="make the link again"))
        elif entry.kind == "file" and entry.mode & 0o111:
            found += _of_program(needs, path, arch)
    return tuple(found[:FINDINGS_MAX])


def _of_program(needs: TreeNeeds, path: str, arch: Arch) -> list[TreeFault]:
    content = needs.content(path)
    if not content.is_program:
        return []
    if content.broken:
        return [TreeFault(path=path, message="is a broken ELF file", hint="copy it again")]
    if content.elf is not None and not content.elf.runs_on(arch):
        message = f"is for {content.elf.machine_name}, the machine is {arch}: error -8 (Exec format error)"
        return [TreeFault(path=path, message=message, hint="take the program of the right architecture")]
    if content.interpreter == "":
        return [TreeFault(path=path, message="names no interpreter after #!", hint="write #!/bin/sh")]
    if content.carriage_return and not (content.interpreter or "").endswith("\r"):
        message = f"hands a carriage return over to {content.interpreter}: its first line ends with one"
        return [TreeFault(path=path, message=message, hint="save the script with Unix line ends")]
    return [_unmet(path, content, need) for need in needs.of(path) if not need.met]


def _unmet(path: str, content: Content, need: Need) -> TreeFault:
    what = {"interpreter": "its interpreter", "loader": "its loader", "library": "the library"}[need.kind]
    why = "its links never end" if need.way.looped else "which is not in the tree"
    hint = "put it there, or leave the program out"
    if need.kind == "interpreter" and need.name.endswith("\r"):
        why, hint = "whose name ends with a carriage return", "save the script with Unix line ends"
    elif content.elf is not None and need.kind == "loader":
        hint = "put the C library there, or link the program statically"
    # The kernel looks for interpreters and loaders, ld.so for libraries.
    answer = "ld.so ends it with 127" if need.kind == "library" else "error -2 (No such file or directory)"
    return TreeFault(path=path, message=f"needs {what} {need.name!r}, {why}: {answer}", hint=hint)
