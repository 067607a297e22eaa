# SPDX-License-Identifier: MIT
"""`bootlab timers waits`: which timers delayed a boot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.options import Argument, RowsOption
from bootlab.cli.session import Kept, out, print_json, say


def waits(
    what: Annotated[
        Path,
        Argument(
            metavar="SYSTEM.toml", help="A system file, or the recording folder of a traced boot.", show_default=False
        ),
    ],
    *,
    rows: RowsOption = 25,
    asked: Kept,
) -> None:
    """Show which timers a boot waited for, the function that set each, and which of them delayed init.

    Example: bootlab timers waits system.toml -n 10
    """
    from bootlab.api.traces import TraceRequest, census  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.cli import trace_sources  # noqa: PLC0415
    from bootlab.timers import waits, waits_text  # noqa: PLC0415

    traced = trace_sources.traced(what, TraceRequest(), asked)
    found = waits.timer_waits(census(traced.trace))
    if asked.as_json:
        print_json({"format": "bootlab-waits", "version": 1, "recording": traced.folder, "waits": found[:rows]})
        return
    for view in waits_text.views(found, rows):
        out().print(view)
    say(f"recording: {traced.folder}")
