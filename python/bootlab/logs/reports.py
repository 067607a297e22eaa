# SPDX-License-Identifier: MIT
"""Reports of other tools: unit times, bootchart archives, `kd`, `show_delta`.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

import msgspec

from bootlab.logs.costs import Cost
from bootlab.logs.course import FirstBoot
from bootlab.logs.initcalls import Clock
from bootlab.logs.trace import Format


class ChainRow(msgspec.Struct, frozen=True, kw_only=True):
    """A link of the critical chain; times count from the start of user space."""

    at_ns: int | None = None
    """Active at."""
    depth: int
    """Depth; 0 is the goal."""
    line: int | None = None
    """Physical line that says it."""
    took_ns: int | None = None
    """Took to start."""
    unit: str
    """Unit."""


class UnitStage(msgspec.Struct, frozen=True, kw_only=True):
    """A stage of the plot."""

    end_ns: int
    """End."""
    name: str
    """Name."""
    start_ns: int
    """Start; firmware and loader lie before 0."""


class Startup(msgspec.Struct, frozen=True, kw_only=True):
    """`Startup finished in ...`, ns."""

    line: int | None = None
    """Physical line that says it, of a text."""
    parts: list[tuple[str, int]] = []
    """The parts, in order: `firmware`, `loader`, `kernel`, `initrd`, `userspace`, or others as printed."""
    target: str | None = None
    """The default target."""
    target_after_ns: int | None = None
    """When it was reached, counted from the start of user space."""
    total_ns: int | None = None
    """All together."""


class LogUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit."""

    end_ns: int | None = None
    """Was up."""
    line: int | None = None
    """Physical line that says it, of a text."""
    result: str | None = None
    """`done`, `failed` ..."""
    start_ns: int | None = None
    """Began to start."""
    time_ns: int | None = None
    """Time to start."""
    unit: str
    """Its name."""


class UnitReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="units"):
    """What was said about units."""

    about: str = ""
    """System and kernel, or the boot's id."""
    chain: list[ChainRow] = []
    """The critical chain, in the order printed."""
    clock: Clock
    """Clock of all stamps here: kernel start is 0."""
    costs: list[Cost] = []
    """What of it costs most."""
    first_boot: FirstBoot | None = None
    """A unit that only runs on a system's first boot."""
    left_out: int
    """Units and links beyond `MAX_UNITS`."""
    lines: tuple[int, int] | None = None
    """First and last physical line, for a report inside a console log."""
    longer_unread: int | None = None
    """Line that names a unit and a longer time than any cost here, and was not read as a row."""
    source: Format
    """The format it was read from."""
    stages: list[UnitStage] = []
    """Stages drawn by `systemd-analyze plot`."""
    startup: Startup | None = None
    """The line of `systemd-analyze time`."""
    unfinished: bool = False
    """systemd said that it had not finished starting (`Bootup is not yet finished`)."""
    units: list[LogUnit] = []
    """Units, the longest starts first."""


class ChartProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process."""

    cpu_ns: int
    """Time on a processor."""
    end_ns: int | None = None
    """When it was seen last; absent when it outlived the samples."""
    name: str
    """Its name."""
    parent: int
    """Its parent's."""
    pid: int
    """Its id."""
    samples: int
    """Samples, and those in which it waited for a device."""
    start_ns: int
    """When it started."""
    waiting_samples: int
    """See `samples`."""


class Chart(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="bootchart"):
    """What the archive told."""

    about: dict[str, str]
    """The archive's header."""
    bounds_ns: tuple[int, int] | None = None
    """First and last sample, ns."""
    busy_share: float | None = None
    """Mean share of the processors at work, 0 to 1."""
    clock: Clock
    """Clock of all times here."""
    cpu_busy: list[tuple[int, float]] = []
    """Time and share of the processors at work."""
    cpu_wait: list[tuple[int, float]] = []
    """Time and share of the processors waiting for devices."""
    disk_read: list[tuple[int, float]] = []
    """Time and bytes per second read."""
    disk_write: list[tuple[int, float]] = []
    """Time and bytes per second written."""
    files: list[str] = []
    """Files of the archive."""
    processes: list[ChartProcess] = []
    """Processes, most processor time first."""
    processes_total: int
    """All processes."""
    wait_share: float | None = None
    """Mean share of the processors waiting for devices, 0 to 1."""


class KdRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table; columns the report does not have are absent."""

    average_us: int | None = None
    """Mean."""
    count: int | None = None
    """Calls."""
    function: str
    """Function."""
    local_us: int | None = None
    """In the function itself."""
    max_sub: str | None = None
    """The callee that took most."""
    max_sub_count: int | None = None
    """How often it was called."""
    time_us: int | None = None
    """Time."""


class KdCall(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the call trace."""

    depth: int
    """Nesting."""
    duration_us: int
    """Entry to exit."""
    entry_us: int
    """Entry."""
    function: str
    """Function."""
    local_us: int | None = None
    """In the function itself."""
    pid: int
    """Task; -1 in an interrupt."""


class KdReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="kd-report"):
    """A report of `kd`, times in microseconds as printed."""

    columns: list[str] = []
    """Columns of the table."""
    left_out: int
    """Rows beyond `MAX_ROWS`."""
    lines: tuple[int, int] | None = None
    """First and last physical line, for a report inside a console log."""
    rows: list[KdRow] = []
    """Rows, in the order printed."""
    trace: list[KdCall] = []
    """Call trace, in the order printed."""


class DeltaRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line with its delta."""

    at_ns: int
    """Stamp."""
    before: str | None = None
    """The line before, in which the time passed."""
    delta_ns: int
    """Time since the line before."""
    text: str
    """The line."""


class DeltaReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="deltas"):
    """Output of `show_delta`."""

    bounds_ns: tuple[int, int] | None = None
    """First and last stamp, ns."""
    lines: int
    """Lines with a stamp."""
    longest: list[DeltaRow] = []
    """The largest deltas first. `show_delta` prints the time since the line before, so the cost is that line's."""
