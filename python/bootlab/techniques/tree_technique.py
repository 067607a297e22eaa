# SPDX-License-Identifier: MIT
"""Techniques that change how the root tree starts share what they ask first, and how they propose."""

from __future__ import annotations

import abc

from bootlab.model.change import Change, Op
from bootlab.model.system import SystemDescription
from bootlab.startup import units
from bootlab.startup.files import TreeFiles
from bootlab.techniques.base import Applies, Context, Proof, Source, StageName, Technique
from bootlab.techniques.missing import NO_APPLICATION


class TreeTechnique(Technique):
    """Puts other files into the root tree. Only diagnostic boots show what they do, unless a technique says else."""

    stage: StageName = "init"
    rests_on: tuple[Source, ...] = ("initramfs",)
    needs_diagnosis: bool = True
    proof: Proof = "diagnosis"

    def applies(self, context: Context) -> Applies:
        """No without a tree; else what `applies_to` says."""
        files = TreeFiles.of(context.system)
        if files is None:
            return no_tree(context.system)
        return self.applies_to(files, context)

    @abc.abstractmethod
    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Tell whether there is anything to gain with this tree."""

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose all that is to be done as one variant."""
        files = TreeFiles.of(context.system)
        ops = self.ops(files, context) if files is not None else ()
        return (Change(technique=self.id, ops=ops),) if ops else ()

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Return what is to be done. A technique with several variants writes `changes` instead."""
        del files, context
        return ()


def no_tree(system: SystemDescription) -> Applies:
    """Say why the root's files are not known."""
    if system.root is not None and system.root.image is not None:
        return Applies.no("it takes a root whose files bootlab packs", "root.image is a ready file system")
    return Applies.no("there is no root tree to look into", "neither [initramfs] nor [root] in the system")


class SystemdTechnique(TreeTechnique):
    """Changes what systemd starts."""

    def applies(self, context: Context) -> Applies:
        """No where another init runs; else what `applies_to` says."""
        files = TreeFiles.of(context.system)
        if files is None or not units.is_systemd(files, context.system.init_path):
            return Applies.no("init is not systemd", context.system.init_path)
        return self.applies_to(files, context)


def application_unit(
    files: TreeFiles, system: SystemDescription
) -> tuple[units.SystemdUnit, dict[str, units.SystemdUnit]] | None:
    """Return the unit that starts the application, and all units; None where that cannot be told."""
    if system.application is None or not units.is_systemd(files, system.init_path):
        return None
    known = units.read(files)
    unit = units.of_program(files, known, system.application)
    return (unit, known) if unit is not None else None


def no_unit(system: SystemDescription) -> Applies:
    """Say why no unit is known to start the application."""
    if system.application is None:
        return NO_APPLICATION
    return Applies.unknown("no unit of the tree starts the application", f"application = {system.application}")
