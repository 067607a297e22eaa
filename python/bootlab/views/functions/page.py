# SPDX-License-Identifier: MIT
"""The page of a function trace: call paths first, then the tables, each a section of its own."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.analysis import call_forest, delay_census, function_tables
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.model.figures import count, counted, grouped_ms, percent
from bootlab.model.figures import ms as ms_text
from bootlab.views.functions.calls_data import calls_data
from bootlab.views.functions.text import CUT_SHORT
from bootlab.views.page_model import PageData, TableData
from bootlab.views.page_parts import ms, number, page, part, show, table
from bootlab.views.shown_text import one_line

IRQ_OFF_ROWS = 50


def render(trace: FunctionTrace, name: str, *, min_ns: int = 0, more: Sequence[TableData] = ()) -> str:
    """Make the page; paths and waits below `min_ns` are left out. `more`: tables that others made."""
    return page(f"{one_line(name, 120)} · bootlab trace", page_data(trace, name, min_ns=min_ns, more=more))


def page_data(trace: FunctionTrace, name: str, *, min_ns: int = 0, more: Sequence[TableData] = ()) -> PageData:
    """Collect everything the page shows."""
    head = trace.head
    calls = calls_data(call_forest.of_trace(trace), floor=min_ns)
    lead = (
        "Virtual time of every call path. Tasks with the same name count as one. A function's time is the time on its "
        "own task."
    )
    parts = [part("Call paths", lead, calls=calls)]
    parts += [
        part(made["caption"], made["lead"], made | {"lead": ""})
        for made in (*_tables(trace, min_ns), *more)
        if made["rows"]
    ]
    return {
        "name": show(name),
        "kind": "Function trace",
        "headline": _figures(trace),
        "facts": [
            ["virtual time", f"{ms_text(head.end_ns - head.start_ns)} ms"],
            ["instructions", count(head.insns)],
            ["calls", count(head.calls)],
            ["task switches", count(head.switches)],
            ["returns without a caller", count(head.unmatched)],
            ["frames lost", count(head.lost_frames)],
        ],
        "problems": [
            *([] if head.complete else [CUT_SHORT]),
            *head.limits_reached,
        ],
        "parts": parts,
    }


def _figures(trace: FunctionTrace) -> list[list[str]]:
    """Say how long the traced boot took, and where the most of it went."""
    length_ns = max(1, trace.head.end_ns - trace.head.start_ns)
    calls = f", {counted(trace.head.calls, 'call')}" if trace.head.calls else ""
    said = [[grouped_ms(length_ns), "ms", f"traced{calls}"]]
    largest = max(function_tables.functions(trace), key=lambda row: row.local_ns, default=None)
    if largest is not None:
        share = percent(largest.local_ns, length_ns)
        said.append([share, "", show(f"of it in {largest.function} itself, {counted(largest.count, 'call')}")])
    return said


def _tables(trace: FunctionTrace, min_ns: int) -> list[TableData]:
    length_ns = max(1, trace.head.end_ns - trace.head.start_ns)
    words = {True: "yes", False: "no", None: "unknown"}
    return [
        table(
            "Where the instructions went",
            ["part", ">instructions", ">virtual ms", ">share, %"],
            (
                [row.name, number(row.insns), ms(row.ns), [f"{100 * row.ns / length_ns:.1f}", row.ns]]
                for row in function_tables.buckets(trace)
            ),
        ),
        table(
            "Waits",
            ["kind", ">count", ">time, ms", ">idle, ms", "before init", "by"],
            (
                [
                    row.kind,
                    number(row.count),
                    ms(row.time_ns),
                    ms(row.idle_ns),
                    words[row.on_path],
                    show(" > ".join(row.chain)),
                ]
                for row in delay_census.census(trace)
                if row.time_ns >= min_ns
            ),
            "Busy waits by the time executed, sleeps from entry to exit. Idle: nothing ran while init waited there.",
        ),
        table(
            "Initcalls",
            ["initcall", ">ms", ">start, ms", "note"],
            (
                [show(row.function), ms(row.wall_ns), ms(row.start_ns), "" if row.whole else "still running"]
                for row in sorted(function_tables.initcalls(trace), key=lambda row: -row.wall_ns)
            ),
            "From entry to exit.",
        ),
        table(
            "Interrupts off",
            [">ms", ">from, ms", "by"],
            (
                [ms(row.length_ns), ms(row.start_ns), show(" > ".join(row.began))]
                for row in function_tables.stretches(trace, trace.held.irq_off, IRQ_OFF_ROWS)
            ),
        ),
    ]
