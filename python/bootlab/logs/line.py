# SPDX-License-Identifier: MIT
"""Lines of a boot log with what their prefixes say.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Caller = dict[str, int]
"""Who printed the line, from the caller field of `CONFIG_PRINTK_CALLER`."""

HostSource = Literal["capture", "clock-time", "lava", "syslog", "computed", "external", "emulator"]
"""Where the host stamp of a line comes from. Only captures are exact enough to align other clocks with."""

LineKind = Literal[
    "blank", "firmware", "kernel", "user", "harness", "typed", "property", "report", "garbage", "prose", "outside"
]
"""What a line was taken for."""


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """A logical line. One physical line can give several when messages ran into each other."""

    caller: Caller | None = None
    """Task or CPU that printed it."""
    cut_bytes: int = 0
    """Bytes of the line that were not kept."""
    cycles: int | None = None
    """A raw cycle counter printed before the clock runs."""
    firmware_ns: int | None = None
    """The boot loader's own stamp, ns."""
    guest: int | None = None
    """The guest that printed it, on the console of a hypervisor that names its guests."""
    host_ns: int | None = None
    """The capturing host's stamp, ns since the capture's epoch."""
    host_source: HostSource | None = None
    """Where `host_ns` comes from."""
    kind: LineKind
    """What the line was taken for."""
    level: int | None = None
    """syslog severity, 0 (emergency) to 7 (debug)."""
    number: int
    """Physical line in the input, from 1."""
    offset_bytes: int
    """Byte offset of the physical line in the unpacked input."""
    printk_ns: int | None = None
    """The kernel's stamp, ns."""
    process: str | None = None
    """The process a syslog prefix names, when it is not the kernel."""
    text: str
    """What remains after all prefixes are taken off."""
