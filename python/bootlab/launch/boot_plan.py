# SPDX-License-Identifier: MIT
"""What would be booted: one boot, decided but not made."""

from __future__ import annotations

import os
from typing import Literal

import msgspec

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.launch.ends import Ends
from bootlab.launch.qemu_command import words
from bootlab.model.launch import Launch
from bootlab.model.processors import Processors
from bootlab.model.recording import Outcome
from bootlab.model.system import SystemDescription

Purpose = Literal["timing", "diagnostic", "check", "trace"]

NOT_KEPT = frozenset(
    {
        Outcome.INTERRUPTED,
        Outcome.TIME_LIMIT,
        Outcome.EMULATOR_DIED,
        Outcome.CANNOT_START,
        Outcome.CONSOLE_INCOMPLETE,
    }
)
"""Failures of the machine or of the moment: another try may end differently, so they are not kept as results."""

DEFAULT_JOBS = min(4, os.cpu_count() or 1)
"""Machines at a time: one a core, at most 4."""


class BootPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One boot, decided but not made. `key` is the digest of everything that can change its recording.

    `launch`: the emulator that is started; None where none is. Then `action` says in words what the target does.
    """

    system: SystemDescription
    purpose: Purpose
    launch: Launch | None = None
    first_launch: Launch | None = None
    """What the system's first boot starts, where this is a later one; None: this is the first."""
    ends: Ends | None = None
    """How the machine is asked to go down after its goal, where that is what is measured; None: it ends at its goal."""
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
