# SPDX-License-Identifier: MIT
"""What `bootlab trace` can look at: a system to boot, the recording of a traced boot, anybody's trace."""

from __future__ import annotations

from pathlib import Path

from bootlab.api import traces
from bootlab.cli.open_system import opened
from bootlab.cli.options import Kept
from bootlab.errors import UserError


def traced(what: Path, request: traces.TraceRequest, asked: Kept) -> traces.NamedTrace:
    """Return the trace in a recording's folder or in a file, or boot the system of a system file and trace it."""
    if what.is_dir():
        return traces.of_recording(what)
    if what.suffix != ".toml":
        return traces.of_file(what)
    with opened(what, asked) as system:
        return traces.of_system(system, request)


def traced_by_kernel(what: Path, tracer: traces.KernelTracer, asked: Kept) -> traces.NamedTrace:
    """Boot the system of a file with the kernel's own tracer."""
    if what.suffix != ".toml":
        raise UserError(
            f"{what} is not a system file", hint="--by ftrace boots one (.toml); bootlab trace FILE reads a trace"
        )
    with opened(what, asked) as system:
        return traces.by_kernel(system, tracer, str(what))


def forest(what: Path, request: traces.TraceRequest, asked: Kept) -> tuple[str, traces.CallForest]:
    """Return name and call paths of a system (booted), a recording's folder, or a trace that `analyze` reads."""
    if what.is_dir() or what.suffix == ".toml":
        found = traced(what, request, asked)
        return found.name, traces.paths(found)
    return what.name, traces.paths_of_file(what)
