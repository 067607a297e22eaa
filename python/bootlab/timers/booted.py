"""The timer programs inside a booted system, which has nothing else to do. Needs no more of bootlab than its API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from bootlab.api import System
from bootlab.timers import instructions
from bootlab.timers.comparison import Configuration
from bootlab.timers.conform import ConformResult
from bootlab.timers.here import conform_arguments, conform_of, stress_of
from bootlab.timers.programs import TIMERCONFORM, TIMERSTRESS
from bootlab.timers.request import StressRequest
from bootlab.timers.running import output_of, system_for
from bootlab.timers.stress import InstructionCount, StressResult

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality

CONFORM_S = 120.0
"""What all checks take at most, were none of them to hang."""
PLANTS_S = 600.0


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


def repeat(system: System, request: StressRequest, times: int) -> tuple[tuple[StressResult, ...], Equality]:
    """Do it several times anew. Return each result, and whether the boots are equal to the byte."""
    recordings, equality = _loaded(system, request).repeat_recordings(times)
    return tuple(stress_of(output_of(recording, system.name)) for recording in recordings), equality


def conform(system: System, *, plants: bool = False, only: Iterable[int] = ()) -> ConformResult:
    """Boot the kernel and judge 90 assertions about its timer functions; its clock is nobody's, so it is set too.

    `plants`: put a bug against each assertion in, which its check must find. `only`: the assertions with these
    numbers. Raise UserError for an assertion that there is not.
    """
    arguments = conform_arguments(set_clock=True, plants=plants, only=tuple(only))
    value = system_for(system.value, TIMERCONFORM, arguments, seconds=PLANTS_S if plants else CONFORM_S)
    return conform_of(output_of(system.like(value).boot().recording, system.name))


def configurations(
    variants: Sequence[tuple[str, System]], request: StressRequest, times: int, *, unequal: Callable[[str], object]
) -> list[Configuration]:
    """Run the same timers in each named system so many times, and at least twice in exact mode.

    `unequal` is told of exact boots that differ, and of the likely cause. On the host's clock the runs alternate.
    """
    if any(system.value.clock.mode != "exact" for _, system in variants):
        # Blocks: a drift of the machine hits all alike.
        rows = [[stress(system, request, fresh=True) for _, system in variants] for _ in range(times)]
        return [
            Configuration(name=name, results=tuple(row[column] for row in rows))
            for column, (name, _) in enumerate(variants)
        ]
    made = []
    for name, system in variants:
        # Never once: a system that does not boot alike twice has no figures to compare.
        results, equality = repeat(system, request, max(times, 2))
        if not equality.equal:
            causes = "; ".join(equality.causes) or "none of the known causes is there"
            unequal(f"{name}: {equality.difference}; likely cause: {causes}")
        made.append(Configuration(name=name, results=results, equal=equality.equal))
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
