# SPDX-License-Identifier: MIT
"""A timing boot once more with the plugin that models a processor: what it would take, by stage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bootlab.analysis.board_amounts import amounts_of
from bootlab.analysis.function_tables import InitcallRow
from bootlab.analysis.printed import printed_ns
from bootlab.analysis.stages import stages_of
from bootlab.builders.cache import Cache
from bootlab.collectors import costing
from bootlab.collectors.costing import COST_FILE
from bootlab.costs.cores import ChosenCore, core_of, is_file
from bootlab.costs.named import costs_in, known_on
from bootlab.costs.prices import board_row
from bootlab.costs.seen import seen
from bootlab.errors import MeasurementError
from bootlab.experiments.base import BaseFailedError
from bootlab.experiments.bench import Bench
from bootlab.experiments.self_check import IS_IT_EXACT
from bootlab.experiments.watched_boot import watchable, watched
from bootlab.launch import emulator, plugin
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.costing import CostedStage, Costing
from bootlab.model.costs import Core, Costs
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import Stage

_SLOWER = 10
"""Host time that a costing boot may take, of what the system's limits give a timing boot."""
FINE = 1 << 15
"""Instructions between two records where initcalls are costed."""


def costed(
    bench: Bench,
    system: SystemDescription,
    timing: Recording,
    core: ChosenCore,
    initcalls: Sequence[InitcallRow] | None = None,
) -> Costing:
    """Boot once more with the plugin, and return what the core takes for each stage of the timing boot.

    `initcalls`: those of a traced boot, which is the same boot; those that are long enough are costed too.
    Raise UserError where it cannot be modelled, EnvironmentFault without the plugin, MeasurementError when the boot
    with the plugin is not the timing boot.
    """
    if timing.meta.goal_insns is None or timing.meta.goal_ns is None:
        raise BaseFailedError(timing)
    words = core.arguments if initcalls is None else (*core.arguments, f"every={FINE}")
    plan = _observed(bench.target.plan(system), bench.cache, words)
    recording = bench.wait(bench.submit_plan(plan, f"{system.name} ({core.word})"))
    if recording.meta.goal_insns != timing.meta.goal_insns:
        raise MeasurementError(
            f"the costing boot differs from the timing boot; compare {recording.path} with {timing.path}",
            hint=IS_IT_EXACT,
        )
    written = costing.load(Path(recording.path or ".") / COST_FILE)
    records = costing.up_to(written, timing.meta.goal_insns, timing.meta.goal_ns)
    insn_ns = 1 << system.clock.shift
    whole = Stage("whole boot", 0, timing.meta.goal_ns)
    error = seen(measured=is_file(core.word))
    calls = [Stage(f"initcall {one.function}", one.start_ns, one.wall_ns) for one in initcalls or () if one.whole]
    own = [costing.costed(records, call, core.ghz, insn_ns, error) for call in calls]
    long = [(call, one) for call, one in zip(calls, own, strict=True) if one.instructions >= FINE]
    found = Costing(
        core=core.word,
        title=core.core.title,
        ghz=core.ghz,
        seen=error,
        stages=tuple(costing.costed(records, stage, core.ghz, insn_ns, error) for stage in stages_of(timing)),
        whole=costing.costed(records, whole, core.ghz, insn_ns, error),
        initcalls=tuple(one for _, one in long),
    )
    costs = costs_in(core.word) if is_file(core.word) else system.costs
    return (
        found
        if costs is None
        else _with_board(found, known_on(costs, system.cmdline), timing, [call.start_ns for call, _ in long])
    )


def _with_board(found: Costing, costs: Costs, timing: Recording, called_ns: Sequence[int]) -> Costing:
    """Add what the board's console and medium take, where the costs have them."""
    starts = {stage.name: stage.start_ns for stage in stages_of(timing)}
    medium = msgspec.structs.replace(costs, core=None, modelled="")

    def with_console(stage: CostedStage, start: int) -> CostedStage:
        if costs.console is None:
            return stage
        printed = printed_ns(timing, costs.console, start, start + stage.exact_ns)
        return msgspec.structs.replace(stage, printed_ns=printed)

    whole = with_console(found.whole, 0)
    if costs.medium is not None:
        whole = msgspec.structs.replace(whole, loaded_ns=board_row(medium, "base", amounts_of(timing)).load_ns)
    parts = (("console", costs.console), ("boot medium", costs.medium))
    return msgspec.structs.replace(
        found,
        stages=tuple(with_console(stage, starts.get(stage.name, 0)) for stage in found.stages),
        initcalls=tuple(map(with_console, found.initcalls, called_ns)),
        whole=whole,
        outside=tuple(name for name, part in parts if part is None),
    )


def with_core(bench: Bench, system: SystemDescription) -> SystemDescription:
    """Return a system whose costs have the time of an instruction on their core, from a costing boot of it.

    As it is where its costs name no core, or it does not reach its goal. Raises as `costed` does.
    """
    costs = system.costs
    if costs is None or not costs.modelled or costs.core is not None:
        return system
    chosen = core_of(costs.modelled, system.machine.arch)
    timing = bench.boot(system, system.name)
    if not timing.ok:
        return system
    costed_boot = costed(bench, system, timing, chosen)
    core = Core(
        name=f"{costed_boot.title} at {costed_boot.ghz.text()} GHz",
        instruction_ns=costed_boot.whole.instruction_ns,
        source=f"a costing boot of the base: {costed_boot.seen.text(costed_boot.core)}",
    )
    return msgspec.structs.replace(system, costs=msgspec.structs.replace(costs, core=core))


def _observed(plan: BootPlan, cache: Cache, words: Sequence[str]) -> BootPlan:
    system = plan.system
    launch = watchable(
        plan,
        exact_only="a processor's time is modelled in exact mode only",
        one_only="the time of one processor only can be modelled",
    )
    built = plugin.prepare_costing(emulator.find(system.machine), cache.root)
    limits = system.limits
    slower = msgspec.structs.replace(limits, wall_s=limits.wall_s * _SLOWER, stall_wall_s=limits.stall_wall_s * _SLOWER)
    once_more = watched(plan, launch, built, COST_FILE, words)
    return msgspec.structs.replace(once_more, system=msgspec.structs.replace(system, limits=slower))
