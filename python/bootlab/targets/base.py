"""What every target offers: a plan that says what would be booted, and the boot itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.model.launch import Launch
from bootlab.model.processors import Processors
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import System
from bootlab.targets.qemu_command import words

Purpose = Literal["timing", "diagnostic", "check", "trace"]

NOT_KEPT = frozenset({Outcome.INTERRUPTED, Outcome.TIME_LIMIT, Outcome.EMULATOR_DIED, Outcome.CANNOT_START})
"""Failures of the machine or of the moment: another try may end differently, so they are not kept as results."""

DEFAULT_JOBS = min(4, os.cpu_count() or 1)
"""Machines at a time: one a core, at most 4."""


class BootPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One boot, decided but not made. `key` is the digest of everything that can change its recording.

    `launch`: the emulator that is started; None where none is. Then `action` says in words what the target does.
    """

    system: System
    purpose: Purpose
    launch: Launch | None = None
    action: tuple[str, ...] = ()
    key: str
    machine_key: str = ""
    """The digest of what is booted, without what is looked for: goal, check, marks, limits. "" where none is kept."""
    info: KernelInfo
    sizes_bytes: dict[str, int]
    sha256: dict[str, str]
    emulator_version: str = ""
    accel: str = "tcg"
    processors: Processors = Processors()
    stamped: bool = False
    mark_names: tuple[str, ...] = ()
    of_loader: dict[str, int] | None = None
    """Addresses of a boot loader's parts, and where it enters the kernel; None where the emulator loads that."""
    lacks: tuple[str, ...] = ()
    """What its recording will not have (no plugin, no symbols)."""
    notes: tuple[str, ...] = ()
    """What of the machine does not repeat or does not show in exact mode."""
    awaited: str = ""
    """A file of the boot's folder that must be there before the machine is ended at its goal."""
    kernel_patches: tuple[str, ...] = ()
    """Names of the patches that the kernel was built with."""
    carried: tuple[tuple[str, str], ...] = ()
    """Names and sources of files that are copied into the boot's folder."""

    @property
    def command(self) -> tuple[str, ...]:
        """The words that start the emulator, or the target's own, to be shown or run."""
        return self.action if self.launch is None else words(self.launch)


class Progress(msgspec.Struct, frozen=True):
    """Where a running boot is. `virtual_ns` is None where nothing tells the virtual time.

    `word`: what is likely to be wrong with a boot that goes on for long without its goal; told once.
    """

    virtual_ns: int | None
    console_bytes: int
    last_line: str
    word: str = ""


ProgressSink = Callable[[Progress], None]


class Target(Protocol):
    """Something that boots systems."""

    def plan(self, system: System, purpose: Purpose = "timing") -> BootPlan:
        """Build what is needed and say what would be booted."""

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Boot into an empty folder; return the recording, whatever its outcome."""
