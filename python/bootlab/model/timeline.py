# SPDX-License-Identifier: MIT
"""Marks, spans and stages of one boot on one axis."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from bootlab.model.recording import Mark

STAGES: tuple[tuple[str, str, str], ...] = (
    ("firmware", "power-on", "kernel-entry"),
    ("kernel set-up", "kernel-entry", "decompression"),
    ("decompression", "decompression", "kernel-image"),
    ("kernel start", "kernel-image", "start-kernel"),
    ("kernel", "start-kernel", "user-space"),
    ("user space", "user-space", "rc-scripts"),
    ("RC scripts", "rc-scripts", "application"),
    ("application", "application", "goal"),
)
"""Interval name, the mark it starts at, the mark that usually ends it. A mark that is absent is skipped: its interval
belongs to the one before it. These are the classic ones; some systems have more (:data:`ALL_STAGES`)."""

INIT_STAGES: tuple[tuple[str, str, str], ...] = (
    ("init", "switch-root", "units"),
    ("units", "units", "application"),
)
"""The same of a system behind an initrd, whose `user space` is called `initrd` (:data:`INITRD`), and of one that starts
units in the place of scripts."""

KEXEC_STAGES: tuple[tuple[str, str, str], ...] = (
    ("kexec", "kexec", "kernel-2"),
    ("kernel 2", "kernel-2", "user-space-2"),
    ("user space 2", "user-space-2", "rc-scripts"),
)
"""The same of a boot in which the kernel starts a second one by kexec: LinuxBoot, Petitboot, `systemctl kexec`, a crash
kernel. `kexec`: from the first kernel's last function on, with the copying and unpacking of the second. The marks of
what follows (scripts, units, application) are the second system's."""

INITRD = "initrd"
"""The stage from the first instruction in user space to the switch to the real root, where there is one."""

LOADER_STAGES: tuple[tuple[str, str, str], ...] = (
    ("TF-A", "tf-a", "op-tee"),
    ("OP-TEE", "op-tee", "opensbi"),
    ("OpenSBI", "opensbi", "spl"),
    ("boot sector", "boot-sector", "grub-unpack"),
    ("GRUB unpack", "grub-unpack", "grub"),
    ("GRUB", "grub", "grub-menu"),
    ("GRUB menu", "grub-menu", "grub-load"),
    ("kernel read", "grub-load", "kernel-entry"),
    ("EFI program", "efi-program", "efi-stub"),
    ("EFI stub", "efi-stub", "decompression"),
    ("SPL", "spl", "spl-load"),
    ("SPL load", "spl-load", "u-boot"),
    ("U-Boot", "u-boot", "autoboot"),
    ("autoboot wait", "autoboot", "boot-command"),
    ("kernel load", "boot-command", "kernel-loaded"),
    ("kernel checks", "kernel-loaded", "starting-kernel"),
    ("jump to kernel", "starting-kernel", "kernel-entry"),
)
"""The same of a boot loader, for machines that start with one: its parts stand in the place of `firmware`."""

HOST_STAGES: tuple[tuple[str, str, str], ...] = (
    ("going down", "reboot", "down"),
    ("until it answers", "down", "application"),
    ("down and up", "restart", "application"),
)
"""The same of a host that is told to reboot and seen from outside alone: down is when it stops answering. Where nobody
saw it down, both are one."""

SHUTDOWN_STAGES: tuple[tuple[str, str, str], ...] = (
    ("stopping services", "asked", "last-processes"),
    ("last processes", "last-processes", "unmounting"),
    ("unmounting", "unmounting", "kernel_power_off"),
    ("devices down", "kernel_power_off", "goal"),
    ("devices down", "kernel_restart", "goal"),
    ("devices down", "kernel_halt", "goal"),
    ("devices down", "kernel_kexec", "kexec"),
    ("soft reboot", "soft-reboot", "units"),
)
"""The same of a system that was asked to go down. Its time begins there, and its goal is the kernel's last function."""

ASKED = "asked"
"""The mark that begins a shutdown."""

WHOLE = "power-on to goal"
"""What the whole time of a boot is called."""

