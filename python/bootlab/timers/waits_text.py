# SPDX-License-Identifier: MIT
"""The timers that delayed a boot, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from bootlab.model.figures import ms
from bootlab.timers.waits import TimerWait
from bootlab.views.text_table import cell, spaced, text_table

_WORDS = {True: "yes", False: "no", None: "unknown"}


def views(waits: Sequence[TimerWait], rows: int) -> list[RenderableType]:
    """Show the waits, and how long the boot stood still for those that init waited for."""
    if not waits:
        return [Text("no timer was slept on up to the goal")]
    made = text_table("Waits on timers", "kind", ">count", ">time ms", ">idle ms", "before init", "asked by", "~chain")
    for wait in waits[:rows]:
        made.add_row(
            wait.kind,
            str(wait.count),
            ms(wait.time_ns),
            ms(wait.idle_ns),
            _WORDS[wait.on_path],
            cell(wait.caller),
            cell(" > ".join(wait.chain)),
        )
    held = [w for w in waits if w.on_path]
    idle = sum(w.idle_ns for w in held)
    said = f"init waited on {sum(w.count for w in held)} timers; the processor stood still for {ms(idle)} ms of that"
    return spaced([made, Text(said)])
