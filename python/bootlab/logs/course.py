# SPDX-License-Identifier: MIT
"""The course of a boot: its events, what lies between them, how it ended.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.initcalls import Clock

Fit = Literal["axis", "measured", "at-least", "drifts"]
"""How well a clock's place on the axis is known."""


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a clock lies: axis time = clock time + offset."""

    anchor_line: int | None = None
    """The line both clocks meet at."""
    clock: Clock
    """The clock."""
    fit: Fit
    """How well that is known."""
    how: str
    """In words."""
    lateness_ns: int | None = None
    """95 of 100 lines arrived at most so long after they were printed: what a host stamp alone can be late by.

    Test tools read the console in bursts.
    """
    offset_ns: int
    """To be added, ns."""


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """The axis of one boot."""

    alignments: list[Alignment] = []
    """All clocks that lie on it."""
    clock: Clock
    """The clock that makes the axis."""
    clock_set: list[int] = []
    """Lines before which the machine's clock was set: dates on both sides of one have nothing to do with each other."""
    host_restarts: list[tuple[int, int]] = []
    """Lines at which the host's stamps began again, with what was added from there on."""
    late: bool = False
    """The stamps are those of a daemon, which reads the kernel's log late and all at once: everything came no later."""
    origin: str
    """What its zero is."""


StageEvent = Literal[
    "power-on",
    "firmware",
    "decompression",
    "kernel-start",
    "user-space-start",
    "initramfs",
    "switch-root",
    "rc-scripts",
    "application-start",
    "first-use",
]
"""The events, in their order (CELF's definition of terms)."""

UseSign = Literal["prompt", "goal", "boot-completed"]
"""What shows that a system can be used."""


class LogStage(msgspec.Struct, frozen=True, kw_only=True):
    """An event, or why it is not known."""

    at_least: bool = False
    """True when the line itself has no stamp: the time is that of the last stamped line before it."""
    at_most: bool = False
    """True when the event came no later than at this time, but may have come earlier: the line is the first that shows
    that it had.
    """
    basis: str
    """What shows it, or why nothing does."""
    clock: Clock | None = None
    """The clock it was read from."""
    event: StageEvent
    """Which event."""
    line: int | None = None
    """Physical line that shows it."""
    ns: int | None = None
    """Axis time."""
    shown_by: UseSign | None = None
    """Which sign of first use it is. Only of that event."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """From one known event to the next known one."""

    at_least: bool = False
    """True when `duration_ns` is a lower bound: one of the ends is."""
    duration_ns: int | None = None
    """Length; absent when one end has no time on the axis."""
    from_: StageEvent = msgspec.field(name="from")
    """Begin."""
    hides: list[StageEvent] = []
    """Events in between that the log does not show, so that their time is in here."""
    to: StageEvent
    """End."""
    unsure: bool = False
    """True when `duration_ns` is an upper bound, or unsure in both directions: an end came no later than it is told."""


BlindSpotKind = Literal["before-log", "hand-over", "decompression", "early-kernel"]
"""Which blind spot."""


class BlindSpot(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch without a clock."""

    after_line: int | None = None
    """Last line before it."""
    before_line: int | None = None
    """First line behind it."""
    duration_ns: int | None = None
    """Its length, when another clock ran beside; absent means unknown, not zero."""
    kind: BlindSpotKind
    """Which."""
    why: str
    """In words."""


FailureKind = Literal[
    "panic",
    "oops",
    "no-root",
    "no-init",
    "stall",
    "never-returned",
    "hang-in-calibration",
    "no-kernel-output",
    "ends-before-init",
    "warning",
]
"""Kinds of failures."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One failure."""

    kind: FailureKind
    """What kind."""
    line: int
    """Physical line that shows it."""
    meaning: str
    """What it means."""
    text: str
    """The message or name."""


EndKind = Literal["panic", "last-line", "restored", "kexec"]
"""What the end is."""


class BootEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a boot."""

    at_least: bool = False
    """True when the line has no stamp: the time is that of the last stamped line before it."""
    at_most: bool = False
    """True when the line was stamped late: it came no later."""
    clock: Clock | None = None
    """The clock it was read from."""
    kind: EndKind
    """What it is."""
    line: int
    """Physical line."""
    ns: int | None = None
    """Axis time."""
    text: str
    """The message."""


class StartupPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the start."""

    name: str
    """`firmware`, `loader`, `kernel`, `initrd`, `userspace`."""
    ns: int
    """Its length."""


