# SPDX-License-Identifier: MIT
# ruff: noqa: D102 - the fields of two interfaces; what each means stands at `Meta`
"""The one place where a recording is put together: of what was planned, how it ended, and what was heard of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from bootlab.model.launch import Launch
from bootlab.model.processors import Processors
from bootlab.model.recording import EndedBy, GoalClock, Mark, Meta, Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings import recording_dir
from bootlab.recordings.stamps import Stamps

Groups = Sequence[tuple[str, ...] | None]
"""What the functional check captured: a tuple for each of its patterns, None for one that was not found."""


class Planned(Protocol):
    """What a recording keeps of the plan of its boot."""

    @property
    def system(self) -> SystemDescription: ...
    @property
    def purpose(self) -> Literal["timing", "diagnostic", "check", "trace"]: ...
    @property
    def key(self) -> str: ...
    @property
    def machine_key(self) -> str: ...
    @property
    def launch(self) -> Launch | None: ...
    @property
    def command(self) -> tuple[str, ...]: ...
    @property
    def emulator_version(self) -> str: ...
    @property
    def accel(self) -> str: ...
    @property
    def processors(self) -> Processors: ...
    @property
    def sizes_bytes(self) -> dict[str, int]: ...
    @property
    def sha256(self) -> dict[str, str]: ...
    @property
    def kernel_patches(self) -> tuple[str, ...]: ...
    @property
    def lacks(self) -> tuple[str, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class Ended(Protocol):
    """How a boot ended."""

    @property
    def outcome(self) -> Outcome: ...
    @property
    def reason(self) -> str: ...
    @property
    def last_initcall(self) -> str: ...
    @property
    def host_limit(self) -> bool: ...
    @property
    def ended_by(self) -> EndedBy: ...
    @property
    def waited(self) -> bool: ...


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What a boot left: its console, the times of the console's bytes, its marks, and when the goal came."""

    console: bytes = b""
    stamps: Stamps | None = None
    marks: tuple[Mark, ...] = ()
    goal_ns: int | None = None
    goal_insns: int | None = None
    goal_clock: GoalClock = "virtual"


def meta_of(
    plan: Planned,
    ending: Ended,
    heard: Heard,
    groups: Groups | None = None,
    *,
    lacks: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    **besides: Any,
) -> Meta:
    """Return what a recording says of its boot. `besides`: fields of `Meta` that the target alone knows."""
    mode = besides.pop("mode", plan.system.clock.mode)
    meta = Meta(
        purpose=plan.purpose,
        mode=mode,
        machine_key=plan.machine_key,
        command=plan.command,
        launch=plan.launch,
        cmdline=plan.launch.cmdline if plan.launch is not None else "",
        emulator_version=plan.emulator_version,
        shift=plan.system.clock.shift if mode == "exact" else None,
        processors=plan.processors,
        accel=plan.accel,
        stamped=heard.stamps is not None,
        artefact_bytes=plan.sizes_bytes,
        artefact_sha256=plan.sha256,
        kernel_patches=plan.kernel_patches,
    )
    return told_again(meta, plan, ending, heard, groups, lacks=lacks, notes=notes, **besides)


def told_again(
    meta: Meta,
    plan: Planned,
    ending: Ended,
    heard: Heard,
    groups: Groups | None = None,
    *,
    lacks: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    **besides: Any,
) -> Meta:
    """Return what another plan's recording says of the same machine: what was looked for in it, and what came of it."""
    if "wall_s" in besides:
        besides["wall_s"] = round(besides["wall_s"], 3)
    told = msgspec.structs.replace(
        meta,
        key=plan.key,
        system_name=plan.system.name,
        outcome=ending.outcome,
        reason=ending.reason,
        last_initcall=ending.last_initcall,
        host_limit=ending.host_limit,
        ended_by=ending.ended_by,
        emulator_waited=ending.waited,
        goal_ns=heard.goal_ns,
        goal_insns=heard.goal_insns,
        goal_clock=heard.goal_clock,
        console_bytes=len(heard.console),
        lacks=(*plan.lacks, *lacks),
        notes=(*plan.notes, *notes),
    )
    if groups is not None:
        checks = list(zip(plan.system.check.console, groups, strict=True))
        told = msgspec.structs.replace(
            told,
            check_groups=tuple(found for _, found in checks if found is not None),
            check_missing=tuple(pattern for pattern, found in checks if found is None),
        )
    return msgspec.structs.replace(told, **besides)


def write(folder: Path, meta: Meta, heard: Heard) -> Recording:
    """Write a recording into its folder, and return it as it is read there. Raise OSError."""
    recording_dir.save(folder, meta, heard.marks, heard.console, heard.stamps)
    return recording_dir.load(folder)


def stopped_before(plan: Planned) -> Recording:
    """Return what there is of a boot that was stopped before it began."""
    meta = Meta(
        key=plan.key,
        system_name=plan.system.name,
        purpose=plan.purpose,
        mode=plan.system.clock.mode,
        outcome=Outcome.INTERRUPTED,
        reason="stopped from outside",
    )
    return Recording(meta=meta, lines=(), marks=())
