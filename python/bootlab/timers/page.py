# SPDX-License-Identifier: MIT
"""The page of a run of timerstress: the tables, and the lateness of each population as a histogram."""

from __future__ import annotations

from typing import Any

from bootlab.model import figures
from bootlab.timers.stress import Lateness, StressResult
from bootlab.timers.text import INSTRUCTIONS_LEAD, INSTRUCTIONS_TITLE, expirations, instructions, place_words, us
from bootlab.views.page_model import PageData, TableData
from bootlab.views.page_parts import number, page, part, show, table
from bootlab.views.shown_text import one_line

_BAR = 30


def render(result: StressResult) -> str:
    """Make the page."""
    return page(f"{one_line(result.head.kernel, 80)} · bootlab timers", page_data(result))


def page_data(result: StressResult) -> PageData:
    """Collect everything the page shows."""
    head = result.head
    parts = [part("Expirations", place_words(result.place), expirations(result).on_page(), _accounts(result))]
    if result.instructions:
        parts.append(part(INSTRUCTIONS_TITLE, INSTRUCTIONS_LEAD, instructions(result.instructions).on_page()))
    parts += [
        part(f"Lateness of {row.created} timers", "From due to taken.", _histogram(row.lateness)) for row in result.rows
    ]
    return {
        "name": show(f"{head.kernel} on {head.machine}"),
        "kind": "Timers under stress",
        "headline": _figures(result),
        "facts": [
            ["clock", show(head.clock)],
            ["receiver", show(head.receiver)],
            ["arming", "absolute" if head.absolute else "relative"],
            ["resolution", f"{head.resolution_ns} ns"],
            ["seed", str(head.seed)],
            ["RLIMIT_SIGPENDING", f"{head.pending_soft}, {head.pending_used} in use before"],
        ],
        "problems": [show(text) for text in result.faults],
        "parts": parts,
    }


def _figures(result: StressResult) -> list[list[str]]:
    """Say what became of the expirations, and how late the latest of them was."""
    if not result.rows:
        return []
    lost = sum(row.lost for row in result.rows)
    said = [[figures.count(lost), "", "expirations lost", "slower" if lost else "faster"]]
    said.append([figures.count(sum(row.expirations for row in result.rows)), "", "expirations taken", ""])
    late_ns = max((row.lateness.max_ns for row in result.rows if row.expirations), default=None)
    if late_ns is not None:
        said.append([us(late_ns), "us", "the latest of them, from due to taken", ""])
    return said


def _percent(value: float | None) -> list[Any]:
    return [figures.ABSENT if value is None else f"{value:.2f}", value]


def _accounts(result: StressResult) -> TableData:
    return table(
        "Accounts",
        [">timers", ">due", ">deliveries", ">overruns", ">lost", ">early", ">too many", ">CPU each, us"],
        (
            [number(n) for n in (r.created, r.due_most, r.deliveries, r.overruns, r.lost, r.early, r.duplicated)]
            + [[us(r.cost_ns), r.cost_ns]]
            for r in result.rows
        ),
    )


def _histogram(lateness: Lateness) -> TableData:
    """Draw one row an octave: the 32 buckets of each are summed."""
    octaves: dict[int, int] = {}
    for edge, count in lateness.buckets:
        octaves[edge.bit_length()] = octaves.get(edge.bit_length(), 0) + count
    most = max(octaves.values(), default=1) or 1
    rows = [
        [
            [f"{us(1 << bits >> 1)} to {us(1 << bits)}", bits],
            number(octaves[bits]),
            _percent(100 * octaves[bits] / max(lateness.count, 1)),
            "█" * max(1, round(_BAR * octaves[bits] / most)),
        ]
        for bits in sorted(octaves)
    ]
    lead = ", ".join(
        f"{name} {us(value)} us"
        for name, value in (
            ("p50", lateness.p50_ns),
            ("p90", lateness.p90_ns),
            ("p99", lateness.p99_ns),
            ("p99.9", lateness.p99_9_ns),
            ("p99.99", lateness.p99_99_ns),
            ("max", lateness.max_ns),
        )
    )
    return table("Histogram", [">us", ">deliveries", ">%", "share"], rows, lead)
