# SPDX-License-Identifier: MIT
"""Shelly's relays, over HTTP. Source: https://shelly-api-docs.shelly.cloud/ (/relay, Switch.Set)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys
from bootlab.power_switches.web_switch import asking


class Shelly(PowerSwitchKeys, frozen=True, kw_only=True):
    """A relay. `channel` counts from 0. `generation`: 1, or 2 for all later ones, whose interface is another.

    The later ones answer with the state that they had; that they could not switch they say by an HTTP error.
    """

    host: str
    channel: Annotated[int, msgspec.Meta(ge=0, le=7)] = 0
    generation: Literal[1, 2] = 2

    def on(self) -> Command:
        """Return the request for on."""
        return self._to(True)

    def off(self) -> Command:
        """Return the request for off."""
        return self._to(False)

    def _to(self, on: bool) -> Command:
        if self.generation == 1:
            return asking(f"http://{self.host}/relay/{self.channel}?turn={'on' if on else 'off'}", "ison", on)
        return asking(f"http://{self.host}/rpc/Switch.Set?id={self.channel}&on={'true' if on else 'false'}")
