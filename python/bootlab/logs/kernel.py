# SPDX-License-Identifier: MIT
"""What a kernel's lines state, before anything is concluded from them.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.initcalls import Clock, LogInitcall
from bootlab.logs.readings import OfKernelFacts

ArchitectureName = Literal[
    "x86_64",
    "i386",
    "x86",
    "arm",
    "arm64",
    "riscv64",
    "riscv32",
    "riscv",
    "mips",
    "powerpc",
    "s390",
    "loongarch",
    "sparc",
    "m68k",
    "sh",
    "arc",
    "xtensa",
    "microblaze",
    "ia64",
    "alpha",
    "parisc",
]
"""A family of processors, by the kernel's names; `x86` and `riscv` where the log does not tell how wide its words are.
"""


class LogArchitecture(msgspec.Struct, frozen=True, kw_only=True):
    """An architecture, and the line that shows it."""

    line: int
    """Physical line of the evidence."""
    name: ArchitectureName
    """Which one."""


class KernelBanner(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's own description."""

    build: str | None = None
    """`#1 SMP PREEMPT Sat Feb 1 18:05:31 UTC 2025`."""
    builder: str | None = None
    """`user@host`."""
    compiler: str | None = None
    """Compiler and linker as printed."""
    line: int
    """Physical line."""
    numbers: list[int] = []
    """The version that the release is made of, `[6, 1, 192]`: Debian and Ubuntu name it behind their own release."""
    release: str
    """`6.1.0-rc2`."""


CalibrationForm = Literal["measured", "preset", "timer-frequency", "timer-routine", "cached"]
"""How the value was found."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """One calibration."""

    bogomips: float | None = None
    """The printed speed."""
    cost_ns: int | None = None
    """Gap to the next line (the text is stamped when the calibration begins); only where something was measured."""
    finished: bool
    """False when the result never came."""
    form: CalibrationForm
    """How."""
    line: int
    """Physical line."""
    lpj: int | None = None
    """Value for `lpj=`."""


class LogCommandLine(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters in their order."""

    line: int
    """Physical line."""
    text: str
    """As printed."""


FaultKind = Literal["panic", "oops", "no-root", "no-init", "stall", "warning"]
"""What went wrong."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One such message."""

    kind: FaultKind
    """What it is."""
    line: int
    """Physical line."""
    text: str
    """The message."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that is kept as it was printed."""

    line: int
    """Physical line."""
    text: str
    """The message."""


class LogConsole(msgspec.Struct, frozen=True, kw_only=True):
    """`printk: legacy console [ttyS0] enabled`."""

    boot: bool
    """It only serves until the real ones are there."""
    enabled: bool
    """False when the last line about it says that it was disabled."""
    line: int
    """Physical line with which it was enabled first."""
    name: str
    """`ttyS0`."""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """`Memory: 212796K/261624K available (…)` and its older forms."""

    available_kib: int | None = None
    """What is left of it."""
    line: int
    """Physical line."""
    total_kib: int | None = None
    """All of it, without what the firmware keeps."""


class LogProcessors(msgspec.Struct, frozen=True, kw_only=True):
    """`smp: Brought up 1 node, 4 CPUs`."""

    count: int
    """How many run."""
    line: int
    """Physical line."""


class Hardware(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of this kind that the lines of one kernel state."""

    clock: Statement | None = None
    """The clock that time is counted with, in the kernel's words."""
    consoles: list[LogConsole] = []
    """Consoles, in the order in which they were enabled."""
    memory: Memory | None = None
    """How much memory there is."""
    processor: Statement | None = None
    """The first processor in the kernel's words."""
    processors: LogProcessors | None = None
    """How many processors run."""


class InitStart(msgspec.Struct, frozen=True, kw_only=True):
    """`Run /init as init process`."""

    line: int
    """Physical line."""
    program: str | None = None
    """The program, when the line names it."""
    text: str
    """The message."""


ProbeResult = Literal["bound", "deferred", "not-there", "failed"]
"""How a probe ended."""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to probe one device."""

    clock: Clock
    """Clock of the two stamps."""
    device: str
    """Device name."""
    driver: str | None = None
    """Driver, where a patched kernel prints it."""
    end_ns: int | None = None
    """Stamp of the line."""
    jiffies_clock: bool = False
    """True when the duration has only the resolution of the timer tick, and the start with it."""
    line: int
    """Physical line."""
    printed_us: int
    """Printed duration."""
    result: ProbeResult
    """What the value means."""
    returned: int
    """Value as printed; its sign depends on the path that deferred."""
    start_ns: int | None = None
    """End minus printed duration."""
    within: int | None = None
    """Index of the initcall in which it ran, when only one can be meant."""


class KernelFacts(OfKernelFacts, msgspec.Struct, frozen=True, kw_only=True):
    """What the kernel's lines state."""

    architecture: LogArchitecture | None = None
    """Which processors the kernel is for."""
    backward_stamps: int
    """How often a stamp was lower than the one before."""
    banner: KernelBanner | None = None
    """Version and compiler."""
    calibrations: list[Calibration] = []
    """Delay-loop calibrations (old x86 kernels print one a CPU)."""
    clocksource_switch_line: int | None = None
    """Physical line of the clocksource switch."""
    command_line: LogCommandLine | None = None
    """Parameters."""
    faults: list[Fault] = []
    """Panics, oopses, stalls."""
    freeing_init_line: int | None = None
    """The end of kernel initialisation: physical line of `Freeing unused kernel memory`, or of what still comes before
    init.
    """
    hardware: Hardware = Hardware()
    """Memory, processors, consoles, clock."""
    init: InitStart | None = None
    """init's start."""
    initcalls: list[LogInitcall] = []
    """Initcalls in order of appearance."""
    machine: str | None = None
    """The machine's name, by `Machine model`, `Machine` or `DMI`."""
    machine_line: int | None = None
    """Physical line of `machine`."""
    probes: list[Probe] = []
    """Probe attempts in order of appearance."""
