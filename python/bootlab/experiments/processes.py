# SPDX-License-Identifier: MIT
"""A timing boot once more with the plugin that tells which task ran when: instructions by process."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.analysis import program_stages
from bootlab.analysis.own_time import Turn
from bootlab.builders.cache import Cache
from bootlab.collectors import processes
from bootlab.collectors.processes import PROCESSES_FILE, ProcessCost
from bootlab.errors import MeasurementError, UserError
from bootlab.experiments.base import BaseFailedError, require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.self_check import IS_IT_EXACT
from bootlab.experiments.watched_boot import watchable, watched
from bootlab.launch import emulator, plugin
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import ProgramStart
from bootlab.tracing.boot import kernel_symbols

_FUNCTIONS = {"switch": "__switch_to", "comm": "__set_task_comm", "fork": "wake_up_new_task"}


def process_costs(bench: Bench, system: SystemDescription) -> tuple[ProcessCost, ...]:
    """Boot for the time and once more with the plugin; they must be one boot.

    Raise UserError if this system does not show processes, MeasurementError when the plugin changed the boot.
    """
    bench.phase("processes", 2)
    recording, goal_insns = _watched(bench, system)
    return processes.load(Path(recording.path or "."), end_insns=goal_insns)


def process_turns(bench: Bench, system: SystemDescription) -> tuple[Turn, ...]:
    """Boot as `process_costs` does, and return which task ran when, up to the goal; raises as it does."""
    recording, goal_insns = _watched(bench, system)
    return processes.load_turns(Path(recording.path or "."), end_insns=goal_insns, end_ns=recording.meta.goal_ns or 0)


def program_starts(bench: Bench, system: SystemDescription) -> tuple[ProgramStart, ...]:
    """Boot as `process_costs` does, and return the programs that were started up to the goal; raises as it does."""
    recording, goal_insns = _watched(bench, system)
    return processes.load_started(Path(recording.path or "."), end_insns=goal_insns)


def with_programs(bench: Bench, system: SystemDescription, recording: Recording) -> Recording:
    """Return a boot with the marks of user space's stages that its console lacks; raises as `process_costs` does."""
    bench.phase("programs", 2)
    more = program_stages.marks(system, program_starts(bench, system), recording.marks)
    marks = sorted((*recording.marks, *more), key=lambda mark: mark.ns)
    return msgspec.structs.replace(recording, marks=tuple(marks))


def _watched(bench: Bench, system: SystemDescription) -> tuple[Recording, int]:
    timing = bench.boot(system, system.name)
    require_goal(timing)
    if timing.meta.goal_insns is None:
        raise BaseFailedError(timing)
    plan = _observed(bench.target.plan(system), bench.cache)
    recording = bench.wait(bench.submit_plan(plan, f"{system.name} (processes)"))
    if recording.meta.goal_insns != timing.meta.goal_insns:
        raise MeasurementError(
            f"the boot with the plugin differs from the timing boot; compare {recording.path} with {timing.path}",
            hint=IS_IT_EXACT,
        )
    return recording, timing.meta.goal_insns


def _observed(plan: BootPlan, cache: Cache) -> BootPlan:
    launch = watchable(
        plan,
        exact_only="processes can be distinguished only in exact mode",
        one_only="processes can be distinguished on one processor only",
    )
    addresses = {name: address for address, _, name in kernel_symbols(plan)}
    if missing := [name for name in _FUNCTIONS.values() if name not in addresses]:
        raise UserError(f"the kernel has no symbol {missing[0]}", hint="take a kernel with CONFIG_KALLSYMS")
    words = [f"{key}={addresses[name]:#x}" for key, name in _FUNCTIONS.items()]
    built = plugin.prepare_processes(emulator.find(plan.system.machine), cache.root)
    return watched(plan, launch, built, PROCESSES_FILE, words)
