# SPDX-License-Identifier: MIT
"""A function, event or sample trace.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.initcalls import Clock
from bootlab.logs.readings import OfCallTrace


class TraceInitcall(msgspec.Struct, frozen=True, kw_only=True):
    """An initcall by its trace events: these carry their own start and are free of the kernel log's shared variable."""

    end_ns: int | None = None
    """End."""
    level: str | None = None
    """Level."""
    name: str
    """Function, module in brackets."""
    pid: int
    """Task."""
    returned: int | None = None
    """Result."""
    start_ns: int
    """Start."""


class InterruptRow(msgspec.Struct, frozen=True, kw_only=True):
    """Handlers of one interrupt."""

    count: int
    """Runs."""
    line: str
    """`irq N` or `softirq NAME`."""
    max_ns: int
    """The longest."""
    name: str
    """Handler."""
    total_ns: int
    """All together."""


class TraceMark(msgspec.Struct, frozen=True, kw_only=True):
    """A message in a trace."""

    at_ns: int
    """When."""
    event: str
    """Event it came by."""
    text: str
    """Text."""


Format = Literal[
    "boot-log",
    "trace-dat",
    "function-graph",
    "ftrace-events",
    "perf-script",
    "strace",
    "kfi",
    "kd-report",
    "show-delta",
    "systemd-analyze",
    "systemd-plot",
    "systemd-plot-json",
    "dmesg-json",
    "journal-export",
    "bootchart",
    "foreign",
]
"""The formats that are told apart by their bytes."""


class TaskCalls(msgspec.Struct, frozen=True, kw_only=True):
    """One task (or processor, where the trace names no task)."""

    calls: int
    """Calls, where calls are traced."""
    in_calls_ns: int | None = None
    """Time in calls of the first level."""
    run_ns: int | None = None
    """On a processor, where `sched_switch` is traced."""
    task: str
    """Name and pid."""


class FunctionTime(msgspec.Struct, frozen=True, kw_only=True):
    """One function. Times are in the unit of `weight`(super::CallTrace::weight)."""

    average_ns: int
    """Mean of `total_ns`."""
    count: int
    """Calls."""
    function: str
    """Name."""
    max_ns: int
    """Longest single call, entry to exit."""
    max_sub: str = ""
    """The callee that took most time."""
    max_sub_count: int = 0
    """How often that was called."""
    max_sub_ns: int = 0
    """What it took."""
    off_cpu_ns: int = 0
    """Switched out between entry and exit."""
    open: int = 0
    """Calls without an end: they have no time."""
    self_ns: int
    """In the function itself."""
    total_ns: int
    """Entry to exit, time switched out taken off."""


class TreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One path of the merged call tree."""

    count: int
    """Calls."""
    function: str
    """Function."""
    parent: int | None = None
    """Index of the caller in the list; absent on the first level."""
    self_ns: int
    """In the function itself."""
    total_ns: int
    """Entry to exit."""


class CallTrace(OfCallTrace, msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="calls"):
    """What a trace told."""

    about: dict[str, str] = {}
    """What the header says."""
    bounds_ns: tuple[int, int] | None = None
    """First and last stamp, ns."""
    calls: int
    """Calls (or samples) in the trace."""
    clock: Clock
    """Clock of all times here."""
    events: dict[str, int] = {}
    """Events by name."""
    functions: int
    """Different functions."""
    initcalls: list[TraceInitcall] = []
    """Initcalls by trace events."""
    interrupts: list[InterruptRow] = []
    """Interrupts, longest first."""
    levels: list[tuple[str, int]] = []
    """Initcall levels and when they were entered."""
    lines: tuple[int, int] | None = None
    """First and last physical line, for a trace inside a console log."""
    marks: list[TraceMark] = []
    """Messages."""
    mismatches: dict[str, int] = {}
    """What did not fit together, by name; zeros are left out."""
    not_a_boot: str | None = None
    """Why this is no boot, when it is none."""
    source: str
    """The format it was read from."""
    tasks: list[TaskCalls] = []
    """Tasks, most calls first."""
    tasks_total: int
    """Tasks in the trace."""
    top_self: list[FunctionTime] = []
    """By time in the function itself."""
    top_total: list[FunctionTime] = []
    """By time from entry to exit, time in which others ran taken off."""
    tree: list[TreeRow] = []
    """Merged call tree, the heaviest paths; parents before children."""
    tree_left_out: int
    """Paths that found no room in `tree`."""
    waits: list[FunctionTime] = []
    """Functions in which tasks waited: switched out, or in a function that sleeps or delays."""
    weight: str
    """Unit of the times of functions: `ns`; for samples `samples` or `events`."""
