"""From the base to the result, bar by bar: the system with the first change, with the first two, and so on."""

from __future__ import annotations

import msgspec


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bar: the changes that it adds, and when the goal comes before and with them (one boot each).

    `after_ns` None: with these changes alone on top of the ones before it does not reach its goal.
    """

    changes: tuple[str, ...]
    before_ns: int
    after_ns: int | None
    key: str = ""

    @property
    def saved_ns(self) -> int | None:
        """Time saved by this bar, nanoseconds (negative: lost)."""
        return None if self.after_ns is None else self.before_ns - self.after_ns
