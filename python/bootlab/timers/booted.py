# SPDX-License-Identifier: MIT
"""The timer programs inside a booted system, which has nothing else to do. Needs no more of bootlab than its API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack

import msgspec

from bootlab.analysis.equality import compare_boots
from bootlab.api import System
from bootlab.timers import instructions
from bootlab.timers.comparison import TimerConfiguration
from bootlab.timers.conform import ConformResult
from bootlab.timers.here import conform_arguments, conform_of, stress_of
from bootlab.timers.programs import TIMERCONFORM, TIMERSTRESS
from bootlab.timers.request import StressRequest
from bootlab.timers.running import output_of, system_for
from bootlab.timers.stress import InstructionCount, StressResult

CONFORM_S = 120.0
"""What all checks take at most, were none of them to hang."""
PLANTS_S = 600.0

Group = Sequence[tuple[str, System]]
"""A system and its variants, each with the name that its figures stand under."""
_Loaded = tuple[str, str, System]
"""The name of the figures, the name of the system, and the system with the program in it."""


def stress(
    system: System, request: StressRequest, *, fresh: bool = False, count_instructions: bool = False
) -> StressResult:
    """Boot the kernel with nothing but timerstress and return every population's account.

    `fresh`: boot even when a recording of this very run is kept. `count_instructions` (exact mode): boot each
    population once more, traced, and split its instructions into those of the kernel and of user space.
    Raise BootlabError where it cannot boot, TargetError when timerstress could not do what was asked.
    """
    alone = instructions.requests(system.value, request) if count_instructions else ()
    recording = _loaded(system, request).boot(fresh=fresh).recording
    result = stress_of(output_of(recording, system.name))
    counts = tuple(_counted(system, one) for one in alone)
    return msgspec.structs.replace(result, instructions=counts)


def conform(system: System, *, plants: bool = False, only: Iterable[int] = ()) -> ConformResult:
    """Boot the kernel and judge 90 assertions about its timer functions; its clock is nobody's, so it is set too.

    `plants`: put a bug against each assertion in, which its check must find. `only`: the assertions with these
    numbers. Raise UserError for an assertion that there is not.
    """
    arguments = conform_arguments(set_clock=True, plants=plants, only=tuple(only))
    value = system_for(system.value, TIMERCONFORM, arguments, seconds=PLANTS_S if plants else CONFORM_S)
    return conform_of(output_of(system.like(value).boot().recording, system.name))


def configurations(
    groups: Sequence[Group],
    request: StressRequest,
    times: int,
    *,
    unequal: Callable[[str], object],
    sink: Callable[[list[TimerConfiguration]], object],
) -> list[TimerConfiguration]:
    """Run the same timers in each named system so many times, and at least twice in exact mode. Boots are kept.

    `groups`: systems that share a file. `unequal` is told of exact boots that differ, and of the likely cause. `sink`
    gets what is there each time that there is more. On the host's clock the runs of all systems alternate.
    """
    loaded = [[(name, system.name, _loaded(system, request)) for name, system in group] for group in groups]
    if all(system.value.clock.mode == "exact" for group in loaded for _, _, system in group):
        # Never once: a system that does not boot alike twice has no figures to compare.
        return _side_by_side(loaded, max(times, 2), unequal, sink)
    return _in_blocks(loaded, times, sink)


def _side_by_side(
    groups: list[list[_Loaded]],
    times: int,
    unequal: Callable[[str], object],
    sink: Callable[[list[TimerConfiguration]], object],
) -> list[TimerConfiguration]:
    made: list[TimerConfiguration] = []
    for group in groups:
        with group[0][2].bench() as bench:
            bench.phase("timers", times * len(group))
            flying = [
                [bench.submit(system.value, f"{name} #{n + 1}", fresh=n) for n in range(times)]
                for name, _, system in group
            ]
            for (name, of, system), futures in zip(group, flying, strict=True):
                recordings = tuple(bench.wait_all(futures))
                results = tuple(stress_of(output_of(recording, of)) for recording in recordings)
                equality = compare_boots(system.value, recordings, bench.target.plan(system.value).info.config)
                if equality.equal is False:
                    causes = "; ".join(equality.causes) or "none of the known causes is there"
                    unequal(f"{name}: {equality.difference}; likely cause: {causes}")
                made.append(TimerConfiguration(name=name, results=results, equal=equality.equal))
                sink(made)
    return made


def _in_blocks(
    groups: list[list[_Loaded]], times: int, sink: Callable[[list[TimerConfiguration]], object]
) -> list[TimerConfiguration]:
    """Boot all systems in turn, again and again: a drift of the machine hits all alike."""
    made: list[TimerConfiguration] = []
    with ExitStack() as benches:
        made_by = [benches.enter_context(group[0][2].bench(jobs=1)) for group in groups]
        turns = [(bench, one) for bench, group in zip(made_by, groups, strict=True) for one in group]
        rows: list[list[StressResult]] = [[] for _ in turns]
        made_by[0].phase("timers", times * len(turns))
        for block in range(1, times + 1):
            for row, (bench, (name, of, system)) in zip(rows, turns, strict=True):
                recording = bench.boot(system.value, f"{name} (block {block})", fresh=block)
                row.append(stress_of(output_of(recording, of)))
            made = [
                TimerConfiguration(name=one[0], results=tuple(row)) for row, (_, one) in zip(rows, turns, strict=True)
            ]
            sink(made)
    return made


def _loaded(system: System, request: StressRequest) -> System:
    limited = request.mode == "limit"
    value = system_for(
        system.value, TIMERSTRESS, request.arguments(), seconds=request.total_s, raise_limits=not limited
    )
    return system.like(value)


def _counted(system: System, alone: StressRequest) -> InstructionCount:
    traced = _loaded(system, alone).trace(instructions.window(system.value.machine.arch))
    result = stress_of(output_of(traced.timing, system.name))
    return instructions.count(traced.trace, result, traced.recording.path)
