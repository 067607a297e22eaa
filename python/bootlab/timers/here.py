# SPDX-License-Identifier: MIT
"""The timer programs on this machine: run, and their output read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bootlab.errors import MeasurementError, TargetError, UserError
from bootlab.timers import conform, stress
from bootlab.timers.conform import ConformResult
from bootlab.timers.programs import TIMERCONFORM, TIMERSTRESS, TimerProgram
from bootlab.timers.request import StressRequest
from bootlab.timers.running import Output, on_host
from bootlab.timers.stress import StressResult


class TimersFailed(TargetError):
    """Timers were lost, early or too many, or an assertion does not hold: a result, with an exit code for CI."""


def stress_here(request: StressRequest, *, line: Callable[[], None] | None = None) -> StressResult:
    """Run timerstress on this machine."""
    return stress_of(on_host(TIMERSTRESS, request.arguments(), line=line))


def conform_here(*, set_clock: bool = False, plants: bool = False, only: Sequence[int] = ()) -> ConformResult:
    """Run timerconform on this machine; `only`: the assertions with these numbers. Raise UserError."""
    return conform_of(on_host(TIMERCONFORM, conform_arguments(set_clock=set_clock, plants=plants, only=only)))


def to_limit(limit: StressResult, request: StressRequest) -> StressRequest:
    """Return the request with the population that a run in mode `limit` found."""
    if not limit.limits or not limit.limits[0].timers:
        raise MeasurementError(
            "the system allowed no timer at all", hint="ulimit -i says how many signals may be queued"
        )
    return msgspec.structs.replace(request, mode="stress", populations=(limit.limits[0].timers,))


def conform_arguments(*, set_clock: bool, plants: bool, only: Sequence[int]) -> Sequence[str]:
    """Return timerconform's words. Raise UserError for an assertion that there is not."""
    wrong = [number for number in only if not 1 <= number <= conform.ASSERTIONS]
    if wrong:
        raise UserError(f"there is no assertion {wrong[0]}", hint=f"--only takes 1 to {conform.ASSERTIONS}")
    numbers = [str(number) for number in sorted(set(only))]
    return [*(["--set-clock"] if set_clock else []), *(["--plants"] if plants else []), *numbers]


def stress_of(output: Output) -> StressResult:
    """Read what timerstress printed. Raise MeasurementError when that is no result."""
    result = stress.parse(output.text, output.place)
    if result is None:
        raise _nothing(TIMERSTRESS, output)
    return result


def conform_of(output: Output) -> ConformResult:
    """Read what timerconform printed. Raise MeasurementError when that is no result."""
    result = conform.parse(output.text, output.place)
    if result is None:
        raise _nothing(TIMERCONFORM, output)
    return result


def _nothing(program: TimerProgram, output: Output) -> MeasurementError:
    place = output.place.recording
    return MeasurementError(
        f"{program.name} printed no result", hint=f"its console: {place}/console.log" if place else "run it once more"
    )
