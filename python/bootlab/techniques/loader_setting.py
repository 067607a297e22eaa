# SPDX-License-Identifier: MIT
"""Techniques about a boot loader that bootlab can change, and those that are one setting of the table [loader]."""

from __future__ import annotations

import abc
from typing import ClassVar

from bootlab.model.board import board
from bootlab.model.boot_loader import Loader, loader_board
from bootlab.model.change import Change, SetLoader
from bootlab.techniques.base import Answer, Applies, Context, Proof, StageName, Technique
from bootlab.techniques.loader_built import built_loader, given_loader


class LoaderTechnique(Technique):
    """Changes the boot loader. `needs_build`: only a boot loader that bootlab builds can be changed in this way."""

    stage: StageName = "loader"
    proof: Proof = "recording"
    needs_build: ClassVar[bool] = True

    def applies(self, context: Context) -> Applies:
        """No without a boot loader that can be changed; else what `applies_to` says."""
        loader = built_loader(context) if self.needs_build else given_loader(context)
        return loader if isinstance(loader, Applies) else self.applies_to(loader, context)

    @abc.abstractmethod
    def applies_to(self, loader: Loader, context: Context) -> Applies:
        """Say whether there is anything to gain with this boot loader."""


class LoaderSetting(LoaderTechnique):
    """Sets keys of [loader], the same on every system: about what lies on a card and how it is read."""

    sets: ClassVar[SetLoader]
    ends = ("firmware",)

    def applies(self, context: Context) -> Applies:
        """No where the emulator puts into memory what a board would read from a card."""
        found = super().applies(context)
        machine = context.system.machine
        if found.answer is not Answer.NO and context.system.target == "qemu" and loader_board(board(machine)) is None:
            return Applies.no("it is about a card, and this machine has none", f"machine.type = {machine.type}")
        return found

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002 - the same on every system
        """Propose the setting."""
        return (Change(technique=self.id, ops=(self.sets,)),)
