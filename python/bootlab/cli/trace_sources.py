"""What `bootlab trace` can look at: a system to boot, the recording of a traced boot, anybody's trace."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.analysis import call_forest
from bootlab.analysis.call_forest import CallForest
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.cli.opening import opened
from bootlab.errors import UserError
from bootlab.targets.trace_boot import TraceRequest


class NamedTrace(msgspec.Struct, frozen=True, kw_only=True):
    """A traced boot: its name, its trace and the folder of its recording."""

    name: str
    trace: FunctionTrace
    folder: str | None


def traced(what: Path, request: TraceRequest, *, store: Path, quiet: bool) -> NamedTrace:
    """Return the trace in a recording's folder, or boot the system of a file and trace it."""
    if what.is_dir():
        from bootlab.collectors.function_trace import load  # noqa: PLC0415 - not needed for `--help`

        return NamedTrace(name=_recorded_name(what), trace=load(what), folder=str(what))
    with opened(what, store=store, quiet=quiet) as system:
        made = system.trace(request)
    return NamedTrace(name=system.name, trace=made.trace, folder=made.recording.path)


def forest(what: Path, request: TraceRequest, *, store: Path, quiet: bool) -> tuple[str, CallForest]:
    """Return name and call paths of a system (booted), a recording's folder, or a trace that `analyze` reads."""
    if what.is_dir() or what.suffix == ".toml":
        found = traced(what, request, store=store, quiet=quiet)
        return found.name, call_forest.of_trace(found.trace)
    from bootlab.logs import analyze  # noqa: PLC0415

    analysis = analyze(what, export=True)
    trees = analysis.call_trees()
    if not trees or len(trees[0][1]) == 1:
        raise UserError(
            f"{what}: this is {analysis.document.detected}, and holds no calls",
            hint="take a SYSTEM.toml, the folder of a traced boot's recording, or a trace that `bootlab analyze` reads",
        )
    part = analysis.traces[0]
    return what.name, call_forest.of_columns(*trees[0], clock=part.clock, unit=part.weight)


def _recorded_name(folder: Path) -> str:
    from bootlab.targets.recording_dir import load  # noqa: PLC0415

    return load(folder).meta.system_name or folder.name
