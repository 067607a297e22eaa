# SPDX-License-Identifier: MIT
"""What a search gave up, by checks of the base and of its result: each thing that they say differently of the two."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal[
    "protection", "hardening", "kernel fault", "error", "warning", "unit", "program", "network", "clock", "power-off"
]
"""`protection`: the kernel's own words on what protects it; `hardening`: a row of kernel-hardening-checker; `kernel
fault`: an oops, a BUG, a WARNING; `error`, `warning`: a message of that level that the base does not have."""

NOTHING = "nothing"
"""How a thing is called that was not said."""

FAULT: Kind = "kernel fault"
TOLD_ONLY: frozenset[Kind] = frozenset({"protection", "hardening", "warning"})
"""Nothing is refused for these: whether one is a loss is for people to judge."""


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """One thing of a system, before and after."""

    kind: Kind
    subject: str
    """Which one: a protection, an option, a message, a unit, a program, a route, a port."""
    before: str = ""
    """What was said of it in the base; "": nothing."""
    after: str = ""
    """What was said of it in the result."""
    leave: str = ""
    """Why it may be: it comes with changes that the user let in although they cost something."""

    @property
    def refused(self) -> bool:
        """Tell whether no result may have it."""
        return self.kind not in TOLD_ONLY and not self.leave

    @property
    def sentence(self) -> str:
        """Say it in one line."""
        return f"{self.kind} {self.subject}: {self.before or NOTHING} before, {self.after or NOTHING} after"
