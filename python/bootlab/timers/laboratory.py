"""Runs of the timer laboratory: on this machine, or by booting a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bootlab.errors import MeasurementError, TargetError, UserError
from bootlab.experiment.bench import Bench
from bootlab.experiment.tracing import Traced
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.targets.trace_boot import TraceRequest
from bootlab.timers import conform, instructions, stress
from bootlab.timers.conform import ConformResult
from bootlab.timers.programs import TIMERCONFORM, TIMERSTRESS, TimerProgram
from bootlab.timers.request import StressRequest
from bootlab.timers.running import Output, on_host, output_of, system_for
from bootlab.timers.stress import InstructionCount, StressResult

CONFORM_S = 120.0
"""What all checks take at most, were none of them to hang."""
PLANTS_S = 600.0


class TimersFailed(TargetError):
    """Timers were lost, early or too many, or an assertion does not hold: a result, with an exit code for CI."""


def stress_here(request: StressRequest, *, line: Callable[[], None] | None = None) -> StressResult:
    """Run timerstress on this machine."""
    return _stress(on_host(TIMERSTRESS, request.arguments(), line=line))


def stress_system(system: System, request: StressRequest) -> System:
    """Return the system that is booted for a run of timerstress."""
    limited = request.mode == "limit"
    return system_for(system, TIMERSTRESS, request.arguments(), seconds=request.total_s, raise_limits=not limited)


def stress_booted(recording: Recording, name: str) -> StressResult:
    """Return the result that a boot of `stress_system` recorded."""
    return _stress(output_of(recording, name))


def counted_requests(system: System, request: StressRequest) -> tuple[StressRequest, ...]:
    """Return the runs whose instructions are counted, one a population. Raise UserError where that cannot be."""
    return instructions.requests(system, request)


def window_of(system: System) -> TraceRequest:
    """Return the part of such a run to trace."""
    return instructions.window(system.machine.arch)


def counted(traced: Traced, name: str) -> InstructionCount:
    """Return where the instructions of a traced run went."""
    return instructions.count(traced.trace, stress_booted(traced.timing, name), traced.recording.path)


def conform_here(*, set_clock: bool = False, plants: bool = False, only: Sequence[int] = ()) -> ConformResult:
    """Run timerconform on this machine; `only`: the assertions with these numbers. Raise UserError."""
    return _conform(on_host(TIMERCONFORM, _conform_arguments(set_clock=set_clock, plants=plants, only=only)))


def conform_booted(
    bench: Bench, system: System, *, set_clock: bool = True, plants: bool = False, only: Sequence[int] = ()
) -> ConformResult:
    """Boot a system and run timerconform in it; its clock is nobody's, so it may be set. Raise UserError."""
    arguments = _conform_arguments(set_clock=set_clock, plants=plants, only=only)
    seconds = PLANTS_S if plants else CONFORM_S
    recording = bench.boot(system_for(system, TIMERCONFORM, arguments, seconds=seconds), f"{system.name} conform")
    return _conform(output_of(recording, system.name))


def to_limit(limit: StressResult, request: StressRequest) -> StressRequest:
    """Return the request with the population that a run in mode `limit` found."""
    if not limit.limits or not limit.limits[0].timers:
        raise MeasurementError(
            "the system granted no timer at all", hint="ulimit -i says how many signals may be queued"
        )
    return msgspec.structs.replace(request, mode="stress", populations=(limit.limits[0].timers,))


def _conform_arguments(*, set_clock: bool, plants: bool, only: Sequence[int]) -> Sequence[str]:
    wrong = [number for number in only if not 1 <= number <= conform.ASSERTIONS]
    if wrong:
        raise UserError(f"there is no assertion {wrong[0]}", hint=f"--only takes 1 to {conform.ASSERTIONS}")
    numbers = [str(number) for number in sorted(set(only))]
    return [*(["--set-clock"] if set_clock else []), *(["--plants"] if plants else []), *numbers]


def _stress(output: Output) -> StressResult:
    result = stress.parse(output.text, output.place)
    if result is None:
        raise _nothing(TIMERSTRESS, output)
    return result


def _conform(output: Output) -> ConformResult:
    result = conform.parse(output.text, output.place)
    if result is None:
        raise _nothing(TIMERCONFORM, output)
    return result


def _nothing(program: TimerProgram, output: Output) -> MeasurementError:
    place = output.place.recording
    return MeasurementError(
        f"{program.name} printed no result", hint=f"its console: {place}/console.log" if place else "run it once more"
    )
