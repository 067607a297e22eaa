# SPDX-License-Identifier: MIT
"""A recording: the immutable evidence of one boot."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Sequence
from typing import Literal, TypeVar

import msgspec

from bootlab.model.launch import Launch
from bootlab.model.processors import Processors
from bootlab.model.program import BuiltPrograms

_Computed = TypeVar("_Computed")


class Outcome(enum.StrEnum):
    """How a boot ended. Everything but GOAL is a failure with its own verdict, exit code and hint."""

    GOAL = "goal"
    PANIC = "panic"
    HANG = "hang"
    NO_GOAL = "goal-not-reached"
    CHECK_FAILED = "check-failed"
    EMULATOR_DIED = "emulator-died"
    CANNOT_START = "cannot-start"
    WRONG_ARCH = "wrong-architecture"
    NO_CONSOLE = "no-console"
    TIME_LIMIT = "time-limit"
    GARBAGE = "garbage"
    REBOOTED = "rebooted"
    STOPPED = "stopped-in-loader"
    CONSOLE_LOST = "console-lost"
    CONSOLE_INCOMPLETE = "console-incomplete"
    POWER_FAILED = "power-failed"
    LEFT_ON = "left-on"
    NOT_INSTALLED = "not-installed"
    INTERRUPTED = "interrupted"

    @property
    def exit_code(self) -> int:
        """Exit code of `bootlab boot`: 0, 41 to 59 (target), 130 (interrupted)."""
        return _EXIT_CODES[self]

    @property
    def hint(self) -> str:
        """The next thing to try."""
        return _HINTS[self]


_EXIT_CODES = {
    Outcome.GOAL: 0,
    Outcome.PANIC: 41,
    Outcome.HANG: 42,
    Outcome.NO_GOAL: 43,
    Outcome.CHECK_FAILED: 44,
    Outcome.EMULATOR_DIED: 45,
    Outcome.CANNOT_START: 46,
    Outcome.WRONG_ARCH: 47,
    Outcome.NO_CONSOLE: 48,
    Outcome.TIME_LIMIT: 49,
    Outcome.CONSOLE_INCOMPLETE: 50,
    Outcome.GARBAGE: 51,
    Outcome.REBOOTED: 52,
    Outcome.STOPPED: 53,
    Outcome.CONSOLE_LOST: 54,
    Outcome.POWER_FAILED: 55,
    Outcome.NOT_INSTALLED: 56,
    Outcome.LEFT_ON: 57,
    Outcome.INTERRUPTED: 130,
}

_HINTS = {
    Outcome.GOAL: "",
    Outcome.PANIC: "read the lines before the panic in the recording's console.log; usual cause: no root or no init",
    Outcome.HANG: "`bootlab boot SYSTEM.toml --diagnostic` names the last initcall that did not return",
    Outcome.NO_GOAL: "the machine stopped before it printed the goal's line; compare goal.console with the console",
    Outcome.CHECK_FAILED: "the goal was reached, but the check failed; compare check.console with the console",
    Outcome.EMULATOR_DIED: "QEMU ended on its own; its messages are in the recording's emulator.log",
    Outcome.CANNOT_START: "QEMU refused the machine; its message is above, and `--dry-run` prints the command",
    Outcome.WRONG_ARCH: "the kernel or a program is for another processor; check kernel.image and machine.emulator",
    Outcome.NO_CONSOLE: "nothing was printed; is `console=` there with the board's port (ttyS0; ttyAMA0 on ARM), and "
    "is the kernel for this machine? A large one may unpack for longer than limits.stall_virtual_s",
    Outcome.TIME_LIMIT: "raise limits.wall_s in the system file if the machine is merely slow",
    Outcome.GARBAGE: "a board: set serial.baud in board.toml to the board's rate; the same in console=ttyS0,115200n8",
    Outcome.REBOOTED: "a board: a watchdog, a crash without a word, or weak power; look at the last lines before it. A "
    "loader that is a Linux itself needs limits.kernels = 2 in board.toml",
    Outcome.STOPPED: "a board: the loader waits for a key or found nothing to boot; check bootcmd and bootdelay, and "
    "that nothing else types on the console",
    Outcome.CONSOLE_LOST: "a board: the adapter was unplugged, its server closed the connection, or the VMM that "
    "power.on started ended; run it again",
    Outcome.CONSOLE_INCOMPLETE: "the disk of the store was full or failed while the machine printed: `df -h`, then run "
    "the same command again",
    Outcome.POWER_FAILED: "a board: run power.on and power.off of board.toml by hand; both must return 0",
    Outcome.LEFT_ON: "a board: it could not be switched off. Do it by hand, and see why power.off of board.toml fails",
    Outcome.NOT_INSTALLED: "a board: run the command of [install] by hand; it finds the files in $BOARD_KERNEL and the "
    "like",
    Outcome.INTERRUPTED: "run the same command again: finished boots are kept",
}


_OF_THE_BENCH = frozenset(
    {
        Outcome.EMULATOR_DIED,
        Outcome.CANNOT_START,
        Outcome.POWER_FAILED,
        Outcome.CONSOLE_LOST,
        Outcome.CONSOLE_INCOMPLETE,
        Outcome.LEFT_ON,
    }
)
"""Ends that no limit of time made: emulator, switch, console or disk failed."""


GoalClock = Literal["virtual", "printk", "wall"]
"""The clock of the goal's time: exact virtual time; the last kernel stamp before it; the host's clock."""

ONE_NOISY_BOOT_NS = 10_000_000
"""How far the times of a single boot on a clock that does not repeat are taken to be unsure: nobody has seen another.

