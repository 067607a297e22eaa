# SPDX-License-Identifier: MIT
"""A timing boot, and the same boot once more with its functions traced up to the same goal."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.collectors import function_trace, kernel_tracer
from bootlab.collectors.kernel_tracer import KernelTracer, TracedByKernel
from bootlab.errors import MeasurementError
from bootlab.experiments.base import require_goal, require_report
from bootlab.experiments.bench import Bench
from bootlab.experiments.self_check import IS_IT_EXACT
from bootlab.launch.boot_plan import Purpose
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.tracing import modules as trace_modules
from bootlab.tracing.boot import CODE_ONLY_NS, NO_MODULES, TraceRequest, traced
from bootlab.tracing.modules import PlacedModules


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """A traced boot beside the timing boot it must equal. `modules`: where the root tree's modules lay in it."""

    timing: Recording
    recording: Recording
    trace: FunctionTrace
    modules: PlacedModules = NO_MODULES


def trace_boot(
    bench: Bench, system: SystemDescription, request: TraceRequest, *, purpose: Purpose = "timing"
) -> Traced:
    """Boot for the time, then boot with the trace, which ends at the goal of the first boot.

    With modules in the root tree there is one boot more, which finds out where they lie. `purpose` is the first
    boot's. Raise MeasurementError when the trace changed the boot or does not add up.
    """
    timing = bench.boot(system, system.name, purpose=purpose)
    require_goal(timing)
    modules = NO_MODULES
    if files := trace_modules.files(system):
        code_only = TraceRequest(end_insns=timing.meta.goal_insns, min_ns=CODE_ONLY_NS)
        _, trace = _traced(bench, system, code_only, timing)
        modules = trace_modules.place(files, trace.code)
    if request.end_insns is None and request.stop is None:
        request = msgspec.structs.replace(request, end_insns=timing.meta.goal_insns)
    recording, trace = _traced(bench, system, request, timing, modules)
    return Traced(timing=timing, recording=recording, trace=trace, modules=modules)


def begin_trace(bench: Bench, system: SystemDescription, timing: Recording, request: TraceRequest) -> None:
    """Start the boot that `trace_boot` will wait for first. Nothing is started for a boot without its goal."""
    if not timing.ok:
        return
    if trace_modules.files(system):
        request = TraceRequest(end_insns=timing.meta.goal_insns, min_ns=CODE_ONLY_NS)
    elif request.end_insns is None and request.stop is None:
        request = msgspec.structs.replace(request, end_insns=timing.meta.goal_insns)
    plan = traced(bench.target.plan(system), request, bench.cache, NO_MODULES)
    bench.submit_plan(plan, f"{system.name} (trace)")


def _traced(
    bench: Bench,
    system: SystemDescription,
    request: TraceRequest,
    timing: Recording,
    modules: PlacedModules = NO_MODULES,
) -> tuple[Recording, FunctionTrace]:
    plan = traced(bench.target.plan(system), request, bench.cache, modules)
    recording = bench.wait(bench.submit_plan(plan, f"{system.name} (trace)"))
    require_goal(recording, "the traced boot")
    # Both end with the goal's text; whether the end of its line came through too is a matter of the host's time.
    if (
        recording.console.rstrip(b"\r\n") != timing.console.rstrip(b"\r\n")
        or recording.meta.goal_insns != timing.meta.goal_insns
    ):
        raise MeasurementError(
            f"the traced boot differs from the timing boot; compare {recording.path} with {timing.path}",
            hint=IS_IT_EXACT,
        )
    trace = function_trace.load(Path(recording.path or "."))
    executed = int(trace.self_insns.sum())
    if executed != trace.head.insns or trace.head.mismatches:
        raise MeasurementError(
            f"the trace does not add up: {executed} instructions in functions, {trace.head.insns} executed",
            hint="please report this kernel and QEMU version",
        )
    return recording, trace


def trace_by_kernel(bench: Bench, system: SystemDescription, tracer: KernelTracer) -> TracedByKernel:
    """Boot for the time, then with the kernel's own tracer and the agent that collects what it recorded.

    Raise UserError without a root tree for the agent, MeasurementError when the kernel gave no trace.
    """
    timing = bench.boot(system, system.name)
    require_goal(timing)
    instrumented = kernel_tracer.traced_system(system, timing, tracer)
    recording = bench.boot(instrumented, f"{system.name} (ftrace)", purpose="diagnostic")
    require_report(system, recording, "the kernel's trace was not collected")
    collected, lost = kernel_tracer.collected(recording)
    return TracedByKernel(
        timing=timing,
        recording=recording,
        found=collected,
        lost=lost,
        goal_ns=kernel_tracer.goal_ns(recording, system.goal.console),
        untraced_ns=kernel_tracer.goal_ns(timing, system.goal.console),
    )
