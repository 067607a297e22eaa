"""What a kernel's lines state, before anything is concluded from them."""

from __future__ import annotations

import msgspec

from bootlab.model import recording


class Banner(msgspec.Struct, frozen=True, kw_only=True):
    """The line `Linux version ...`."""

    line: int
    release: str
    build: str | None = None
    compiler: str | None = None
    builder: str | None = None


class CommandLine(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel command line as printed."""

    line: int
    text: str


class InitStart(msgspec.Struct, frozen=True, kw_only=True):
    """The line that shows init's start."""

    line: int
    text: str
    program: str | None = None


class Initcall(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one initcall: `duration_ns` by its stamps, `printed_us` by the kernel, `flags` where they part."""

    name: str
    instance: int
    clock: str
    module: str | None = None
    level: str | None = None
    pid: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    duration_ns: int | None = None
    printed_us: int | None = None
    returned: int | None = None
    parent: int | None = None
    flags: list[str] = []

    @property
    def label(self) -> str:
        """`name [module] #2`."""
        module = f" [{self.module}]" if self.module else ""
        return f"{self.name}{module}" + (f" #{self.instance}" if self.instance > 1 else "")

    @property
    def best_duration_ns(self) -> int | None:
        """The true duration, or the printed one when there are no stamps."""
        if self.duration_ns is not None:
            return self.duration_ns
        return None if self.printed_us is None else self.printed_us * 1000


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to probe one device."""

    device: str
    returned: int
    result: str
    printed_us: int
    line: int
    clock: str
    driver: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    jiffies_clock: bool = False
    within: int | None = None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A delay-loop calibration; its cost is the gap to the next line."""

    line: int
    form: str
    lpj: int | None = None
    bogomips: float | None = None
    cost_ns: int | None = None
    finished: bool = True


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A panic, an oops, a stall."""

    kind: str
    line: int
    text: str = ""


class KernelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the kernel's lines state."""

    banner: Banner | None = None
    command_line: CommandLine | None = None
    machine: str | None = None
    clocksource_switch_line: int | None = None
    freeing_init_line: int | None = None
    init: InitStart | None = None
    initcalls: list[Initcall] = []
    probes: list[Probe] = []
    calibrations: list[Calibration] = []
    faults: list[Fault] = []
    backward_stamps: int = 0

    def returned_initcalls(self, *, printed: bool = False) -> tuple[recording.Initcall, ...]:
        """Return the initcalls that came back, as a diagnosis holds them: of others nothing tells how long they took.

        `printed`: also those without both stamps, as long as the kernel says that they took.
        """
        timed = ((call, call.best_duration_ns if printed else call.duration_ns) for call in self.initcalls)
        return tuple(
            recording.Initcall(
                name=call.name,
                module=call.module,
                start_ns=call.start_ns,
                duration_ns=duration_ns,
                returned=call.returned,
                level=call.level,
            )
            for call, duration_ns in timed
            if call.start_ns is not None and duration_ns is not None and call.returned is not None
        )

    def slowest_initcalls(self) -> list[Initcall]:
        """Return the initcalls by true duration, longest first; those that never ended come first of all."""
        endless = [c for c in self.initcalls if "never-returned" in c.flags]
        timed = [c for c in self.initcalls if "never-returned" not in c.flags and c.best_duration_ns is not None]
        return endless + sorted(timed, key=lambda c: c.best_duration_ns or 0, reverse=True)