The bytes of a UART come by FIFOs and USB frames of milliseconds, so nothing below a whole millisecond is told.
"""


def unsure_ns(clock: GoalClock, several_ns: Sequence[int] = ()) -> int | None:
    """Return how far times on a clock are unsure, which their digits follow; None where they state their own digits.

    `several_ns`: the same time of several boots; fewer than two do not tell.
    """
    if clock != "wall":
        return None
    return max(several_ns) - min(several_ns) if len(several_ns) > 1 else ONE_NOISY_BOOT_NS


Stopped = Literal["", "halted", "exited"]
"""Why a machine cannot print any more: its processor halted for ever; it switched itself off or restarted."""


KERNEL_MOUNTED_ROOT = r"VFS: Mounted root \((\w{1,32}) filesystem\)"
"""What the kernel prints when it mounted the root itself, with the type (init/do_mounts.c: do_mount_root())."""

RUN_INIT = r"Run (\S{1,200}) as init process"
"""What the kernel says when it starts the first program (init/main.c, run_init_process())."""

EndedBy = Literal["", "virtual-time", "outside"]
"""What ended a boot, where something else asks for it: a limit of virtual time; somebody or something on the host."""


class Line(msgspec.Struct, frozen=True):
    """One console line. Times on the virtual clock from power-on, None where nothing stamped it.

    `insns` and `last_insns` are the instructions up to its first and its last byte. `printk_ns` is the kernel's own
    stamp, on the kernel's own clock.
    """

    number: int
    text: str
    offset_bytes: int
    first_ns: int | None = None
    last_ns: int | None = None
    insns: int | None = None
    printk_ns: int | None = None
    last_insns: int | None = None


class Mark(msgspec.Struct, frozen=True):
    """A named instant on the virtual clock. `source`: the symbol, pattern or event that set it."""

    name: str
    ns: int
    insns: int | None = None
    source: str = ""


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """What was booted, how, and how it ended.

    `launch`: what was started, None where it is not known; `command`: its words as they were, for people.
    `machine_key`: the digest of what was booted, whatever was looked for. `read_from`: the key of the boot whose
    console this is, where another goal or mark was looked for in it; "" for a boot of its own. `known_ns`: the virtual
    time up to which everything printed is in the console, where that is later than its last byte. `stopped`: why
    nothing can follow at all.
    """

    format: str = "bootlab-recording"
    version: int = 3
    key: str = ""
    system_name: str = ""
    purpose: Literal["timing", "diagnostic", "check", "trace"] = "timing"
    mode: Literal["exact", "free"] = "exact"
    outcome: Outcome = Outcome.GOAL
    reason: str = ""
    command: tuple[str, ...] = ()
    launch: Launch | None = None
    cmdline: str = ""
    emulator_version: str = ""
    shift: int | None = None
    processors: Processors = Processors()
    accel: str = "tcg"
    stamped: bool = False
    wall_s: float = 0.0
    goal_ns: int | None = None
    goal_insns: int | None = None
    goal_clock: GoalClock = "virtual"
    console_bytes: int = 0
    artefact_bytes: dict[str, int] = {}
    artefact_sha256: dict[str, str] = {}
    kernel_patches: tuple[str, ...] = ()
    check_groups: tuple[tuple[str, ...], ...] = ()
    check_missing: tuple[str, ...] = ()
    last_initcall: str = ""
    host_limit: bool = False
    ended_by: EndedBy = ""
    emulator_waited: bool = False
    end_ns: int | None = None
    known_ns: int | None = None
    stopped: Stopped = ""
    machine_key: str = ""
    read_from: str = ""
    lacks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    made_at: str = ""
    """When the boot was recorded, ISO 8601 in UTC to the microsecond; "" in older recordings."""
    board: str = ""
    """The name of the real board that was booted; empty for an emulator."""

    @property
    def unsure_ns(self) -> int | None:
        """How far the times of this boot are unsure, which their digits follow; None: they are exact."""
        return unsure_ns(self.goal_clock)


class Recording(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One boot's evidence: meta, console lines with their stamps, marks, and raw bytes.

    What is computed from it is kept with it (:meth:`once`): it never changes.

    `kernel_config`: the options that a kernel built by bootlab was built with, as in a `.config`; else empty.
    `loader_config`: the same of a boot loader. `programs`: what was built for its root tree.
    """

    meta: Meta
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    console: bytes = b""
    path: str | None = None
    kernel_config: dict[str, str] = {}
    loader_config: dict[str, str] = {}
    programs: BuiltPrograms = BuiltPrograms()

    @property
    def ok(self) -> bool:
        """Tell whether the goal was reached and the check passed."""
        return self.meta.outcome is Outcome.GOAL

    @property
    def by_host(self) -> bool:
        """Tell whether the host ended this boot, so that it says nothing about the system.

        In free mode the host's clock is the instrument: a limit of its time counts.
        """
        timed = self.meta.outcome not in _OF_THE_BENCH
        return self.meta.host_limit and not (timed and self.meta.mode == "free")

    def once(self, what: Hashable, make: Callable[[], _Computed]) -> _Computed:
        """Return what `make` computes from this recording, the first time that it is asked for under this name."""
        kept: dict[Hashable, _Computed] = self.__dict__.setdefault("computed", {})
        if what not in kept:
            kept[what] = make()
        return kept[what]

    def mark(self, name: str) -> Mark | None:
        """Return a mark by name, or None."""
        return next((m for m in self.marks if m.name == name), None)

    def find(self, text: str) -> Line | None:
        """Return the first console line that holds a text, or None."""
        return next((line for line in self.lines if text in line.text), None)


