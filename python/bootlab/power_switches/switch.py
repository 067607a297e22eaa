# SPDX-License-Identifier: MIT
"""What a power switch is for bootlab: its keys, and the commands for on and off that they make."""

from __future__ import annotations

from typing import ClassVar, Protocol

import msgspec

from bootlab.model.real_board import Command


class PowerSwitchKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all switches: its fields are the keys of `[power]` that only this switch knows.

    A switch also has the two methods of :class:`PowerSwitchCommands`.
    """

    switches_while_it_runs: ClassVar[bool] = False
    """The power comes between the start of the command for on and its end, so that `zero = "reported"` needs no line of
    its own: the middle, sure to half of it."""

    tells_no_instant: ClassVar[str] = ""
    """Why nobody knows when the power comes, in words that complete "it"; "" where the command may say it."""


class PowerSwitchCommands(Protocol):
    """The commands that a switch makes of its keys.

    Commands, and not calls into the driver: the guard that switches a board off after bootlab was killed knows
    nothing else. A command fails (any code but 0) when the switch does not say that it has done it.
    """

    def on(self) -> Command:
        """Return the words of the command that switches the board on."""

    def off(self) -> Command:
        """Return the words of the command that switches the board off."""
