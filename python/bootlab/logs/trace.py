"""Parts of an analysis that are no boots: traces, unit times, bootchart archives, reports of other tools."""

from __future__ import annotations

import msgspec

from bootlab.logs.boot import Cost


class FunctionTime(msgspec.Struct, frozen=True, kw_only=True):
    """One function. Times are in the unit of `CallTrace.weight`."""

    function: str
    count: int
    total_ns: int
    self_ns: int
    average_ns: int
    max_ns: int
    open: int = 0
    off_cpu_ns: int = 0
    max_sub: str = ""
    max_sub_count: int = 0
    max_sub_ns: int = 0


class TaskCalls(msgspec.Struct, frozen=True, kw_only=True):
    """One task, or one processor where the trace names no task."""

    task: str
    calls: int
    in_calls_ns: int | None = None
    run_ns: int | None = None


class TreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One path of the merged call tree; `parent` is an index into the same list."""

    function: str
    count: int
    total_ns: int
    self_ns: int
    parent: int | None = None


class TraceInitcall(msgspec.Struct, frozen=True, kw_only=True):
    """An initcall by its trace events."""

    name: str
    pid: int
    start_ns: int
    level: str | None = None
    end_ns: int | None = None
    returned: int | None = None


class TraceMark(msgspec.Struct, frozen=True, kw_only=True):
    """A message in a trace."""

    at_ns: int
    event: str
    text: str


class InterruptRow(msgspec.Struct, frozen=True, kw_only=True):
    """Handlers of one interrupt."""

    line: str
    name: str
    count: int
    total_ns: int
    max_ns: int


class CallTrace(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="calls"):
    """A function, event or sample trace."""

    source: str
    clock: str
    weight: str
    calls: int
    functions: int
    top_self: list[FunctionTime]
    top_total: list[FunctionTime]
    waits: list[FunctionTime]
    tasks: list[TaskCalls]
    tasks_total: int
    tree: list[TreeRow]
    tree_left_out: int
    lines: tuple[int, int] | None = None
    bounds_ns: tuple[int, int] | None = None
    not_a_boot: str | None = None
    about: dict[str, str] = {}
    initcalls: list[TraceInitcall] = []
    levels: list[tuple[str, int]] = []
    marks: list[TraceMark] = []
    interrupts: list[InterruptRow] = []
    events: dict[str, int] = {}
    mismatches: dict[str, int] = {}

    @property
    def counted(self) -> tuple[int, str]:
        """Return how many calls or samples there are, and which of the two: a sample stands in `events` once."""
        if self.source == "perf-script":
            return sum(self.events.values()), "samples"
        return self.calls, "calls"

    @property
    def length_ns(self) -> int | None:
        """Return the time from the first stamp to the last; None when there are not two."""
        first, last = self.bounds_ns or (0, 0)
        return last - first or None


class Startup(msgspec.Struct, frozen=True, kw_only=True):
    """`Startup finished in ...`."""

    parts: list[tuple[str, int]]
    total_ns: int | None = None
    target: str | None = None
    target_after_ns: int | None = None


class UnitStage(msgspec.Struct, frozen=True, kw_only=True):
    """A stage of `systemd-analyze plot`."""

    name: str
    start_ns: int
    end_ns: int


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit with its start."""

    unit: str
    start_ns: int | None = None
    end_ns: int | None = None
    time_ns: int | None = None
    result: str | None = None


class ChainRow(msgspec.Struct, frozen=True, kw_only=True):
    """A link of systemd's critical chain; times count from the start of user space."""

    unit: str
    depth: int
    at_ns: int | None = None
    took_ns: int | None = None


class UnitReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="units"):
    """Start times of systemd's units; `costs`: the longest of them."""

    source: str
    clock: str
    units: list[Unit]
    left_out: int
    lines: tuple[int, int] | None = None
    about: str = ""
    startup: Startup | None = None
    stages: list[UnitStage] = []
    chain: list[ChainRow] = []
    costs: list[Cost] = []


class ChartProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a bootchart."""

    pid: int
    parent: int
    name: str
    start_ns: int
    cpu_ns: int
    samples: int
    waiting_samples: int
    end_ns: int | None = None


class Chart(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="bootchart"):
    """A bootchart archive."""

    clock: str
    about: dict[str, str]
    files: list[str]
    processes: list[ChartProcess]
    processes_total: int
    cpu_busy: list[tuple[int, float]]
    cpu_wait: list[tuple[int, float]]
    disk_read: list[tuple[int, float]]
    disk_write: list[tuple[int, float]]
    bounds_ns: tuple[int, int] | None = None
    busy_share: float | None = None
    wait_share: float | None = None


class KdRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a `kd` table, microseconds as printed."""

    function: str
    count: int | None = None
    time_us: int | None = None
    average_us: int | None = None
    local_us: int | None = None
    max_sub: str | None = None
    max_sub_count: int | None = None


class KdCall(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a `kd -c` trace."""

    entry_us: int
    duration_us: int
    pid: int
    depth: int
    function: str
    local_us: int | None = None


class KdReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="kd-report"):
    """A report of `kd`."""

    columns: list[str]
    rows: list[KdRow]
    left_out: int
    lines: tuple[int, int] | None = None
    trace: list[KdCall] = []


class DeltaRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `show_delta`; the time passed in the line before."""

    at_ns: int
    delta_ns: int
    text: str
    before: str | None = None


class DeltaReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="deltas"):
    """Output of `show_delta`."""

    lines: int
    longest: list[DeltaRow]
    bounds_ns: tuple[int, int] | None = None
