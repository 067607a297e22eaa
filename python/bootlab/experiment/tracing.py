"""A timing boot, and the same boot once more with its functions traced up to the same goal."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.builders.cache import Cache
from bootlab.collectors import function_trace
from bootlab.errors import MeasurementError
from bootlab.experiment.bench import Bench
from bootlab.experiment.evidence import BaseFailedError
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.targets.base import Purpose
from bootlab.targets.trace_boot import TraceRequest, traced


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """A traced boot beside the timing boot it must equal."""

    timing: Recording
    recording: Recording
    trace: FunctionTrace


def trace_boot(
    bench: Bench, cache: Cache, system: System, request: TraceRequest, *, purpose: Purpose = "timing"
) -> Traced:
    """Boot for the time, then boot with the trace, which ends at the goal of the first boot.

    `purpose` is the first boot's. Raise MeasurementError when the trace changed the boot or does not add up.
    """
    timing = bench.boot(system, system.name, purpose=purpose)
    if not timing.ok:
        raise BaseFailedError(timing)
    if request.end_insns is None and request.stop is None:
        request = msgspec.structs.replace(request, end_insns=timing.meta.goal_insns)
    plan = traced(bench.target.plan(system), request, cache)
    recording = bench.wait(bench.submit_plan(plan, f"{system.name} (trace)"))
    if not recording.ok:
        raise BaseFailedError(recording)
    if recording.console != timing.console or recording.meta.goal_insns != timing.meta.goal_insns:
        raise MeasurementError(
            f"the traced boot differs from the timing boot; compare {recording.path} with {timing.path}",
            hint="`bootlab boot SYSTEM.toml --repeat 3` tells whether the system itself boots the same each time",
        )
    trace = function_trace.load(Path(recording.path or "."))
    executed = int(trace.self_insns.sum())
    if executed != trace.head.insns or trace.head.mismatches:
        raise MeasurementError(
            f"the trace does not add up: {executed} instructions in functions, {trace.head.insns} executed",
            hint="please report this kernel and QEMU version",
        )
    return Traced(timing=timing, recording=recording, trace=trace)
