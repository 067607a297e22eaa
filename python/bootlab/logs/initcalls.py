# SPDX-License-Identifier: MIT
"""Initcalls, by the kernel's own account of them.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.initcall_reading import OfInitcall

Clock = Literal["virtual", "host", "printk", "firmware", "trace", "monotonic"]
"""The source of a time value."""

CallFlag = Literal[
    "disagrees",
    "shared-start",
    "jiffies-clock",
    "never-returned",
    "no-start",
    "stamps-go-back",
    "rejoined",
    "console-time",
]
"""What is to be known about one initcall's numbers."""


class LogInitcall(OfInitcall, msgspec.Struct, frozen=True, kw_only=True):
    """One run of one initcall."""

    clock: Clock
    """Clock of `start_ns`, `end_ns` and `duration_ns`."""
    duration_ns: int | None = None
    """True duration: end stamp minus start stamp, without the time in which a slow console sent the `calling` line."""
    end_line: int | None = None
    """Physical line of `initcall ... returned`."""
    end_ns: int | None = None
    """End, ns of `clock`."""
    flags: list[CallFlag] = []
    """What to know about the numbers."""
    instance: int
    """Counts runs of the same name and module, from 1."""
    level: str | None = None
    """`entering initcall level`."""
    module: str | None = None
    """Module it is in."""
    name: str
    """Function, or address without a symbol table."""
    parent: int | None = None
    """Index of the initcall of the same task inside which this one ran."""
    pid: int | None = None
    """Task that ran it."""
    printed_us: int | None = None
    """The kernel's own number."""
    returned: int | None = None
    """Result."""
    start_line: int | None = None
    """Physical line of `calling`."""
    start_ns: int | None = None
    """Start, ns of `clock`."""