# include/uapi/asm-generic/errno-base.h
_ENODEV = -19


class Initcall(msgspec.Struct, frozen=True, kw_only=True):
    """One initcall of a diagnostic boot. Duration from the stamps of its two lines, not from the printed number."""

    name: str
    module: str | None = None
    start_ns: int
    duration_ns: int
    returned: int
    level: str | None = None

    @property
    def function(self) -> str:
        """The function's name, without the offset that the log may print after it."""
        return self.name.partition("+")[0]

    @property
    def found_nothing(self) -> bool:
        """Tell whether it returned -ENODEV: there was no device for it."""
        return self.returned == _ENODEV


class FileRead(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the initramfs and whether anything read it between power-on and the goal."""

    path: str
    read: bool
    size_bytes: int = 0


class Loading(msgspec.Struct, frozen=True, kw_only=True):
    """What glibc's dynamic loader says of one program's start (`LD_DEBUG=statistics`, elf/rtld.c).

    Times in the loader's own unit, which it calls cycles: the processor's where it can read them (x86), else
    nanoseconds of the guest's clock. None: it printed none. `relocations` were looked up by name before `main`;
    `from_cache` of them a second time; `relative` needed no search. `late`: those bound until the program ended.
    """

    pid: int
    total_cycles: int | None = None
    relocation_cycles: int | None = None
    load_cycles: int | None = None
    relocations: int | None = None
    from_cache: int | None = None
    relative: int | None = None
    late: int | None = None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What a diagnostic boot found. Its times are never compared with those of timing boots.

    `log` is the kernel's whole log as text lines, whatever the console's level was; `files` is empty when the agent
    could not run; `links` are the symbolic links that were followed; `proc` holds the text of a few files of /proc by
    name (`cmdline`, `iomem`, `interrupts`, …), and of every process that still ran the mapped files (`maps`: its
    number, then a line of its maps). `loading`: what the dynamic loader did for each program, where the system builds
    programs.
    """

    recording: Recording
    initcalls: tuple[Initcall, ...] = ()
    files: tuple[FileRead, ...] = ()
    links: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    proc: dict[str, str] = {}
    loading: tuple[Loading, ...] = ()
