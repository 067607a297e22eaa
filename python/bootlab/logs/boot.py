"""One boot out of a log: typed views of the document's JSON. Times are nanoseconds of the clock beside them.

The meaning of every field stands in docs/reference/analysis-json.md. Fields that a newer core adds are ignored.
"""

from __future__ import annotations

import msgspec

from bootlab.logs.kernel import KernelFacts
from bootlab.logs.techniques import technique_for
from bootlab.model.service import Service


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """How a clock lies on the axis."""

    clock: str
    offset_ns: int
    fit: str
    how: str
    anchor_line: int | None = None
    lateness_ns: int | None = None


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """The time axis of a boot."""

    clock: str
    origin: str
    alignments: list[Alignment] = []
    clock_set: list[int] = []


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One of the classic events, or why it is not known.

    `at_least`: it came no earlier than `ns`; `at_most`: no later.
    """

    event: str
    basis: str
    ns: int | None = None
    clock: str | None = None
    line: int | None = None
    at_least: bool = False
    at_most: bool = False


class StartupPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of systemd's account: `firmware`, `loader`, `kernel`, `initrd`, `userspace`."""

    name: str
    ns: int


class StartupAccount(msgspec.Struct, frozen=True, kw_only=True):
    """What systemd said when it had started everything."""

    line: int
    parts: list[StartupPart] = []
    total_ns: int | None = None


class BootEnd(msgspec.Struct, frozen=True, kw_only=True, rename={"what": "kind"}):
    """Where a boot ends: the `panic`, or the `last-line` of the log, after which the system may have gone on."""

    what: str
    line: int
    text: str
    ns: int | None = None
    clock: str | None = None
    at_least: bool = False
    at_most: bool = False


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """From one known event to the next; unknown lengths are None, and `hides` names events that lie inside unseen."""

    to: str
    from_: str = msgspec.field(name="from")
    duration_ns: int | None = None
    at_least: bool = False
    unsure: bool = False
    hides: list[str] = []


class BlindSpot(msgspec.Struct, frozen=True, kw_only=True):
    """Where no clock ran. A length of None is unknown, never nought."""

    kind: str
    why: str
    after_line: int | None = None
    before_line: int | None = None
    duration_ns: int | None = None


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong, with the line that shows it."""

    kind: str
    line: int
    text: str
    meaning: str


class TableMark(msgspec.Struct, frozen=True, kw_only=True):
    """An instant of a firmware's time table."""

    line: int
    name: str
    ns: int


class AccumulatedTime(msgspec.Struct, frozen=True, kw_only=True):
    """A sum of durations of such a table."""

    line: int
    name: str
    total_ns: int


class TimeTable(msgspec.Struct, frozen=True, kw_only=True):
    """A time table that firmware or a boot loader printed."""

    source: str
    from_line: int
    to_line: int
    marks: list[TableMark] = []
    accumulated: list[AccumulatedTime] = []
    notes: list[str] = []


class FirmwareFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What spoke before the kernel."""

    programs: list[dict[str, object]] = []
    steps: list[dict[str, object]] = []
    tables: list[TimeTable] = []
    autoboot_seconds: int | None = None


class DeferredDevice(msgspec.Struct, frozen=True, kw_only=True):
    """A device whose probe was deferred."""

    device: str
    deferrals: int
    tries: int
    attempts_us: int
    clock: str
    first_line: int
    first_try_ns: int | None = None
    success_ns: int | None = None
    latency_ns: int | None = None
    suppliers: list[str] = []


class DeferredProbes(msgspec.Struct, frozen=True, kw_only=True):
    """The deferred probes, split by device."""

    devices: list[DeferredDevice] = []
    deferrals: int = 0
    attempts_us: int = 0
    suggested_order: list[str] = []


class PathSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the way to init."""

    start_ns: int
    duration_ns: int
    kind: str
    label: str
    line: int | None = None
    inside: list[tuple[str, int]] = []


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """An initcall that ran beside the way to init."""

    label: str
    duration_ns: int
    after_init: bool
    pid: int | None = None


class CriticalPath(msgspec.Struct, frozen=True, kw_only=True):
    """The way to init."""

    clock: str
    from_ns: int
    to_ns: int
    segments: list[PathSegment] = []
    beside: list[Beside] = []
    beside_count: int = 0
    beside_ns: int = 0


class LargeGap(msgspec.Struct, frozen=True, kw_only=True):
    """A silence, with its neighbours. `part`: `firmware`, `kernel` or `user-space`; `clock` stamped both lines."""

    start_ns: int
    duration_ns: int
    after_line: int
    after: str
    before_line: int
    before: str
    in_user_space: bool = False
    part: str = "kernel"
    clock: str = "printk"


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """A cost found in a boot. `gain_ns` is printed, computed or published elsewhere (`basis`); it is no promise.

    The core says the `kind`; `technique` is what addresses it (:func:`bootlab.logs.techniques.technique_for`).
    """

    kind: str = ""
    technique: str = ""
    title: str
    basis: str
    evidence: str
    advice: str
    cost_ns: int | None = None
    gain_ns: int | None = None
    at_most: bool = False
    lines: list[int] = []

    def __post_init__(self) -> None:
        """Fill in the technique."""
        if not self.technique:
            msgspec.structs.force_setattr(self, "technique", technique_for(self.kind))


class Boot(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="boot"):
    """One boot, or as much of it as the log holds."""

    number: int
    start: str
    from_line: int
    to_line: int
    reached_kernel: bool
    reached_user: bool
    outcome: str
    kernel_clock: str
    axis: Axis
    stages: list[Stage]
    kernel: KernelFacts
    clocks: list[str] = []
    failures: list[Failure] = []
    last_words: str | None = None
    startup: StartupAccount | None = None
    services: list[Service] = []
    end: BootEnd | None = None
    intervals: list[Interval] = []
    blind_spots: list[BlindSpot] = []
    firmware: FirmwareFacts = FirmwareFacts()
    deferred: DeferredProbes = DeferredProbes()
    critical_path: CriticalPath | None = None
    gaps: list[LargeGap] = []
    costs: list[Cost] = []
    lines: list[dict[str, object]] = []
    guest: int | None = None

    def stage(self, event: str) -> Stage | None:
        """Return the event with this name (`kernel-start`, `user-space-start` ...)."""
        return next((stage for stage in self.stages if stage.event == event), None)


class NotABoot(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="not-a-boot"):
    """Kernel messages that are no boot, with the reason."""

    from_line: int
    to_line: int
    what: str
    why: str
