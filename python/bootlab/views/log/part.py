"""What an input holds besides boots, on the terminal and on a page: traces, unit times, charts, reports of tools."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.trace import CallTrace, Chart, DeltaReport, KdReport, UnitReport
from bootlab.model import figures
from bootlab.views.listing import Cell, Listing, label, ms, number, on_page, views, words
from bootlab.views.log.application_text import application_page, profile_view
from bootlab.views.log.cost_lines import costs_view
from bootlab.views.log.headline import units_headline
from bootlab.views.log.page_costs import costs_page
from bootlab.views.log.page_headline import stage_of, unit_bars
from bootlab.views.log.trace_text import trace_page, trace_view
from bootlab.views.page_model import PartData, PlotData
from bootlab.views.page_parts import lane, plot, show
from bootlab.views.text_table import cell, spaced

_CHAIN_ROWS = 20

Part = CallTrace | UnitReport | Chart | KdReport | DeltaReport | ApplicationProfile


class _Told(NamedTuple):
    """What a report tells: its title on a page, lines for the terminal, tables, and a plot of the page."""

    title: str
    head: list[Text]
    listings: list[Listing]
    plot: PlotData | None = None


def part_view(part: Part, top: int) -> RenderableType:
    """Show one part that is no boot, with the lines it stood in when it was inside a console log."""
    view: RenderableType
    if isinstance(part, CallTrace):
        view = trace_view(part, top)
    elif isinstance(part, ApplicationProfile):
        view = profile_view(part, top)
    else:
        told = _told(part)
        costs = part.costs if isinstance(part, UnitReport) else []
        ranked = [costs_view(costs, top)] if costs else []
        view = Group(*spaced([*told.head, *ranked, *views(told.listings, top)]))
    where = _lines(part)
    return Group(cell(f"{where}:", "bold"), view) if where else view


def part_page(part: Part) -> PartData:
    """Collect one part that is no boot for a page."""
    if isinstance(part, CallTrace):
        made = trace_page(part)
    elif isinstance(part, ApplicationProfile):
        made = application_page(part)
    else:
        told = _told(part)
        tables = on_page(told.listings)
        made = {"title": show(told.title), "alerts": [], "plot": told.plot, "tables": tables, "costs": []}
        if isinstance(part, UnitReport):
            made["costs"] = costs_page(part.costs)
            made["bars"] = unit_bars(part)
    where = _lines(part)
    return made | {"title": f"{where}: {made['title']}"} if where else made


def _lines(part: Part) -> str:
    lines = getattr(part, "lines", None)
    return f"Lines {lines[0]} to {lines[1]}" if isinstance(lines, tuple) else ""


def _told(part: UnitReport | Chart | KdReport | DeltaReport) -> _Told:
    if isinstance(part, UnitReport):
        return _units(part)
    if isinstance(part, Chart):
        return _chart(part)
    return _kd(part) if isinstance(part, KdReport) else _deltas(part)


def _units(report: UnitReport) -> _Told:
    startup = report.startup
    head = [cell(report.about, "bold", 300)] if report.about else []
    head += [cell(said, "bold", 600) for said in units_headline(report)]
    parts = [[words(n), ms(ns)] for n, ns in startup.parts] if startup else []
    if startup:
        said = " + ".join(f"{figures.ms(ns)} ms ({name})" for name, ns in startup.parts)
        total = f" = {figures.ms(startup.total_ns)} ms" if startup.total_ns is not None else ""
        head.append(cell(f"systemd: {said}{total}", "", 300))
        if startup.target:
            after = figures.ms(startup.target_after_ns)
            head.append(cell(f"{startup.target} reached after {after} ms in user space", "", 300))
        parts += [[words("total"), ms(startup.total_ns)]] if startup.total_ns is not None else []
    stages = [[words(s.name), ms(s.start_ns), ms(s.end_ns - s.start_ns)] for s in report.stages]
    units = [[words(u.unit), ms(u.time_ns), ms(u.start_ns), words(u.result)] for u in report.units]
    timed = [row for row, unit in zip(units, report.units, strict=True) if unit.time_ns is not None]
    if units and not timed:
        head.append(cell(f"{len(units)} units, none with a start time", "dim"))
    if report.left_out:
        head.append(cell(f"{figures.count(report.left_out)} more were left out", "yellow"))
    chain = [
        [
            words(link.unit)._replace(text="  " * min(link.depth, 20) + link.unit),
            number(link.depth),
            ms(link.at_ns),
            ms(link.took_ns),
        ]
        for link in report.chain
    ]
    columns = ["unit", ">ms", ">start, ms", "result"]
    listings = [
        Listing("Start-up", ["part", ">ms"], parts, only="page"),
        Listing("Stages", ["stage", ">start, ms", ">length, ms"], stages, only="terminal", least=len(stages)),
        Listing("Units", columns, units, only="page"),
        Listing(f"Longest starts of {figures.count(len(units))} units", columns, timed, only="terminal"),
        Listing(
            "Critical chain",
            ["unit", ">depth", ">active at, ms", ">took, ms"],
            chain,
            narrow=(1,),
            least=_CHAIN_ROWS,
        ),
    ]
    bars = lane("stages", ((stage_of(s.name), s.start_ns, s.end_ns - s.start_ns, s.name) for s in report.stages))
    spans = lane(
        "units",
        (
            (u.unit, u.start_ns, (u.end_ns if u.end_ns is not None else u.start_ns) - u.start_ns, u.result or "")
            for u in report.units
            if u.start_ns is not None
        ),
        stage="user space",
    )
    return _Told(f"{report.source} {report.about}", head, listings, plot("Units", [bars, spans]))


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
