# SPDX-License-Identifier: MIT
"""One boot of the history as a page: its times, what was booted, and where more about it is."""

from __future__ import annotations

from bootlab.history.boot_times import TOTAL
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import Level
from bootlab.model import figures
from bootlab.model.timeline import in_order
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.page import CLOCKS
from bootlab.views.history.text import short
from bootlab.views.page_model import PageData
from bootlab.views.page_parts import end_to_end, ms, page, part, show, table
from bootlab.views.shown_text import one_line


def render(
    entry: HistoryEntry,
    *,
    report: str | None,
    log: str | None,
    compare: str | None,
    to: Addresses,
    level: Level | None = None,
) -> str:
    """Make the page of one boot of the history. `report`, `log`, `compare`: addresses of more about it, where kept.

    `level`: the one of the whole boot that it stands in.
    """
    times = entry.times
    stages = [(name, times.values[name]) for name in in_order(times.values) if name != TOTAL]
    rows = [[show(name), ms(ns, range_ns=times.unsure_ns)] for name, ns in stages]
    if times.total_ns is not None:
        rows.append(["whole boot", ms(times.total_ns, range_ns=times.unsure_ns)])
    missing = [[show(name), show(why)] for name, why in times.not_measured.items()]
    links = [
        [[text, text, address]]
        for text, address in (
            ("Report of this boot: stages, spans, console", report),
            ("Its console, analysed", log),
            ("Compare with the revision before", compare),
        )
        if address is not None
    ]
    lead = f"Stages in the order of the boot, on the {times.clock} clock."
    parts = [part("Times", lead, table("Times", ["quantity", ">ms"], rows))]
    if (drawn := end_to_end(stages, times.total_ns, times.unsure_ns)) is not None:
        parts[0]["sides"] = [("boot", drawn)]
    if missing:
        parts.append(part("Not measured", "", table("Not measured", ["quantity", "why"], missing)))
    if links:
        parts.append(part("More", "", table("More about this boot", ["page"], links)))
    else:
        parts.append(part("More", "No recording of this boot is kept."))
    facts = [[show(name), show(value)] for name, value in times.facts.items()]
    if facts:
        parts.append(part("What was booted", "", table("What was booted", ["fact", "value"], facts)))
    data: PageData = {
        "name": show(f"{entry.system} at {short(entry.revision)}"),
        "kind": "Boot",
        "headline": [
            [figures.ms(times.total_ns, times.unsure_ns), "ms", "whole boot", ""],
            *_against(times.total_ns, level),
            [times.outcome.value, "", "ended as", ""],
        ],
        "problems": [] if times.ok else [f"this boot ended as {times.outcome.value}"],
        "facts": [
            ["revision", show(entry.revision)],
            ["variant", show(entry.variant or "none")],
            ["made", entry.at[:19].replace("T", " ")],
            ["host", show(entry.host)],
            ["instructions", figures.count(times.insns)],
            ["recording", entry.object[:12] or "not kept"],
        ],
        "parts": parts,
        "trail": [["all systems", to.home], [show(entry.system), to.system(entry.system)]],
        "footer": CLOCKS,
    }
    return page(f"{one_line(entry.system, 80)} at {short(one_line(entry.revision, 80))} · bootlab", data)


def _against(total_ns: int | None, level: Level | None) -> list[list[str]]:
    if total_ns is None or level is None or level.boots < 2:
        return []
    change = figures.signed_ms(total_ns - level.median_ns, level.range_ns)
    return [[change, "ms", f"against its level, the median of {figures.counted(level.boots, 'boot')}", ""]]
