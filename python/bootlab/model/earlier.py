# SPDX-License-Identifier: MIT
"""Boots that a system has behind it when it is measured: the keys of `[earlier]`, each described at its field."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.model.key import Range, key
from bootlab.model.shutdown import TYPED

End = Literal["power-cut", "power-button", "ctrl-alt-del", "typed"]
"""How a boot that has reached its goal is ended."""


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """The boots before the one that is measured: how many, and how each of them ended."""

    boots: Annotated[
        int,
        key(
            "how many boots the system has behind it: with 1 its second boot is measured, which finds what the "
            "first one left on disks, cards, flash and NVDIMMs; 1 to 9",
            within=Range(1, 9, "1: the second boot is measured"),
        ),
    ] = 1
    end: Annotated[
        End,
        key(
            "how each of them ends. `power-cut`: the machine is off at once, as when its plug is pulled: what the "
            "guest had written to a medium is there, nothing else. `power-button`: the board's button is pressed, "
            "and the system must switch itself off (logind, acpid). `ctrl-alt-del`: these keys are pressed on a "
            "PC's keyboard, and init must restart the machine. `typed`: `typed` is written on the console"
        ),
    ] = "power-cut"
    typed: Annotated[str, key(TYPED)] = ""
    after_goal_s: Annotated[
        int,
        key(
            "virtual seconds between the goal and that end. In 60 s Linux writes everything to its disks that it "
            "holds back (`vm.dirty_expire_centisecs`: 30 s); 1 to 86400",
            within=Range(1, 86_400, "virtual seconds: 60"),
        ),
    ] = 60
