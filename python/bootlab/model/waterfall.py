# SPDX-License-Identifier: MIT
"""From the base to the result, bar by bar: the system with the first change, with the first two, and so on."""

from __future__ import annotations

import msgspec

_APART_NS = 1_000_000
_APART = 0.2


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bar: the changes that it adds, and when the goal comes before and with them (one boot each).

    `after_ns` None: with these changes alone on top of the ones before it does not reach its goal. `partner`: the later
    changes with which its only change saves another amount than alone.
    """

    changes: tuple[str, ...]
    before_ns: int
    after_ns: int | None
    key: str = ""
    partner: tuple[str, ...] = ()

    @property
    def saved_ns(self) -> int | None:
        """Time saved by this bar, nanoseconds (negative: lost)."""
        return None if self.after_ns is None else self.before_ns - self.after_ns

    def differs(self, cost_ns: int) -> bool:
        """Tell whether its place in the order matters: `cost_ns` is what leaving it out of the result costs."""
        saved_ns = self.saved_ns
        apart = abs((saved_ns or 0) - cost_ns)
        return saved_ns is not None and apart > _APART_NS and apart > _APART * max(abs(saved_ns), abs(cost_ns))
