# SPDX-License-Identifier: MIT
"""One boot out of a log.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

import msgspec

from bootlab.logs.costs import Cost
from bootlab.logs.course import (
    Axis,
    BlindSpot,
    BootEnd,
    BootStart,
    CriticalPath,
    DeferredProbes,
    Failure,
    FirstBoot,
    Interval,
    LargeGap,
    LogStage,
    Outcome,
    StartupAccount,
)
from bootlab.logs.firmware import FirmwareFacts
from bootlab.logs.initcalls import Clock
from bootlab.logs.kernel import KernelFacts
from bootlab.logs.line import LogLine
from bootlab.logs.readings import OfBoot
from bootlab.model.service import Service


class LongestStretch(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a boot that no cost tells of."""

    after: str
    """That line's message."""
    after_line: int
    """Physical line before it."""
    at_least: bool = False
    """True when the clock has whole seconds only: it is at least as long as said."""
    before: str
    """That line's message."""
    before_line: int
    """Physical line behind it."""
    duration_ns: int
    """Length."""
    left_out: bool = False
    """True when somebody left lines out between the two."""
    span_ns: int
    """From the first stamp to the last of the clock that the stretch was read from."""


class LogBoot(OfBoot, msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="boot"):
    """One boot, or as much of it as the log holds."""

    axis: Axis
    """The time axis and the clocks on it."""
    blind_spots: list[BlindSpot] = []
    """Where no clock ran."""
    clocks: list[Clock] = []
    """The clocks that stamp its lines."""
    costs: list[Cost] = []
    """What costs what."""
    critical_path: CriticalPath | None = None
    """The way to init."""
    deferred: DeferredProbes
    """Deferred probing by device."""
    end: BootEnd | None = None
    """Where it ends."""
    failures: list[Failure] = []
    """What went wrong."""
    firmware: FirmwareFacts = FirmwareFacts()
    """What firmware and boot loader said."""
    first_boot: FirstBoot | None = None
    """Whether it is the first boot of its system; absent where nothing says it."""
    from_line: int
    """First physical line."""
    gaps: list[LargeGap] = []
    """The longest silences up to first use."""
    guest: int | None = None
    """The guest of a hypervisor whose boot it is, by the number that the console has before its lines."""
    intervals: list[Interval] = []
    """Between neighbouring known events."""
    kernel: KernelFacts
    """What the kernel said."""
    kernel_clock: Clock
    """Clock of the kernel's part."""
    last_words: str | None = None
    """The last words of a boot that never came to user space, numbers taken out."""
    later: LongestStretch | None = None
    """The longest time between two stamps of the kernel's behind the last line that is surely the boot's, in its first
    minute.
    """
    lines: list[LogLine] = []
    """All lines, when they were asked for."""
    longest: LongestStretch | None = None
    """The longest stretch between two lines that no cost tells of, where no cost is as long."""
    number: int
    """Counts the boots of one input, from 1."""
    outcome: Outcome
    """How it ended."""
    reached_kernel: bool
    """False when the kernel never spoke: the boot ended in firmware or the boot loader."""
    reached_user: bool
    """False when init was not started, or the log ends before."""
    services: list[Service] = []
    """Services that an init other than systemd started, in the order of their lines."""
    stages: list[LogStage] = []
    """The eight classic events."""
    start: BootStart
    """Why it starts where it does."""
    startup: StartupAccount | None = None
    """systemd's own account of the start."""
    to_line: int
    """Last physical line."""


class NotABoot(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="not-a-boot"):
    """Kernel messages that are no boot, with the reason."""

    from_line: int
    """First physical line."""
    to_line: int
    """Last physical line."""
    what: str
    """What it is: `suspend`, `recovery`."""
    why: str
    """How that was seen."""
