"""Steps: what is done to a system one after the other."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

import msgspec

from bootlab.errors import UserError
from bootlab.model.cmdline import Param
from bootlab.model.program import Program
from bootlab.model.tree import Entry, FileTree

if TYPE_CHECKING:
    from bootlab.model.system import System


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of `[[steps]]`.

    In this order: paths that match a pattern of `remove` and none of `keep` leave the tree, `tree` is laid over it,
    `programs` are built (in place of those of the same path), parameters are dropped and set, `arguments` (None: as
    before) become init's, and `technique` (`ID` or `ID:LABEL`) is applied. `shown` must be found in the boot with the
    step and not before; `gone` before and not with it. `published`: what others gained.
    """

    name: str
    title: str = ""
    remove: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    tree: FileTree = FileTree()
    programs: tuple[Program, ...] = ()
    drop: tuple[str, ...] = ()
    set: tuple[Param, ...] = ()
    arguments: tuple[str, ...] | None = None
    technique: str = ""
    shown: str = ""
    gone: str = ""
    published: str = ""

    def apply(self, system: System) -> System:
        """Return the system with the step's files and parameters; its technique is the caller's.

        Raise UserError for a pattern that removes nothing: it would be a mistake in the file that nobody sees.
        """
        if self.remove or self.tree.entries:
            if system.tree is None:
                raise UserError(f"step {self.name}: the system has no root tree", hint="add [root] or [initramfs]")
            system = system.with_tree(self._changed(system.tree))
        if self.programs:
            built = {program.path: program for program in (*system.programs, *self.programs)}
            system = msgspec.structs.replace(system, programs=tuple(built.values()))
        line = system.cmdline
        for key in self.drop:
            line = line.without(key)
        for param in self.set:
            line = line.with_param(param.key, param.value)
        if self.arguments is not None:
            line = msgspec.structs.replace(line, init_args=self.arguments)
        return msgspec.structs.replace(system, cmdline=line)

    def _changed(self, tree: FileTree) -> FileTree:
        gone: set[str] = set()
        for pattern in self.remove:
            found = {path for path, _ in tree.entries if fnmatch.fnmatchcase(path, pattern)}
            if not found:
                raise UserError(
                    f"step {self.name}: nothing in the tree matches remove = {pattern!r}",
                    hint="patterns are shell patterns for the whole path; * also matches /",
                )
            gone |= found
        gone = {path for path in gone if not any(fnmatch.fnmatchcase(path, pattern) for pattern in self.keep)}
        kept: dict[str, Entry] = {path: entry for path, entry in tree.entries if path not in gone}
        return FileTree.of({**kept, **self.tree.as_dict()})
