# SPDX-License-Identifier: MIT
"""A cost of the boot that no single initcall is the owner of: leave one out, and another one pays."""

from __future__ import annotations

from typing import Literal

import msgspec


class SharedCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a traced boot shows of it.

    `kind`: "once" where the first of several callers pays for all of them (`function` ran a single time, below
    `guard`, which returned at once to every later caller); "work" where an initcall queues what a kernel thread then
    does while others wait for it. `initcalls` share the cost, `payer` first; all of them must go for it to go.
    """

    kind: Literal["once", "work"]
    function: str
    cost_ns: int
    initcalls: tuple[str, ...]
    guard: str = ""

    @property
    def payer(self) -> str:
        """The initcall that paid in the traced boot, or that queued the work."""
        return self.initcalls[0]
