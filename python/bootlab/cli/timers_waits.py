"""`bootlab timers waits`: which timers delayed a boot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.session import Kept, out, print_json, say


def waits(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="SYSTEM.toml",
            help="A system file, or the recording folder of a traced boot.",
            show_default=False,
        ),
    ],
    *,
    rows: Annotated[int, typer.Option("-n", "--rows", min=1, help="Show at most this many rows.")] = 25,
    asked: Kept,
) -> None:
    """Show which timers a boot waited for, the function that set each, and which of them delayed init.

    Example: bootlab timers waits system.toml -n 10
    """
    from bootlab.analysis import delay_census  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.cli import trace_sources  # noqa: PLC0415
    from bootlab.targets.trace_boot import TraceRequest  # noqa: PLC0415
    from bootlab.timers import waits, waits_text  # noqa: PLC0415

    traced = trace_sources.traced(what, TraceRequest(), asked)
    found = waits.timer_waits(delay_census.census(traced.trace))
    if asked.as_json:
        print_json({"format": "bootlab-waits", "version": 1, "recording": traced.folder, "waits": found[:rows]})
        return
    for view in waits_text.views(found, rows):
        out().print(view)
    say(f"recording: {traced.folder}")
