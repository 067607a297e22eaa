# SPDX-License-Identifier: MIT
"""Switching a board on and off."""

from __future__ import annotations

from typing import Protocol

import msgspec

from bootlab.boards import switch_report
from bootlab.boards.command import CommandFailed, run
from bootlab.boards.switch_report import BothClocks, Reported
from bootlab.errors import TargetError
from bootlab.model.real_board import Command, PowerSwitch


class PowerFailed(TargetError):
    """The board could not be switched."""


class Switched(msgspec.Struct, frozen=True):
    """When power came: between these two instants of CLOCK_MONOTONIC_RAW, nanoseconds.

    `reported`: when the switch itself says that it was, where it was asked for that.
    """

    from_ns: int
    to_ns: int
    reported: Reported | None = None


class Power(Protocol):
    """Something that switches a board."""

    off_s: float
    """How long the board has to stay without power."""

    @property
    def guard(self) -> Command:
        """The command that switches the board off when bootlab cannot any more."""

    @property
    def environment(self) -> dict[str, str]:
        """What that command finds in its environment besides bootlab's own."""

    def on(self) -> Switched:
        """Switch on. Raise PowerFailed."""

    def off(self) -> None:
        """Switch off: one try. Raise PowerFailed."""


class CommandPower:
    """Power by the user's commands."""

    def __init__(self, switch: PowerSwitch, environment: dict[str, str] | None = None) -> None:
        """Use these commands; `environment` is added to bootlab's own."""
        self._switch = switch
        self.environment = environment or {}
        self.off_s = switch.off_s

    @property
    def guard(self) -> Command:
        """Return the command for off."""
        return self._switch.off

    def on(self) -> Switched:
        """Run the command for on."""
        began = switch_report.now()
        try:
            said = run(self._switch.on, timeout_s=self._switch.timeout_s, environment=self.environment)
        except CommandFailed as fault:
            raise PowerFailed(f"the board cannot be switched on: {fault.message}", hint=fault.hint) from fault
        ended = switch_report.now()
        found = self._reported(said, began, ended) if self._switch.zero == "reported" else None
        return Switched(began.raw_ns, ended.raw_ns, found)

    def _reported(self, said: str, began: BothClocks, ended: BothClocks) -> Reported:
        """Return when the switch says that it switched. Raise PowerFailed: boots with two zeros are not one series."""
        hint = 'power.on prints `switched at SECONDS within SECONDS`, or power.zero = "switched"'
        try:
            found = switch_report.reported(said, began, ended)
        except ValueError as fault:
            raise PowerFailed(f"the switch's report cannot be right: {fault}", hint=hint) from fault
        if found is None and self._switch.switches_while_it_runs:
            return switch_report.between(began, ended)
        if found is None:
            raise PowerFailed('power.on does not report when it switched, as zero = "reported" wants', hint=hint)
        return found

    def off(self) -> None:
        """Run the command for off."""
        if not self._switch.off:
            return
        try:
            run(self._switch.off, timeout_s=self._switch.timeout_s, environment=self.environment)
        except CommandFailed as fault:
            raise PowerFailed(f"the board cannot be switched off: {fault.message}", hint=fault.hint) from fault
