# SPDX-License-Identifier: MIT
"""The result of timerstress: one row a population, each expiration accounted for (guest/timers/result.c)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.timers.output import Count, Lines, Signed

FORMAT = "bootlab-timerstress"
_Bucket = Annotated[tuple[Count, Count], msgspec.Meta(description="lower edge in ns, deliveries")]


class StressHead(msgspec.Struct, frozen=True, kw_only=True):
    """What the program says first: what was asked for, and what the system allows. Limits of -1: none, or not known."""

    kernel: str
    machine: str
    mode: str
    clock: str
    receiver: str
    absolute: bool
    classic: bool
    threads: Count
    seconds: float
    scale: float
    seed: Count
    min_ns: Count
    range_ns: Count
    late_ns: Count
    pending_soft: Signed
    pending_hard: Signed
    pending_used: Signed
    files_soft: Signed
    timer_max: Signed
    resolution_ns: Signed


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """Time from due to taken, of every delivery: percentiles, and a log-linear histogram (3 per cent a bucket)."""

    count: Count
    sum_ns: Count
    p50_ns: Count
    p90_ns: Count
    p99_ns: Count
    p99_9_ns: Count
    p99_99_ns: Count
    max_ns: Count
    buckets: tuple[_Bucket, ...]


class StressRow(msgspec.Struct, frozen=True, kw_only=True):
    """One population. `expirations`: those due within `elapsed_ns` of each timer's own arming, and taken.

    `in_flight`: due at the stop and not taken when the drain was cut off. `late`: later than the head's `late_ns`.
    `control_*`: a run of the same length without a timer.
    """

    timers: Count
    created: Count
    refused: str
    elapsed_ns: Count
    wall_ns: Count
    create_ns: Count
    arm_ns: Count
    deliveries: Count
    overruns: Count
    expirations: Count
    due_least: Count
    due_most: Count
    lost: Count
    duplicated: Count
    early: Count
    late: Count
    in_flight: Count
    planted_dropped: Count
    planted_copied: Count
    planted_delayed: Count
    user_ns: Signed
    system_ns: Signed
    switches: Signed
    control_user_ns: Signed
    control_system_ns: Signed
    control_wall_ns: Count
    lateness: Lateness

    @property
    def exact(self) -> bool:
        """Whether every expiration is accounted for: none lost, early or taken twice."""
        return not (self.lost or self.early or self.duplicated)

    @property
    def per_second(self) -> float:
        """Expirations in a second."""
        return self.expirations * 1e9 / self.elapsed_ns if self.elapsed_ns else 0.0

    @property
    def load_percent(self) -> float | None:
        """Share of the run that the process spent in the kernel, less that of the run without timers."""
        if not self.wall_ns or not self.control_wall_ns:
            return None
        return 100 * (self.system_ns / self.wall_ns - self.control_system_ns / self.control_wall_ns)

    @property
    def cost_ns(self) -> int | None:
        """Processor time of one delivery, less what a run without timers costs; None where that is more.

        With CPU-time clocks it is: the program must compute for the clock to run.
        """
        if not self.deliveries or not self.control_wall_ns:
            return None
        control = (self.control_user_ns + self.control_system_ns) * self.wall_ns / self.control_wall_ns
        cost = (self.user_ns + self.system_ns - control) / self.deliveries
        return int(cost) if cost >= 0 else None


class Burst(msgspec.Struct, frozen=True, kw_only=True):
    """All timers due at one instant: when the first and the last was taken after it."""

    timers: Count
    taken: Count
    lost: Count
    early: Count
    first_ns: Signed
    last_ns: Signed
    drain_ns: Signed
    out_of_order: Count


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Nanoseconds a call, over a whole population."""

    timers: Count
    create_ns: Count
    arm_ns: Count
    gettime_ns: Count
    getoverrun_ns: Count
    delete_ns: Count


class Churn(msgspec.Struct, frozen=True, kw_only=True):
    """Timers created, armed again, stopped and deleted while others expire."""

    timers: Count
    elapsed_ns: Count
    rearmed: Count
    recreated: Count
    stopped: Count
    expired: Count
    stale: Count
    early: Count
    lost: Count


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """How many timers the system granted, and the errno of the refusal (0: none)."""

    timers: Count
    errno: Count
    tried: Count


class StressPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where it ran. `clock`: `virtual` (QEMU, exact) or `wall`. `facts`: clock source, load, date, and so on."""

    name: str
    clock: Literal["virtual", "wall"]
    facts: dict[str, str] = {}
    recording: str | None = None
    instructions: int | None = None


class InstructionCount(msgspec.Struct, frozen=True, kw_only=True):
    """Where the instructions of one population's run went (exact mode): they add up to all that were executed.

    The window is from the entry into the first `timer_create` to that into the first `timer_delete`: creating, arming,
    the run, the drain. `kernel`: system calls, faults, kernel threads; `interrupts`: those of the timer and all others;
    `idle_loop`: what the idle task executes around its halts. `idle_ns`: the processor was halted. `expirations`: of
    this boot, which runs one population only. `kernel_percent`: kernel and interrupts as a share of the instructions
    that were not the idle loop's. `load_percent`: the time of the same as a share of the window, idle time included.
    """

    timers: Count
    expirations: Count
    user: Count
    kernel: Count
    interrupts: Count
    idle_loop: Count
    instruction_ns: Count
    idle_ns: Count
    window_ns: Count
    kernel_percent: float
    load_percent: float
    recording: str | None = None


class StressResult(msgspec.Struct, frozen=True, kw_only=True):
    """A run of timerstress, as it is saved and compared."""

    format: str = "bootlab-timers"
    version: int = 2
    place: StressPlace
    head: StressHead
    rows: tuple[StressRow, ...] = ()
    bursts: tuple[Burst, ...] = ()
    curves: tuple[Curve, ...] = ()
    churns: tuple[Churn, ...] = ()
    limits: tuple[Limit, ...] = ()
    instructions: tuple[InstructionCount, ...] = ()
    damaged_lines: int = 0

    @property
    def faults(self) -> tuple[str, ...]:
        """Every way in which the timers misbehaved, in words."""
        said = []
        for row in self.rows:
            for word, count in (("lost", row.lost), ("early", row.early), ("too many", row.duplicated)):
                if count:
                    said.append(f"{row.timers} timers: {count} of {row.due_most} expirations {word}")
        said += [
            f"burst of {b.timers} timers: {b.lost} lost, {b.early} early" for b in self.bursts if b.lost or b.early
        ]
        said += [
            f"churn of {c.timers} timers: {c.lost} lost, {c.early} early" for c in self.churns if c.lost or c.early
        ]
        return tuple(said)


def parse(output: bytes, place: StressPlace) -> StressResult | None:
    """Read what timerstress printed; None when its first line is not there."""
    lines = Lines(output)
    head = lines.head(FORMAT, StressHead)
    if head is None:
        return None
    return StressResult(
        place=place,
        head=head,
        rows=lines.of_kind("stress", StressRow),
        bursts=lines.of_kind("burst", Burst),
        curves=lines.of_kind("curve", Curve),
        churns=lines.of_kind("churn", Churn),
        limits=lines.of_kind("limit", Limit),
        damaged_lines=lines.damaged,
    )
