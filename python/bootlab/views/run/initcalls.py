# SPDX-License-Identifier: MIT
"""The initcalls of a diagnostic boot as a table."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from bootlab.model.recording import Initcall
from bootlab.views.shown_text import one_line


def initcall_table(initcalls: tuple[Initcall, ...], *, most: int = 15) -> Table:
    """List the longest initcalls. Durations from the kernel's own stamps, in a boot that was slowed by watching it."""
    longest = sorted(initcalls, key=lambda i: (-i.duration_ns, i.name))[:most]
    table = Table(
        title=f"Longest of {len(initcalls)} initcalls (diagnostic boot: not comparable with the times above)",
        title_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
    )
    table.add_column("initcall")
    table.add_column("ms", justify="right")
    table.add_column("returned", justify="right")
    table.add_column("module")
    for call in longest:
        table.add_row(
            Text(one_line(call.name, 60)),
            f"{call.duration_ns / 1e6:.3f}",
            str(call.returned),
            Text(one_line(call.module or "", 30)),
        )
    return table
