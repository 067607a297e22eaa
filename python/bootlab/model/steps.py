# SPDX-License-Identifier: MIT
"""Steps: what is done to a system one after the other, as data."""

from __future__ import annotations

import msgspec

from bootlab.model.cmdline import Param
from bootlab.model.program import Program
from bootlab.model.tree import FileTree


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
