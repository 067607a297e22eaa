# SPDX-License-Identifier: MIT
"""What follows from the view of an initcall, which has the fields (see `readings`)."""

from __future__ import annotations

from typing import Any


class OfInitcall:
    """One run of one initcall."""

    __slots__ = ()

    @property
    def label(self: Any) -> str:
        """`name [module] #2`."""
        module = f" [{self.module}]" if self.module else ""
        return f"{self.name}{module}" + (f" #{self.instance}" if self.instance > 1 else "")

    @property
    def best_duration_ns(self: Any) -> int | None:
        """The true duration, or the printed one when there are no stamps."""
        stamped: int | None = self.duration_ns
        printed: int | None = self.printed_us
        if stamped is not None:
            return stamped
        return None if printed is None else printed * 1000
