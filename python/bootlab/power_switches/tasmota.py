# SPDX-License-Identifier: MIT
"""Sockets with Tasmota's firmware, over HTTP. Source: https://tasmota.github.io/docs/Commands/#with-web-requests."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import msgspec

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys
from bootlab.power_switches.web_switch import asking


class Tasmota(PowerSwitchKeys, frozen=True, kw_only=True):
    """A socket without a password. `relay` counts from 1; 0 is the one of a device that has no more.

    With a password, write `on` and `off` instead (curl's --netrc): a command that fails is shown with all its words.
    """

    host: str
    relay: Annotated[int, msgspec.Meta(ge=0, le=28)] = 0

    def on(self) -> Command:
        """Return the request for on; the device answers with the state that it then has."""
        return self._to("ON")

    def off(self) -> Command:
        """Return the request for off."""
        return self._to("OFF")

    def _to(self, state: str) -> Command:
        relay = f"POWER{self.relay or ''}"
        return asking(f"http://{self.host}/cm?cmnd={quote(f'{relay} {state}')}", relay, state)
