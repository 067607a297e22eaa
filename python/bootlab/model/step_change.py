# SPDX-License-Identifier: MIT
"""A system after one of its steps."""

from __future__ import annotations

import fnmatch

import msgspec

from bootlab.errors import UserError
from bootlab.model.steps import Step
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree


def after_step(system: SystemDescription, step: Step) -> SystemDescription:
    """Return the system with the step's files and parameters; its technique is the caller's.

    Raise UserError for a pattern that removes nothing: it would be a mistake in the file that nobody sees.
    """
    if step.remove or step.tree.entries:
        if system.tree is None:
            raise UserError(f"step {step.name}: the system has no root tree", hint="add [root] or [initramfs]")
        system = system.with_tree(_changed(step, system.tree))
    if step.programs:
        built = {program.path: program for program in (*system.programs, *step.programs)}
        system = msgspec.structs.replace(system, programs=tuple(built.values()))
    line = system.cmdline
    for key in step.drop:
        line = line.without(key)
    for param in step.set:
        line = line.with_param(param.key, param.value)
    if step.arguments is not None:
        line = msgspec.structs.replace(line, init_args=step.arguments)
    return msgspec.structs.replace(system, cmdline=line)


def _changed(step: Step, tree: FileTree) -> FileTree:
    gone: set[str] = set()
    for pattern in step.remove:
        found = {path for path, _ in tree.entries if fnmatch.fnmatchcase(path, pattern)}
        if not found:
            raise UserError(
                f"step {step.name}: nothing in the tree matches remove = {pattern!r}",
                hint="patterns are shell patterns for the whole path; * also matches /",
            )
        gone |= found
    gone = {path for path in gone if not any(fnmatch.fnmatchcase(path, pattern) for pattern in step.keep)}
    kept: dict[str, Entry] = {path: entry for path, entry in tree.entries if path not in gone}
    return FileTree.of({**kept, **step.tree.as_dict()})
