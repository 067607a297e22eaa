# SPDX-License-Identifier: MIT
"""Function traces: of a system that is booted, of a recording, of anybody's file; their tables and differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from bootlab.analysis import call_forest, delay_census, function_tables
from bootlab.analysis.call_forest import CallForest
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.analysis.delay_census import census
from bootlab.analysis.forest_difference import compare
from bootlab.analysis.traced_source import Known, known
from bootlab.collectors.kernel_tracer import KernelTracer
from bootlab.errors import UserError
from bootlab.tracing.boot import FUNCTIONS_FILE, TRACE_FILE, TraceRequest
from bootlab.views.functions import text as function_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bootlab.api.system import System

__all__ = ["HELD", "CallForest", "FunctionTrace", "KernelTracer", "Known", "NamedTrace", "TraceRequest", "by_kernel",
           "census", "compare", "known", "of_file", "of_recording", "of_system", "paths", "paths_of_file", "spans",
           "tables"]  # fmt: skip

MADE_OF = frozenset({TRACE_FILE, FUNCTIONS_FILE})
"""The files of a recording that carries a trace."""

HELD = {"irqoff": "interrupts_off", "preemptoff": "preemption_off", "nosched": "no_schedule"}
"""What keeps others from running, as `--show` names it: its key among the tables."""


class NamedTrace(msgspec.Struct, frozen=True, kw_only=True):
    """A trace with what to say of it. `about` stands in the JSON; `source` ends the text.

    `export`: the writer of a trace that was imported, whose spans lie outside of the call tree. `tells_held`: whether
    it knows of interrupts and preemption. `complete`: made by the plugin, it has every function.
    """

    name: str
    trace: FunctionTrace
    source: str
    summary: list[Any]
    about: dict[str, Any]
    folder: str | None = None
    complete: bool = False
    export: Callable[[Literal["perfetto", "chrome"]], bytes] | None = None
    tells_held: bool = True


def of_system(system: System, request: TraceRequest) -> NamedTrace:
    """Boot a system and trace every function of its kernel."""
    made = system.trace(request)
    return _by_plugin(system.name, made.trace, made.recording.path, function_text.modules(made.modules))


def of_recording(folder: Path) -> NamedTrace:
    """Return the trace in a recording's folder."""
    from bootlab.collectors.function_trace import load
    from bootlab.recordings import recording_dir

    name = recording_dir.load(folder).meta.system_name or folder.name
    return _by_plugin(name, load(folder), str(folder), [])


def of_file(path: Path) -> NamedTrace:
    """Read a trace that another tool wrote."""
    from bootlab.collectors import foreign_trace

    loaded = foreign_trace.load(path)
    return NamedTrace(
        name=loaded.analysis.name,
        trace=loaded.trace,
        source=f"read from {loaded.analysis.name}",
        summary=[function_text.foreign_summary(loaded.part)],
        about={"file": loaded.analysis.name, "detected": loaded.part.source, "weight": loaded.part.weight},
        export=loaded.analysis.export,
        tells_held=loaded.tells_held,
    )


def by_kernel(system: System, tracer: KernelTracer, system_file: str) -> NamedTrace:
    """Boot a system with the kernel's own tracer. `system_file`: as the next command names it."""
    from bootlab.collectors.kernel_tracer import next_command

    made = system.trace_by_kernel(tracer)
    again = next_command(made.lost, tracer, system.value.machine.memory_mib, system_file)
    return NamedTrace(
        name=system.name,
        trace=made.found.trace,
        source=f"recording: {made.recording.path}",
        summary=[function_text.foreign_summary(made.found.part), function_text.tracer_cost(made, again)],
        about={
            "recording": made.recording.path,
            "lost": made.lost,
            "next": again,
            "goal_ns": made.goal_ns,
            "untraced_goal_ns": made.untraced_ns,
        },
        export=made.found.analysis.export,
        tells_held=False,
    )


def spans(found: NamedTrace, kind: Literal["perfetto", "chrome"]) -> Callable[[], bytes]:
    """Return what writes the spans of a trace for Perfetto or Chrome."""
    from bootlab.views.functions import export as function_export

    if found.export is not None:
        return partial(found.export, kind)
    return lambda: function_export.span_tracks(found.trace, found.name).encode(kind)


def paths(found: NamedTrace) -> CallForest:
    """Return the call paths of a trace, which `compare` takes."""
    return call_forest.of_trace(found.trace)


def paths_of_file(path: Path) -> CallForest:
    """Return the call paths of a trace that another tool wrote."""
    from bootlab.collectors import foreign_trace

    return foreign_trace.call_paths(path)


def tables(trace: FunctionTrace, *, rows: int, min_ns: int, sort: str, root: str | None, depth: int) -> dict[str, Any]:
    """Return every table cut to `rows`. Raise UserError when `root` was never called."""
    functions = [row for row in function_tables.functions(trace) if row.time_ns >= min_ns]
    waits = [row for row in delay_census.census(trace) if row.time_ns >= min_ns]
    tree = function_tables.tree(trace, root=root, min_ns=max(min_ns, 1), depth=depth, limit=rows)
    if root and not tree:
        raise UserError(f"{root!r} was not called before the goal", hint="names are those of the kernel's symbols")
    held = [function_tables.stretches(trace, table, rows) for table in trace.held]
    return {
        "functions": function_text.ordered(functions, sort)[:rows],
        "self": function_text.ordered(functions, "l")[:rows],
        "waits": waits[:rows],
        "tree": tree,
        "initcalls": sorted(function_tables.initcalls(trace), key=lambda row: -row.wall_ns)[:rows],
        **dict(zip(HELD.values(), held, strict=True)),
    }


def _by_plugin(name: str, trace: FunctionTrace, folder: str | None, modules: list[RenderableType]) -> NamedTrace:
    buckets = function_tables.buckets(trace)
    return NamedTrace(
        name=name,
        trace=trace,
        folder=folder,
        complete=True,
        source=f"recording: {folder}",
        summary=[function_text.summary(trace.head, buckets), *modules],
        about={"recording": folder, "head": trace.head, "buckets": buckets},
    )
