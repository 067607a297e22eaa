# SPDX-License-Identifier: MIT
"""Switching a board on and off."""

from __future__ import annotations

import time
from typing import Protocol

import msgspec

from bootlab.boards.command import CommandFailed, run
from bootlab.errors import TargetError
from bootlab.model.real_board import Command, PowerSwitch


class PowerFailed(TargetError):
    """The board could not be switched."""


class Switched(msgspec.Struct, frozen=True):
    """When power came: between these two instants of CLOCK_MONOTONIC_RAW, nanoseconds."""

    from_ns: int
    to_ns: int


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
        from_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        try:
            run(self._switch.on, timeout_s=self._switch.timeout_s, environment=self.environment)
        except CommandFailed as fault:
            raise PowerFailed(f"the board cannot be switched on: {fault.message}", hint=fault.hint) from fault
        return Switched(from_ns, time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))

    def off(self) -> None:
        """Run the command for off."""
        if not self._switch.off:
            return
        try:
            run(self._switch.off, timeout_s=self._switch.timeout_s, environment=self.environment)
        except CommandFailed as fault:
            raise PowerFailed(f"the board cannot be switched off: {fault.message}", hint=fault.hint) from fault
