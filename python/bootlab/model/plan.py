# SPDX-License-Identifier: MIT
"""The plan of an optimisation: which techniques are tried, in which order, at which risk, and what that may take."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.change import (
    AddParam,
    Change,
    DropFiles,
    DropInitramfsFiles,
    DropParam,
    ExtendParam,
    MountRootByKernel,
    MountRootDirectly,
    MoveRoot,
    Op,
    PutFile,
    PutProgram,
    SetBusybox,
    SetCompression,
    SetFlashStart,
    SetInitArguments,
    SetKernelForm,
    SetMachine,
    SetParam,
    SetProgramBuild,
)

FORMAT = "bootlab-plan"
VERSION = 2

PhaseName = Literal["command line", "initramfs", "root tree", "programs", "machine and loader", "kernel"]
"""What has to be made anew for a change, the cheapest first."""

PHASES: tuple[PhaseName, ...] = (
    "command line",
    "initramfs",
    "root tree",
    "programs",
    "machine and loader",
    "kernel",
)

BUILDS: PhaseName = "kernel"
"""The phase in which kernels are built."""

PROGRAMS: PhaseName = "programs"
"""The phase in which programs are compiled in other ways."""

_PHASE_OF: tuple[tuple[PhaseName, tuple[type, ...]], ...] = (
    ("command line", (SetParam, ExtendParam, AddParam, DropParam, SetInitArguments)),
    ("initramfs", (SetCompression, DropInitramfsFiles, MountRootDirectly, MountRootByKernel)),
    ("root tree", (DropFiles, PutFile, SetBusybox, MoveRoot)),
    ("programs", (SetProgramBuild, PutProgram)),
    ("machine and loader", (SetKernelForm, SetFlashStart, SetMachine)),
)


class PlannedTechnique(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One technique of a plan. `take` False: it stays out, and `why_not` says why.

    `gain_ns`: what the evidence of the base says that it may save, None where nothing tells; `basis` says what that
    is. It orders the search and promises nothing. `variants`: labels of its changes; () where there is one.
    """

    id: str
    take: bool = True
    why_not: str = ""
    gain_ns: int | None = None
    basis: str = ""
    reason: str = ""
    risk: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    late: bool = False


class PlannedPhase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Techniques whose changes take the same work. `boots`, `builds`: an estimate of what trying them takes."""

    name: PhaseName
    techniques: tuple[PlannedTechnique, ...]
    boots: int = 0
    builds: int = 0

    @property
    def taken(self) -> tuple[str, ...]:
        """Return ids of the techniques that are tried."""
        return tuple(technique.id for technique in self.techniques if technique.take)

    @property
    def reordered(self) -> bool:
        """Tell whether a person put the techniques into another order than that of what they may save."""
        gains = [technique.gain_ns or 0 for technique in self.techniques if technique.take]
        return gains != sorted(gains, reverse=True)


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan. `system`: the system file's path; `allow`: risks that are let in; `budget_s`: of machine time.

    `shrink`: leave out kernel options whose code never ran up to the goal. `keep`: options that stay whatever happens.
    `final`: commands that say in the result what they say in the base. `rounds`: how often what was left out is tried
    again on what stands. `boots`, `builds`, `wall_s`: estimates. `unbuilt`: techniques that apply and need a kernel
    that bootlab builds, where the system names no source; a plan's file does not hold them. `note`: what the file's
    seal says of it, "" where it is as bootlab wrote it.
    """

    format: str = FORMAT
    version: int = VERSION
    system: str
    allow: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    budget_s: float | None = None
    rounds: int = 2
    shrink: bool = False
    keep: tuple[str, ...] = ()
    final: tuple[str, ...] = ()
    base_ns: int | None = None
    boot_wall_s: float = 0.0
    build_wall_s: float = 0.0
    jobs: int = 1
    phases: tuple[PlannedPhase, ...] = ()
    unbuilt: tuple[str, ...] = ()
    note: str = ""

    @property
    def boots(self) -> int:
        """How many boots it takes, estimated."""
        return _BASE_BOOTS + sum(phase.boots for phase in self.phases)

    @property
    def builds(self) -> int:
        """How many kernels are built, estimated."""
        return sum(phase.builds for phase in self.phases)

    @property
    def wall_s(self) -> float:
        """How long it takes on this machine, estimated from the base's own boot, seconds."""
        return self.boots * self.boot_wall_s / max(1, self.jobs) + self.builds * self.build_wall_s


_BASE_BOOTS = 25
"""Twice for the self-check, a diagnosis, a trace, and under dithers."""


def phase_of(changes: tuple[Change, ...]) -> PhaseName:
    """Return the phase of a technique: that of the dearest thing that its changes make anew."""
    return max((_phase_of_op(op) for change in changes for op in change.ops), key=PHASES.index, default=PHASES[0])


def _phase_of_op(op: Op) -> PhaseName:
    return next((name for name, kinds in _PHASE_OF if isinstance(op, kinds)), "kernel")
