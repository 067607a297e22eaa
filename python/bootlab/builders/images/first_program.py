# SPDX-License-Identifier: MIT
"""Whether the program that a kernel starts first can start: the mistakes that end in `error -2`, `error -8`, `-13`."""

from __future__ import annotations

from bootlab.builders.tree_needs import Content, Need, TreeNeeds
from bootlab.errors import UserError
from bootlab.model.architecture import Arch
from bootlab.model.tree import Entry, FileTree

_DEPTH_MAX = 5


def check(tree: FileTree, path: str, arch: Arch) -> None:
    """Follow a program through links, `#!`, the dynamic loader and libraries. Raise UserError with what is wrong."""
    check_needs(TreeNeeds(tree, arch), path, arch)


def check_needs(needs: TreeNeeds, path: str, arch: Arch) -> None:
    """Do the same with a tree that was looked at before."""
    trail = path
    for _ in range(_DEPTH_MAX):
        way = needs.follow(path)
        if way.looped:
            raise UserError(f"{trail}: symbolic links in a loop", hint="ls -l each of them")
        if way.entry is None:
            raise UserError(f"{trail} is not in the tree", hint="put it there, or name another init in cmdline")
        _check_mode(way.entry, trail)
        content = needs.content(way.path)
        following = _following(content, needs.of(way.path), trail, arch)
        if following is None:
            return
        path = following
        trail = f"{path} (interpreter of {trail})"
    raise UserError(f"{trail}: the chain of interpreters is too long", hint="the kernel follows only a few levels")


def _check_mode(entry: Entry, trail: str) -> None:
    if entry.kind != "file":
        raise UserError(f"{trail} is a {entry.kind}, not a program", hint="name a program: init=/sbin/init in cmdline")
    if not entry.mode & 0o111:
        raise UserError(
            f"{trail} is not executable (mode {entry.mode:04o}); the kernel would answer error -13",
            hint='give it mode = "0755"',
        )


def _following(content: Content, needs: tuple[Need, ...], trail: str, arch: Arch) -> str | None:
    """Return the interpreter to look at next; None when the program stands on its own."""
    if content.broken:
        raise UserError(f"{trail} is a broken ELF file", hint="build or copy it again")
    if content.interpreter is not None:
        if not content.interpreter:
            raise UserError(f"{trail} names no interpreter after #!", hint="write #!/bin/sh")
        if content.carriage_return:
            raise UserError(
                f"the first line of {trail} ends with a carriage return, which the kernel takes as a part of it",
                hint="save it with Unix line ends: sed -i 's/\\r$//' FILE",
            )
        return content.interpreter
    if content.elf is None:
        raise UserError(f"{trail} is neither an ELF program nor a script", hint="a script starts with #!/bin/sh")
    if not content.elf.runs_on(arch):
        raise UserError(
            f"{trail} is a program for {content.elf.machine_name}; the machine is {arch}",
            hint="the kernel would answer error -8; use the program of the right architecture",
        )
    for need in needs:
        if need.kind == "library" and not need.met:
            raise UserError(
                f"{trail} needs the library {need.name}, which is not in the tree",
                hint="put it there (ldd lists all), or link the program statically",
            )
    return content.elf.interpreter
