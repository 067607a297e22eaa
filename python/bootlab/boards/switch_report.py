# SPDX-License-Identifier: MIT
"""What a power switch says of when it switched: a line of its own, with how sure that is.

    switched at 1764425834.123456 within 0.002

Seconds since 1970 by this machine's clock, as `date +%s.%N` prints them, and by how many seconds the instant may be
wrong to either side.
"""

from __future__ import annotations

import re
import time

import msgspec

_LINE = re.compile(r"^switched at (\d{1,12}(?:\.\d{1,12})?) within (\d{1,6}(?:\.\d{1,12})?)$", re.MULTILINE)
_S = 1_000_000_000


class BothClocks(msgspec.Struct, frozen=True):
    """One instant by two clocks of this machine, nanoseconds: CLOCK_MONOTONIC_RAW and the time since 1970."""

    raw_ns: int
    real_ns: int

    @property
    def ahead_ns(self) -> int:
        """How far the time since 1970 is ahead of the raw clock."""
        return self.real_ns - self.raw_ns


class Reported(msgspec.Struct, frozen=True):
    """When power came as the switch says: CLOCK_MONOTONIC_RAW, and how far that may be wrong to either side."""

    at_ns: int
    scatter_ns: int


def now() -> BothClocks:
    """Return the present by both clocks."""
    return BothClocks(time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns())


def between(began: BothClocks, ended: BothClocks) -> Reported:
    """Return the report of a switch that is known to switch while it runs: the middle, sure to half of it."""
    half_ns = (ended.raw_ns - began.raw_ns + 1) // 2
    return Reported(began.raw_ns + half_ns, half_ns)


def reported(said: str, began: BothClocks, ended: BothClocks) -> Reported | None:
    """Return what the last such line of a switch's output says; None where there is none.

    Where the machine's clock was set, or ran at another speed, while the switch switched, the instant is unsure by as
    much more. Raise ValueError for an instant at which the switch did not run.
    """
    found = [*_LINE.finditer(said.replace("\r\n", "\n"))]
    if not found:
        return None
    at_ns, scatter_ns = (_ns(text) for text in found[-1].groups())
    scatter_ns += abs(ended.ahead_ns - began.ahead_ns)
    raw_ns = at_ns - began.ahead_ns
    if not began.raw_ns - scatter_ns <= raw_ns <= ended.raw_ns + scatter_ns:
        early = raw_ns < began.raw_ns
        off_ns = began.raw_ns - raw_ns if early else raw_ns - ended.raw_ns
        when = "before it was started" if early else "after it had returned"
        raise ValueError(f"it says that it switched {off_ns / _S:.3f} s {when}")
    return Reported(raw_ns, scatter_ns)


def _ns(text: str) -> int:
    whole, _, part = text.partition(".")
    return int(whole) * _S + int(part.ljust(9, "0")[:9])
