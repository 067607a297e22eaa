# SPDX-License-Identifier: MIT
"""PDUs that speak SNMP, by net-snmp's snmpset. Source: snmpset(1) (Debian: snmp); values of APC's PowerNet-MIB."""

from __future__ import annotations

from typing import ClassVar, Literal

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys


class Snmp(PowerSwitchKeys, frozen=True, kw_only=True):
    """An outlet. `oid`: the object that is set, of type integer. `on_value`, `off_value`: APC's are 1 and 2."""

    # PowerNet-MIB has an object for that: rPDUOutletStatusCommandPending.
    tells_no_instant: ClassVar[str] = "answers when the PDU has taken the command, which may be pending then"

    host: str
    oid: str
    community: str = "private"
    version: Literal["1", "2c"] = "1"
    on_value: int = 1
    off_value: int = 2

    def on(self) -> Command:
        """Return the command for on."""
        return self._to(self.on_value)

    def off(self) -> Command:
        """Return the command for off."""
        return self._to(self.off_value)

    def _to(self, value: int) -> Command:
        return ("snmpset", "-v", self.version, "-c", self.community, self.host, self.oid, "i", str(value))