WAY_DOWN = "asked to off"
"""What the whole time of a shutdown is called."""

ROUND = "asked to goal"
"""What the whole time of a restart with the power on is called."""

ALL_STAGES = (
    *STAGES[:1],
    *HOST_STAGES,
    *LOADER_STAGES,
    *STAGES[1:6],
    *KEXEC_STAGES,
    *INIT_STAGES,
    *STAGES[6:],
    *SHUTDOWN_STAGES,
)
"""Every interval, in the order in which they usually come."""

_PLACES = {name: place for place, (name, _, _) in reversed(tuple(enumerate(ALL_STAGES)))}
_PLACES[INITRD] = _PLACES["user space"]


def in_order(names: Iterable[str]) -> list[str]:
    """Return names of stages in the order in which they usually come; other names behind them, as they came."""
    return sorted(names, key=lambda name: _PLACES.get(name, len(ALL_STAGES)))


KEXEC_MARKS = ("user-space-2", "kernel-2", "kexec")
"""What the marks of a second kernel are called, the latest first. What a boot's goal may be comes behind them."""

KERNEL_MARKS = ("kernel-entry", "decompression", "kernel-image", "start-kernel")
"""Marks of a kernel's start. No mark of :data:`USER_SPACE_MARKS` precedes them."""

USER_SPACE_MARKS = frozenset({"user-space", "switch-root", "rc-scripts", "units", "application", "user-space-2"})
"""Marks that begin a stage of user space."""


def whole_of(marks: Collection[str]) -> str:
    """Return what the whole time of a boot with these marks is called."""
    if ASKED not in marks:
        return WHOLE
    return ROUND if {"kernel-2", "soft-reboot"} & set(marks) else WAY_DOWN


def kernel_begin_ns(times: Mapping[str, int], name: str = "") -> int:
    """Return when the kernel had begun that a mark of user space is one of; 0 where no mark tells.

    `times`: of all marks, nanoseconds. `name`: the mark's; "" stands for what the last kernel's user space sets.
    """
    second = [times[mark] for mark in ("kernel-2", "kexec") if mark in times and name in {"", "user-space-2"}]
    return max(second or [times[mark] for mark in KERNEL_MARKS if mark in times], default=0)


SERVICES = "services"
"""The lane of what an init other than systemd starts."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A named interval. `lane` groups spans that are drawn on one row; `clock` names the clock of both times."""

    name: str
    lane: str
    start_ns: int
    duration_ns: int
    clock: str = "virtual"
    detail: str = ""


class Stage(msgspec.Struct, frozen=True):
    """One interval between two events. `start_ns` None: the events were not seen."""

    name: str
    start_ns: int
    duration_ns: int

    @property
    def duration_ms(self) -> float:
        """Its length in milliseconds."""
        return self.duration_ns / 1e6


class ProgramStart(msgspec.Struct, frozen=True, kw_only=True):
    """A program that a task started (`execve`). `name`: as the kernel keeps it, 15 characters of its file's name."""

    name: str
    task: int
    ns: int
    insns: int


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes that a boot loader brought into memory, and how long it took. `source`: what showed it.

    `within_memory`: they were there already, and were moved.
    """

    name: str
    size_bytes: int
    start_ns: int
    duration_ns: int
    source: str = ""
    within_memory: bool = False

    @property
    def bytes_per_s(self) -> int | None:
        """The rate; None where no time passed."""
        return self.size_bytes * 1_000_000_000 // self.duration_ns if self.duration_ns > 0 else None


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """One boot on the virtual clock. `diagnostic` spans come from another boot and keep that boot's clock.

    `chain`: the unit that the goal waited for, then the one that this waited for, and so on (systemd).
    `loads`: what the boot loader loaded.
    """

    clock: str
    marks: tuple[Mark, ...] = ()
    stages: tuple[Stage, ...] = ()
    spans: tuple[Span, ...] = ()
    diagnostic: tuple[Span, ...] = ()
    chain: tuple[Span, ...] = ()
    loads: tuple[Load, ...] = ()
    missing: tuple[str, ...] = ()
    goal_ns: int | None = None
