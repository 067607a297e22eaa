# SPDX-License-Identifier: MIT
"""USB relay boards, by usbrelay. Source: https://github.com/darrylb123/usbrelay (Debian: usbrelay)."""

from __future__ import annotations

from typing import ClassVar

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys


class UsbRelay(PowerSwitchKeys, frozen=True, kw_only=True):
    """A relay. `relay`: its name as `usbrelay` lists it (`HURTM_1`). `opens`: power flows while the relay is open."""

    tells_no_instant: ClassVar[str] = "ends when the relay board has taken the report, and hears nothing of the relay"

    relay: str
    opens: bool = False

    def on(self) -> Command:
        """Return the command for on."""
        return ("usbrelay", f"{self.relay}={int(not self.opens)}")

    def off(self) -> Command:
        """Return the command for off."""
        return ("usbrelay", f"{self.relay}={int(self.opens)}")
