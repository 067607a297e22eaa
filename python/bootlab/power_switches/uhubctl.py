# SPDX-License-Identifier: MIT
"""USB hubs that switch their ports, by uhubctl. Source: https://github.com/mvp/uhubctl (Debian: uhubctl)."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys


class Uhubctl(PowerSwitchKeys, frozen=True, kw_only=True):
    """A port. `hub`: its place as uhubctl lists it (`1-1`); `port` counts from 1."""

    # USB 2.0, table 11-13, bPwrOn2PwrGood: up to 255 steps of 2 ms.
    tells_no_instant: ClassVar[str] = "ends when the hub has taken the request; power is good up to 510 ms later"

    hub: str
    port: Annotated[int, msgspec.Meta(ge=1, le=15)]

    def on(self) -> Command:
        """Return the command for on."""
        return ("uhubctl", "-l", self.hub, "-p", str(self.port), "-a", "on")

    def off(self) -> Command:
        """Return the command for off."""
        return ("uhubctl", "-l", self.hub, "-p", str(self.port), "-a", "off")
