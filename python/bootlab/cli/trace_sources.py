"""What `bootlab trace` can look at: a system to boot, the recording of a traced boot, anybody's trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from bootlab.analysis import call_forest, function_tables
from bootlab.analysis.call_forest import CallForest
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.cli.open_system import opened
from bootlab.cli.options import Kept
from bootlab.errors import UserError
from bootlab.targets.trace_boot import TraceRequest
from bootlab.views.functions import text as function_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bootlab.collectors.kernel_tracer import KernelTracer


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


def traced(what: Path, request: TraceRequest, asked: Kept) -> NamedTrace:
    """Return the trace in a recording's folder or in a file, or boot the system of a system file and trace it."""
    if what.is_dir():
        from bootlab.collectors.function_trace import load  # noqa: PLC0415 - not needed for `--help`

        return _by_plugin(_recorded_name(what), load(what), str(what), [])
    if what.suffix != ".toml":
        return _of_file(what)
    with opened(what, asked) as system:
        made = system.trace(request)
    return _by_plugin(system.name, made.trace, made.recording.path, function_text.modules(made.modules))


def traced_by_kernel(what: Path, tracer: KernelTracer, asked: Kept) -> NamedTrace:
    """Boot the system of a file with the kernel's own tracer."""
    from bootlab.collectors.kernel_tracer import next_command  # noqa: PLC0415 - loaded only where a trace is made

    if what.suffix != ".toml":
        raise UserError(
            f"{what} is not a system file", hint="--by ftrace boots one (.toml); bootlab trace FILE reads a trace"
        )
    with opened(what, asked) as system:
        made = system.trace_by_kernel(tracer)
        again = next_command(made.lost, tracer, system.value.machine.memory_mib, str(what))
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
    from bootlab.views.functions import export as function_export  # noqa: PLC0415

    if found.export is not None:
        return partial(found.export, kind)
    return lambda: function_export.span_tracks(found.trace, found.name).encode(kind)


def forest(what: Path, request: TraceRequest, asked: Kept) -> tuple[str, CallForest]:
    """Return name and call paths of a system (booted), a recording's folder, or a trace that `analyze` reads."""
    if what.is_dir() or what.suffix == ".toml":
        found = traced(what, request, asked)
        return found.name, call_forest.of_trace(found.trace)
    from bootlab.collectors import foreign_trace  # noqa: PLC0415

    return what.name, foreign_trace.call_paths(what)


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


def _of_file(what: Path) -> NamedTrace:
    from bootlab.collectors import foreign_trace  # noqa: PLC0415

    loaded = foreign_trace.load(what)
    return NamedTrace(
        name=loaded.analysis.name,
        trace=loaded.trace,
        source=f"read from {loaded.analysis.name}",
        summary=[function_text.foreign_summary(loaded.part)],
        about={"file": loaded.analysis.name, "detected": loaded.part.source, "weight": loaded.part.weight},
        export=loaded.analysis.export,
        tells_held=loaded.tells_held,
    )


def _recorded_name(folder: Path) -> str:
    from bootlab.targets.recording_dir import load  # noqa: PLC0415

    return load(folder).meta.system_name or folder.name
