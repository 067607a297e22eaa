# SPDX-License-Identifier: MIT
"""What an input holds besides boots, on the terminal and on a page: traces, unit times, charts, reports of tools."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.reports import Chart, DeltaReport, KdReport, UnitReport
from bootlab.logs.told import ToldPart
from bootlab.logs.trace import CallTrace
from bootlab.model import figures
from bootlab.views.log.application_text import application_page, profile_view
from bootlab.views.log.cost_lines import costs_view
from bootlab.views.log.told_tables import told_tables
from bootlab.views.log.trace_text import trace_page, trace_view
from bootlab.views.page_model import PartData, PlotData
from bootlab.views.page_parts import lane, plot, show
from bootlab.views.table.listing import Cell, Listing, label, ms, number, on_page, views, words
from bootlab.views.text_table import cell, spaced

_CHAIN_ROWS = 20

OtherPart = CallTrace | Chart | KdReport | DeltaReport | ApplicationProfile
"""A part that is neither a boot nor about units: the core says nothing of it."""

Part = OtherPart | UnitReport


class _Told(NamedTuple):
    """What a report tells: its title on a page, lines for the terminal, tables, and a plot of the page."""

    title: str
    head: list[Text]
    listings: list[Listing]
    plot: PlotData | None = None


def part_view(part: Part, told: ToldPart, top: int) -> RenderableType:
    """Show one part that is no boot, with the lines it stood in when it was inside a console log.

    `told`: as the core says it, of a report about units.
    """
    view: RenderableType
    if isinstance(part, CallTrace):
        view = trace_view(part, top)
    elif isinstance(part, ApplicationProfile):
        view = profile_view(part, top)
    elif isinstance(part, UnitReport):
        ranked = [costs_view(part.costs, told.costs, top)] if part.costs else []
        view = Group(*spaced([*_units_head(part, told), *ranked, *told_tables(told.tables, top)]))
    else:
        report = _told(part)
        view = Group(*spaced([*report.head, *views(report.listings, top)]))
    where = _lines(part)
    return Group(cell(f"{where}:", "bold"), view) if where else view


def part_page(part: OtherPart) -> PartData:
    """Collect one part for a page that is no boot and not about units, which the core collects."""
    if isinstance(part, CallTrace):
        made = trace_page(part)
    elif isinstance(part, ApplicationProfile):
        made = application_page(part)
    else:
        told = _told(part)
        tables = on_page(told.listings)
        made = {"title": show(told.title), "alerts": [], "plot": told.plot, "tables": tables, "costs": []}
    where = _lines(part)
    return made | {"title": f"{where}: {made['title']}"} if where else made


def _lines(part: Part) -> str:
    lines = getattr(part, "lines", None)
    return f"Lines {lines[0]} to {lines[1]}" if isinstance(lines, tuple) else ""


def _told(part: Chart | KdReport | DeltaReport) -> _Told:
    if isinstance(part, Chart):
        return _chart(part)
    return _kd(part) if isinstance(part, KdReport) else _deltas(part)


def _units_head(report: UnitReport, told: ToldPart) -> list[Text]:
    startup = report.startup
    head = [cell(report.about, "bold", 300)] if report.about else []
    head += [cell(sentence, "bold", 600) for sentence in told.headline]
    if startup:
        said = " + ".join(f"{figures.ms(ns)} ms ({name})" for name, ns in startup.parts)
        total = f" = {figures.ms(startup.total_ns)} ms" if startup.total_ns is not None else ""
        head.append(cell(f"systemd: {said}{total}", "", 300))
        if startup.target:
            after = figures.ms(startup.target_after_ns)
            head.append(cell(f"{startup.target} reached after {after} ms in user space", "", 300))
    if report.units and all(unit.time_ns is None for unit in report.units):
        head.append(cell(f"{len(report.units)} units, none with a start time", "dim"))
    if report.left_out:
        head.append(cell(f"{figures.count(report.left_out)} more were left out", "yellow"))
    return head


def _chart(chart: Chart) -> _Told:
    length = "" if chart.bounds_ns is None else f" over {figures.ms(chart.bounds_ns[1] - chart.bounds_ns[0])} ms"
    share = (
        ""
        if chart.busy_share is None
        else (f"; processors {100 * chart.busy_share:.0f} % at work, {100 * (chart.wait_share or 0):.0f} % waiting")
    )
    facts = "; ".join(chart.about[key] for key in ("title", "system.uname", "system.cpu") if key in chart.about)
    rows = [
        [
            words(process.name),
            label(process.pid),
            label(process.parent),
            ms(process.start_ns),
            ms(process.end_ns),
            ms(process.cpu_ns),
            number(process.waiting_samples),
        ]
        for process in chart.processes
    ]
    processes = Listing(
        "Processes",
        ["process", ">pid", ">parent", ">start, ms", ">end, ms", ">on a processor, ms", ">waiting samples"],
        rows,
        terminal=f"Processes by processor time, of {figures.count(chart.processes_total)}",
    )
    about = [[words(k), words(v)] for k, v in chart.about.items()]
    last = chart.bounds_ns[1] if chart.bounds_ns else 0
    spans = (
        (f"{p.name} ({p.pid})", p.start_ns, (last if p.end_ns is None else p.end_ns) - p.start_ns, f"parent {p.parent}")
        for p in chart.processes
    )
    return _Told(
        "bootchart",
        [cell(f"bootchart{length}{share}", "bold", 300), cell(facts, "dim", 300)],
        [processes, Listing("About", ["key", "value"], about, only="page")],
        plot("Processes", [lane("processes", spans, stage="user space")]),
    )


def _us(value: int | None) -> Cell:
    return ms(None if value is None else value * 1000)


def _kd(report: KdReport) -> _Told:
    rows = [
        [
            words(row.function),
            number(row.count),
            *(_us(value) for value in (row.time_us, row.average_us, row.local_us)),
            words(row.max_sub),
            number(row.max_sub_count if row.max_sub else None, ""),
        ]
        for row in report.rows
    ]
    calls = [
        [
            *(_us(value) for value in (call.entry_us, call.duration_us, call.local_us)),
            label(call.pid),
            words("  " * min(call.depth, 40) + call.function)._replace(
                on_page="· " * min(call.depth, 40) + call.function
            ),
        ]
        for call in report.trace
    ]
    listings = [
        Listing(
            "kd report",
            ["function", ">count", ">time, ms", ">average, ms", ">local, ms", "max-sub", ">ms count"],
            rows,
            terminal=f"kd report, {len(rows)} functions",
        ),
        Listing(
            "kd trace",
            [">entry, ms", ">length, ms", ">local, ms", ">pid", "~call"],
            calls,
            terminal=f"kd trace, {len(calls)} calls",
            least=_CHAIN_ROWS,
        ),
    ]
    return _Told("kd report", [], listings)


def _deltas(report: DeltaReport) -> _Told:
    rows = [
        [ms(row.delta_ns), ms(row.at_ns), words(row.before, limit=200), words(row.text, limit=200)]
        for row in report.longest
    ]
    terminal = f"Longest deltas of {figures.count(report.lines)} lines"
    longest = Listing("Longest deltas", [">ms", ">at, ms", "~after", "~before"], rows, terminal=terminal)
    return _Told("show_delta", [], [longest])
