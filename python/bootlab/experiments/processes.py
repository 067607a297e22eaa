"""A timing boot once more with the plugin that tells which task ran when: instructions by process."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from bootlab.analysis import program_stages
from bootlab.analysis.own_time import Turn
from bootlab.builders.cache import Cache
from bootlab.collectors import processes
from bootlab.collectors.processes import PROCESSES_FILE, ProcessCost
from bootlab.errors import EnvironmentFault, MeasurementError, UserError
from bootlab.experiments.base import BaseFailedError, require_goal
from bootlab.experiments.bench import Bench
from bootlab.model.launch import LoadedPlugin
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.model.timeline import ProgramStart
from bootlab.targets import emulator, plugin
from bootlab.targets.base import BootPlan
from bootlab.targets.trace_boot import kernel_symbols

_FUNCTIONS = {"switch": "__switch_to", "comm": "__set_task_comm", "fork": "wake_up_new_task"}


def process_costs(bench: Bench, system: System) -> tuple[ProcessCost, ...]:
    """Boot for the time and once more with the plugin; they must be one boot.

    Raise UserError if this system does not show processes, MeasurementError when the plugin changed the boot.
    """
    bench.phase("processes", 2)
    recording, goal_insns = _watched(bench, system)
    return processes.load(Path(recording.path or "."), end_insns=goal_insns)


def process_turns(bench: Bench, system: System) -> tuple[Turn, ...]:
    """Boot as `process_costs` does, and return which task ran when, up to the goal; raises as it does."""
    recording, goal_insns = _watched(bench, system)
    return processes.load_turns(Path(recording.path or "."), end_insns=goal_insns, end_ns=recording.meta.goal_ns or 0)


def program_starts(bench: Bench, system: System) -> tuple[ProgramStart, ...]:
    """Boot as `process_costs` does, and return the programs that were started up to the goal; raises as it does."""
    recording, goal_insns = _watched(bench, system)
    return processes.load_started(Path(recording.path or "."), end_insns=goal_insns)


def with_programs(bench: Bench, system: System, recording: Recording) -> Recording:
    """Return a boot with the marks of user space's stages that its console lacks; raises as `process_costs` does."""
    bench.phase("programs", 2)
    more = program_stages.marks(system, program_starts(bench, system), recording.marks)
    marks = sorted((*recording.marks, *more), key=lambda mark: mark.ns)
    return msgspec.structs.replace(recording, marks=tuple(marks))


def _watched(bench: Bench, system: System) -> tuple[Recording, int]:
    timing = bench.boot(system, system.name)
    require_goal(timing)
    if timing.meta.goal_insns is None:
        raise BaseFailedError(timing)
    plan = _observed(bench.target.plan(system), bench.cache)
    recording = bench.wait(bench.submit_plan(plan, f"{system.name} (processes)"))
    if recording.meta.goal_insns != timing.meta.goal_insns:
        raise MeasurementError(
            f"the boot with the plugin differs from the timing boot; compare {recording.path} with {timing.path}",
            hint="`bootlab boot SYSTEM.toml --repeat 3` shows whether the system itself boots the same each time",
        )
    return recording, timing.meta.goal_insns


def _observed(plan: BootPlan, cache: Cache) -> BootPlan:
    system = plan.system
    if system.clock.mode != "exact":
        raise UserError("processes can be distinguished only in exact mode", hint='set clock.mode = "exact"')
    if plan.processors.count != 1 and not plan.processors.alone:
        raise UserError(
            "processes can be distinguished on one processor only",
            hint="set machine.cpus = 1 for this; or leave the others off with maxcpus=1 on the command line",
        )
    if plan.launch is None or not plan.launch.plugins:
        raise EnvironmentFault("it needs TCG plugins, and this boot has none", hint="bootlab doctor")
    built = plugin.prepare_processes(emulator.find(system.machine), cache.root)
    if built.path is None:
        raise EnvironmentFault(f"there is no plugin: {built.reason}", hint="bootlab doctor")
    found = {name: address for address, _, name in kernel_symbols(plan)}
    if missing := [name for name in _FUNCTIONS.values() if name not in found]:
        raise UserError(f"the kernel has no symbol {missing[0]}", hint="take a kernel with CONFIG_KALLSYMS")
    words = [f"{key}={found[name]:#x}" for key, name in _FUNCTIONS.items()]
    arguments = (f"out={PROCESSES_FILE}", f"shift={system.clock.shift}", *words)
    watcher = LoadedPlugin(file=built.path, arguments=arguments, digest=built.digest)
    key = hashlib.sha256(f"{plan.key} {built.digest} {words}".encode()).hexdigest()[:32]
    return msgspec.structs.replace(plan, purpose="trace", launch=plan.launch.with_plugin(watcher), key=key)
