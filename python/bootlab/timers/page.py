"""The page of a run of timerstress: the tables, and the lateness of each population as a histogram."""

from __future__ import annotations

from typing import Any

from bootlab.model import figures
from bootlab.timers import classic
from bootlab.timers.stress import Lateness, Row, StressResult
from bootlab.timers.text import INSTRUCTIONS_LEAD, INSTRUCTIONS_TITLE, place_words, us
from bootlab.views.html_frame import page
from bootlab.views.page_parts import SCRIPTS, number, part, show, table
from bootlab.views.shown_text import one_line

_BAR = 60


def render(result: StressResult) -> str:
    """Make the page."""
    return page(f"{one_line(result.head.kernel, 80)} · bootlab timers", SCRIPTS, page_data(result))


def page_data(result: StressResult) -> dict[str, Any]:
    """Collect everything the page shows."""
    head = result.head
    parts = [part("Expirations", place_words(result.place), _expirations(result), _accounts(result))]
    if result.instructions:
        parts.append(part(INSTRUCTIONS_TITLE, INSTRUCTIONS_LEAD, _instructions(result)))
    parts += [
        part(f"Lateness of {row.created} timers", "From due to taken.", _histogram(row.lateness)) for row in result.rows
    ]
    return {
        "name": show(f"{head.kernel} on {head.machine}"),
        "kind": "Timers under stress",
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
        "partsLeft": 0,
        "account": [],
    }


def _percent(value: float | None) -> list[Any]:
    return [figures.ABSENT if value is None else f"{value:.2f}", value]


def _expirations(result: StressResult) -> dict[str, Any]:
    if not result.head.classic:
        return table(
            "Expirations",
            [">timers", ">expirations", ">avg/s", ">load, %"],
            (
                [
                    number(r.created),
                    number(r.expirations),
                    [f"{r.per_second:.2f}", r.per_second],
                    _percent(r.load_percent),
                ]
                for r in result.rows
            ),
        )
    return table(
        "2003 and now",
        [">timers", ">2003", ">now", ">avg/s 2003", ">avg/s now", ">load 2003, %", ">load now, %", ">model", ">z"],
        (_classic_row(row) for row in result.rows),
        f"Model: {classic.EXPECTED} expirations a timer. Times are divided by {result.head.scale:g}.",
    )


def _classic_row(row: Row) -> list[Any]:
    then = classic.row_2003(row.timers) if row.timers == row.created else None
    z = classic.z_score(row.created, row.expirations)
    return [
        number(row.created),
        number(then.expirations if then else None),
        number(row.expirations),
        _percent(then.per_second if then else None),
        _percent(row.per_second),
        _percent(then.load_percent if then else None),
        _percent(row.load_percent),
        number(round(classic.expected(row.created))),
        [f"{z:+.2f}", z],
    ]


def _accounts(result: StressResult) -> dict[str, Any]:
    return table(
        "Accounts",
        [">timers", ">due", ">deliveries", ">overruns", ">lost", ">early", ">too many", ">CPU each, us"],
        (
            [number(n) for n in (r.created, r.due_most, r.deliveries, r.overruns, r.lost, r.early, r.duplicated)]
            + [[us(r.cost_ns), r.cost_ns]]
            for r in result.rows
        ),
    )


def _instructions(result: StressResult) -> dict[str, Any]:
    return table(
        "Instructions",
        [">timers", ">expirations", ">user", ">kernel", ">interrupts", ">idle loop", ">kernel, %", ">load, %"],
        (
            [number(n) for n in (c.timers, c.expirations, c.user, c.kernel, c.interrupts, c.idle_loop)]
            + [_percent(c.kernel_percent), _percent(c.load_percent)]
            for c in result.instructions
        ),
    )


def _histogram(lateness: Lateness) -> dict[str, Any]:
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
