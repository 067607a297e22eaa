# SPDX-License-Identifier: MIT
"""PDUs behind pdudaemon, LAVA's service for them. Source: https://github.com/pdudaemon/pdudaemon (README)."""

from __future__ import annotations

from typing import Annotated, ClassVar
from urllib.parse import urlencode

import msgspec

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys
from bootlab.power_switches.web_switch import asking


class PduDaemon(PowerSwitchKeys, frozen=True, kw_only=True):
    """An outlet. `server`: HOST:PORT of the daemon; `pdu`: the name that its configuration gives the PDU.

    The daemon answers before it switches, so let time begin at the first byte: `zero = "console"`.
    """

    tells_no_instant: ClassVar[str] = "answers before it switches"

    pdu: str
    port: Annotated[int, msgspec.Meta(ge=0, le=1024)]
    server: str = "localhost:16421"

    def on(self) -> Command:
        """Return the request for on."""
        return self._to("on")

    def off(self) -> Command:
        """Return the request for off."""
        return self._to("off")

    def _to(self, state: str) -> Command:
        outlet = urlencode({"hostname": self.pdu, "port": self.port})
        return asking(f"http://{self.server}/power/control/{state}?{outlet}", answers_first=True)
