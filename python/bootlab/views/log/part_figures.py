# SPDX-License-Identifier: MIT
"""What a page says first of a trace and of other tools' reports.

A figure is `[text, unit, what it is]`; the page shows it large.
"""

from __future__ import annotations

from typing import Any

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.reports import Chart, DeltaReport, KdReport
from bootlab.logs.trace import CallTrace
from bootlab.model import figures
from bootlab.views.shown_text import visible


def part_figures(part: Any) -> list[list[str]]:
    """Say what a person asks first of a part that is neither a boot nor about units; empty of any other."""
    said: list[list[str]] = []
    if isinstance(part, CallTrace):
        number, what = part.counted
        said = [[figures.count(number), "", f"{what} of {figures.counted(part.functions, 'function')}"]]
        if part.weight == "ns" and part.length_ns:
            said.insert(0, [figures.grouped_ms(part.length_ns), "ms", f"traced, {part.clock} clock"])
            if part.top_self:
                most = part.top_self[0]
                said.append([figures.grouped_ms(most.self_ns), "ms", f"in {most.function} itself, the most of all"])
    elif isinstance(part, ApplicationProfile):
        said = [[figures.count(part.calls_total), "", f"system calls of {_processes(len(part.processes))}"]]
        if part.length_ns:
            said.insert(0, [figures.grouped_ms(part.length_ns), "ms", "from the first call to the last"])
    elif isinstance(part, Chart):
        if part.bounds_ns is not None:
            length_ns = part.bounds_ns[1] - part.bounds_ns[0]
            said.append([figures.grouped_ms(length_ns), "ms", f"recorded, {_processes(part.processes_total)}"])
        if part.busy_share is not None:
            said.append([f"{100 * part.busy_share:.0f} %", "", "of the processors' time at work"])
    elif isinstance(part, KdReport) and part.rows:
        local_us, function = max((row.local_us or 0, row.function) for row in part.rows)
        said = [[figures.grouped_ms(local_us * 1000), "ms", f"in {function} itself, the most of all"]]
    elif isinstance(part, DeltaReport) and part.longest:
        gap = part.longest[0]
        said = [[figures.grouped_ms(gap.delta_ns), "ms", f"the longest gap, before “{gap.text[:80]}”"]]
    return _shown(said)


def _processes(number: int) -> str:
    return f"{figures.count(number)} process{'' if number == 1 else 'es'}"


def _shown(said: list[list[str]]) -> list[list[str]]:
    return [[visible(text, 200) for text in figure] for figure in said]
