# SPDX-License-Identifier: MIT
"""What can be changed, and coverage, as tables of the trace's page."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.analysis.coverage import Cover
from bootlab.analysis.traced_source import Known
from bootlab.kernelsource.levers import Levers
from bootlab.views.page_model import TableData
from bootlab.views.page_parts import ms, number, show, table


def tables(known: Known) -> list[TableData]:
    """Make the tables of what a source tree adds to a trace."""
    made = [levers_table(known.levers)] if known.levers else []
    return [*made, *(coverage_table(title, covers) for title, covers in known.groups)]


def levers_table(rows: Sequence[tuple[str, int, Levers]]) -> TableData:
    """Make the table of functions and what can be done about each."""
    return table(
        "What can be changed",
        ["function", ">ms", "source", "symbol", "prompt", "now", "what can be done", ">goes too"],
        (
            [
                show(found.place.name),
                ms(cost_ns),
                show(found.place.file or found.place.certainty),
                show(", ".join(f"CONFIG_{lever.symbol}" for lever in found.levers[:3])),
                show(found.levers[0].prompt if found.levers else ""),
                show(found.levers[0].value if found.levers else ""),
                show("; ".join(found.said)),
                number(len(found.levers[0].dependents) if found.levers else 0),
            ]
            for _, cost_ns, found in rows
        ),
        "Each function with its file, the Kconfig symbol that builds it, and what hangs on that symbol.",
    )


def coverage_table(title: str, covers: Sequence[Cover]) -> TableData:
    """Make a table of text that never ran."""
    return table(
        title,
        ["name", ">never ran, bytes", ">of bytes", ">functions never called", ">functions", "ran"],
        (
            [show(c.name), number(c.never_bytes), number(c.bytes), number(c.never), number(c.functions), c.ran]
            for c in covers
        ),
        "Up to the goal. It may run later, or when something fails.",
    )
