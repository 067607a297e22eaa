# SPDX-License-Identifier: MIT
"""A boot traced by the kernel's own function_graph tracer: its command line, and what bootlab's agent sends of it.

It works on everything that takes a command line and can run the agent, boards too. The kernel must have the tracer
(CONFIG_FUNCTION_GRAPH_TRACER), which costs time in every call, and starts with the first initcalls
(kernel/trace/trace_functions_graph.c: init_graph_trace is a core_initcall).

Parameters: Documentation/admin-guide/kernel-parameters.txt (ftrace, ftrace_graph_filter, ftrace_graph_max_depth,
trace_buf_size, trace_options).
"""

from __future__ import annotations

import re
import shlex

import msgspec

from bootlab.collectors.agent import parse
from bootlab.collectors.diagnosis import with_agent
from bootlab.collectors.foreign_trace import ForeignTrace, load
from bootlab.errors import MeasurementError, UserError
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription

# The buffer keeps the boot's beginning; task names and stamps belong to each line; nothing is repeated on the console.
_OPTIONS = "nooverwrite,funcgraph-abstime,funcgraph-proc,nofuncgraph-overhead,funcgraph-tail"
_COUNT = re.compile(r"cpu\d+ (overrun|dropped events|entries): (\d+)")
_OF_MEMORY = 0.5
"""Share of the machine's memory that the buffer may take: the system has to boot in the rest."""
_FEW_LEVELS = 3
_LEFT_OUT = re.compile(r"left out: (\d+)")


class KernelTracer(msgspec.Struct, frozen=True, kw_only=True):
    """How the kernel shall trace. `functions`: only what these call; `depth` 0: every level.

    `buffer_kib`: the kernel's buffer (each processor); `collect_kib`: how much text the agent sends.
    """

    functions: tuple[str, ...] = ()
    depth: int = 0
    buffer_kib: int = 16384
    collect_kib: int = 2048


class LostEvents(msgspec.Struct, frozen=True, kw_only=True):
    """What is missing of a trace: events that found no room in the kernel, lines that the agent left out.

    `lines` of 1000 means so many or more.
    """

    kept_events: int
    events: int
    lines: int


def next_command(lost: LostEvents, tracer: KernelTracer, memory_mib: int, system_file: str) -> str:
    """Return the command that loses nothing, or less where the machine has no memory for it; "" when all is there."""
    if not lost.events and not lost.lines:
        return ""
    words = ["bootlab", "trace", system_file, "--by", "ftrace"]
    words += [word for name in tracer.functions for word in ("--subtree", name)]
    depth, buffer_kib = tracer.depth, tracer.buffer_kib
    if lost.events:
        # What the events that were kept took, for all of them and a tenth more, in whole MiB.
        all_kib = buffer_kib * (lost.kept_events + lost.events) / max(1, lost.kept_events)
        wanted_kib = -(-round(1.1 * all_kib) // 1024) * 1024
        if wanted_kib <= (memory_mib << 10) * _OF_MEMORY:
            buffer_kib = wanted_kib
        else:
            depth = depth - 1 if depth > 1 else _FEW_LEVELS
    words += ["--levels", str(depth)] if depth else []
    words += ["--buffer-kib", str(buffer_kib)] if buffer_kib != KernelTracer().buffer_kib else []
    if lost.lines or tracer.collect_kib != KernelTracer().collect_kib:
        words += ["--collect-kib", str(tracer.collect_kib * (4 if lost.lines else 1))]
    return shlex.join(words)


class TracedByKernel(msgspec.Struct, frozen=True, kw_only=True):
    """A trace that the kernel made of its own boot, with what it cost.

    `goal_ns` with the tracer and the agent, `untraced_ns` without; None where the goal was not seen.
    """

    timing: Recording
    recording: Recording
    found: ForeignTrace
    lost: LostEvents
    goal_ns: int | None
    untraced_ns: int | None


def traced_system(system: SystemDescription, timing: Recording, tracer: KernelTracer) -> SystemDescription:
    """Return the system with the tracer on its command line and the agent inside. Raise UserError without a tree."""
    if system.tree is None:
        raise UserError(
            "bootlab's agent, which collects the trace, needs a root tree: [initramfs] or [root]",
            hint="collect /sys/kernel/tracing/trace by hand: bootlab trace FILE",
        )
    carried = with_agent(system, timing)
    line = carried.cmdline.without("tp_printk")
    words = [
        ("ftrace", "function_graph"),
        ("trace_buf_size", f"{tracer.buffer_kib}K"),
        ("trace_options", _OPTIONS),
        ("BOOTLAB_TRACE", str(tracer.collect_kib << 10)),
    ]
    if tracer.functions:
        words.append(("ftrace_graph_filter", ",".join(tracer.functions)))
    if tracer.depth:
        words.append(("ftrace_graph_max_depth", str(tracer.depth)))
    for name, value in words:
        line = line.with_param(name, value)
    return msgspec.structs.replace(carried, cmdline=line)


def collected(recording: Recording) -> tuple[ForeignTrace, LostEvents]:
    """Read the trace out of the agent's report. Raise MeasurementError when there is none."""
    report = parse(recording.console)
    stat = report.proc.get("tracestat", "")
    if not report.trace or "no trace" in stat.splitlines():
        raise MeasurementError(
            "the kernel wrote no trace",
            hint="has it CONFIG_FUNCTION_GRAPH_TRACER and CONFIG_TRACING? "
            f"look for 'Starting tracer' in {recording.path}/console.log",
        )
    found = load("\n".join(report.trace).encode("utf-8", "replace") + b"\n")
    counts = {"overrun": 0, "dropped events": 0, "entries": 0}
    for name, value in _COUNT.findall(stat):
        counts[name] += int(value)
    left_out = _LEFT_OUT.search(stat)
    lost = LostEvents(
        kept_events=counts["entries"],
        events=counts["overrun"] + counts["dropped events"],
        lines=int(left_out[1]) if left_out else 0,
    )
    return found, lost


def goal_ns(recording: Recording, pattern: str) -> int | None:
    """Return when a console pattern was first seen in a boot whose own goal is another."""
    wanted = re.compile(pattern)
    for line in recording.lines:
        if wanted.search(line.text):
            return line.last_ns
    return None