class StartupAccount(msgspec.Struct, frozen=True, kw_only=True):
    """What systemd said when it had started everything."""

    line: int
    """Physical line."""
    parts: list[StartupPart] = []
    """In the order of time."""
    rescued: bool = False
    """It had come to its emergency or rescue shell, and had not started everything."""
    total_ns: int | None = None
    """All together, as printed."""


class FirstBoot(msgspec.Struct, frozen=True, kw_only=True):
    """What tells the first boot of a system from a later one."""

    first: bool
    """True: it is the first. False: it is a later one."""
    line: int | None = None
    """Physical line that shows it, of a text."""
    shown_by: str
    """Its words, or the unit that ran."""


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """An initcall that init did not wait for, at least not by itself."""

    after_init: bool
    """True when it started after init did."""
    duration_ns: int
    """Its true duration."""
    label: str
    """The initcall."""
    pid: int | None = None
    """Its task."""


SegmentKind = Literal["initcall", "short-initcalls", "between"]
"""Kinds of stretches."""


class PathSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the way to init."""

    duration_ns: int
    """Length."""
    inside: list[tuple[str, int]] = []
    """What took most of it: probes in an initcall (printed us), silences between messages (us)."""
    kind: SegmentKind
    """What it is."""
    label: str
    """The initcall, or the message that ended the stretch."""
    line: int | None = None
    """Physical line it ends with."""
    start_ns: int
    """Begin, ns of the kernel's clock."""


class CriticalPath(msgspec.Struct, frozen=True, kw_only=True):
    """The way to init."""

    beside: list[Beside] = []
    """The longest initcalls of other tasks."""
    beside_count: int
    """How many ran beside."""
    beside_ns: int
    """Their time together."""
    clock: Clock
    """Clock of all times here."""
    from_ns: int
    """First stamp of the kernel."""
    segments: list[PathSegment] = []
    """Stretches in order; they add up to `to_ns - from_ns`."""
    to_ns: int
    """Start of init."""


class DeferredDevice(msgspec.Struct, frozen=True, kw_only=True):
    """One device that was deferred at least once."""

    attempts_us: int
    """Time in the deferred attempts, by the kernel's own numbers."""
    clock: Clock
    """Clock of the stamps below."""
    deferrals: int
    """Attempts that ended with `-EPROBE_DEFER`."""
    device: str
    """Device name."""
    first_line: int
    """Line of the first attempt."""
    first_try_ns: int | None = None
    """End of the first attempt."""
    latency_ns: int | None = None
    """From the first attempt to the success: what deferring added."""
    success_ns: int | None = None
    """End of the attempt that bound it; absent when the log shows none."""
    suppliers: list[str] = []
    """Suppliers it waited for, as far as the kernel says."""
    tries: int
    """All attempts."""


class DeferredProbes(msgspec.Struct, frozen=True, kw_only=True):
    """The whole block."""

    attempts_us: int
    """Time in deferred attempts of all devices."""
    deferrals: int
    """Deferred attempts of all devices."""
    devices: list[DeferredDevice] = []
    """Devices, the costliest attempts first."""
    suggested_order: list[str] = []
    """Order in which the devices (and suppliers named by the kernel) would bind at the first try."""


BootPart = Literal["firmware", "kernel", "user-space", "unclaimed"]
"""In which part of a boot something lies."""


class LargeGap(msgspec.Struct, frozen=True, kw_only=True):
    """A long silence with its neighbours."""

    after: str
    """That line's message."""
    after_line: int
    """Physical line before it."""
    before: str
    """That line's message."""
    before_line: int
    """Physical line behind it."""
    clock: Clock
    """The clock that stamped both lines."""
    duration_ns: int
    """Length."""
    in_user_space: bool
    """True when init had been started before."""
    part: BootPart
    """Where in the boot."""
    start_ns: int
    """Begin, ns of `clock`; of the host's and the firmware's clocks on the axis."""


Outcome = Literal["user-space", "ends-in-kernel", "ends-in-firmware", "not-shown", "panic"]
"""How far a boot came."""

BootStart = Literal[
    "middle-of-log", "firmware", "kernel-banner", "stamps-restart", "kexec", "bootstage-report", "recovery"
]
"""Why a boot was taken to start where it does."""
