# SPDX-License-Identifier: MIT
"""The load in the kernel, counted: where the instructions of a run of timerstress were executed (exact mode)."""

from __future__ import annotations

import msgspec

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.analysis.function_tables import buckets
from bootlab.errors import MeasurementError, UserError
from bootlab.model.architecture import Arch
from bootlab.model.system import SystemDescription
from bootlab.timers.request import StressRequest
from bootlab.timers.stress import InstructionCount, StressResult
from bootlab.tracing.boot import TraceRequest

# How a system call's entry is called: arch/*/include/asm/syscall_wrapper.h.
_CALLS: dict[Arch, str] = {
    "x86_64": "__x64_sys_{}",
    "arm64": "__arm64_sys_{}",
    "riscv64": "__riscv_sys_{}",
    "arm": "sys_{}",
}
_IDLE_LOOP = "do_idle"
"""kernel/sched/idle.c."""
_INTERRUPTS, _USER = "kernel, interrupts", "user space"


def requests(system: SystemDescription, request: StressRequest) -> tuple[StressRequest, ...]:
    """Return one run a population: each is traced in a boot of its own. Raise UserError where it cannot be counted."""
    if system.clock.mode != "exact":
        raise UserError(
            "instructions can be counted in exact mode only", hint='set clock.mode = "exact" in the system file'
        )
    if request.mode != "stress" or request.receiver == "timerfd":
        raise UserError(
            "the kernel's share is counted from the first timer_create to the first timer_delete",
            hint="--mode stress, and any --receiver but timerfd",
        )
    if 0 in request.populations:
        raise UserError("a run without a timer has nothing to count", hint="--timers 1000")
    return tuple(msgspec.structs.replace(request, populations=(n,)) for n in request.populations)


def window(arch: Arch) -> TraceRequest:
    """Return what to trace: from the first `timer_create` to the first `timer_delete`. No span is kept."""
    call = _CALLS[arch].format
    return TraceRequest(min_ns=1 << 62, start=call("timer_create"), stop=call("timer_delete"))


def count(trace: FunctionTrace, result: StressResult, recording: str | None) -> InstructionCount:
    """Split the window of a traced run. Raise MeasurementError when the trace did not see all of it."""
    head = trace.head
    if not head.complete or not head.start_insns or len(result.rows) != 1:
        raise MeasurementError(
            "the trace did not see the run from its first timer_create to its first timer_delete",
            hint=f"bootlab trace {recording} shows what it saw",
        )
    insns = {bucket.name: bucket.insns for bucket in buckets(trace)}
    idle = (trace.function == _number(trace, _IDLE_LOOP)) & trace.top_of_kind & ~trace.under_irq
    idle_loop = int(trace.total_insns[idle].sum())
    in_kernel = head.insns - insns[_USER] - idle_loop
    window_ns = head.end_ns - head.start_ns
    return InstructionCount(
        timers=result.rows[0].timers,
        expirations=result.rows[0].expirations,
        user=insns[_USER],
        kernel=in_kernel - insns[_INTERRUPTS],
        interrupts=insns[_INTERRUPTS],
        idle_loop=idle_loop,
        instruction_ns=1 << head.shift,
        idle_ns=head.idle_ns,
        window_ns=window_ns,
        kernel_percent=100 * in_kernel / max(head.insns - idle_loop, 1),
        load_percent=100 * trace.ns(in_kernel) / max(window_ns, 1),
        recording=recording,
    )


def _number(trace: FunctionTrace, name: str) -> int:
    return trace.names.index(name) if name in trace.names else -1
