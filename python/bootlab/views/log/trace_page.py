"""Traces, unit times, bootcharts and other tools' reports as plots and tables of the page."""

from __future__ import annotations

from typing import Any

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.trace import CallTrace, Chart, DeltaReport, FunctionTime, KdReport, UnitReport
from bootlab.views.log.application_page import application
from bootlab.views.page_parts import lane, ms, number, plot, show, table


def part_page(part: CallTrace | UnitReport | Chart | KdReport | DeltaReport | ApplicationProfile) -> dict[str, Any]:
    """Collect one part that is no boot."""
    make = {
        CallTrace: _trace, UnitReport: _units, Chart: _chart, KdReport: _kd, DeltaReport: _deltas,
        ApplicationProfile: application,
    }[type(part)]  # fmt: skip
    title, alerts, plot, tables = make(part)  # type: ignore[operator]
    lines = getattr(part, "lines", None)
    if isinstance(lines, tuple):
        title = f"Lines {lines[0]} to {lines[1]}: {title}"
    return {"title": title, "alerts": alerts, "plot": plot, "tables": [t for t in tables if t["rows"]], "costs": []}


def _trace(trace: CallTrace) -> tuple[str, list[str], Any, list[dict[str, Any]]]:
    unit = "ms" if trace.weight == "ns" else trace.weight

    def weight(value: int) -> list[Any]:
        return ms(value) if trace.weight == "ns" else number(value)

    def rows(functions: list[FunctionTime]) -> list[list[Any]]:
        return [
            [
                show(f.function),
                number(f.count),
                weight(f.total_ns),
                weight(f.average_ns),
                weight(f.self_ns),
                weight(f.max_ns),
                show(f.max_sub),
                number(f.max_sub_count or None),
            ]
            for f in functions
        ]

    columns = [
        "function",
        ">count",
        f">total, {unit}",
        f">average, {unit}",
        f">self, {unit}",
        f">longest, {unit}",
        "max-sub",
        ">ms count",
    ]
    depth: list[int] = []
    for row in trace.tree:
        depth.append(0 if row.parent is None else depth[row.parent] + 1)
    tables = [
        table("Top self time", columns, rows(trace.top_self)),
        table("Top total time", columns, rows(trace.top_total), "Time in which others ran is taken off."),
        table("Waits", columns, rows(trace.waits)),
        table(
            "Initcalls by trace events",
            ["initcall", ">ms", ">start, ms", "level", ">pid", ">returned"],
            (
                [
                    show(c.name),
                    ms(None if c.end_ns is None else c.end_ns - c.start_ns),
                    ms(c.start_ns),
                    show(c.level or ""),
                    number(c.pid),
                    number(c.returned),
                ]
                for c in trace.initcalls
            ),
        ),
        table(
            "Tasks",
            ["task", ">calls", ">in calls, ms", ">on a processor, ms"],
            ([show(t.task), number(t.calls), ms(t.in_calls_ns), ms(t.run_ns)] for t in trace.tasks),
        ),
        table(
            "Call tree",
            ["path", ">count", f">total, {unit}", f">self, {unit}"],
            (
                [show("· " * min(d, 40) + r.function), number(r.count), weight(r.total_ns), weight(r.self_ns)]
                for d, r in zip(depth, trace.tree, strict=True)
            ),
        ),
        table("Events", ["event", ">count"], ([show(n), number(c)] for n, c in trace.events.items())),
        table(
            "What did not fit together", ["what", ">count"], ([show(n), number(c)] for n, c in trace.mismatches.items())
        ),
    ]
    spans = [(c.name, c.start_ns, (c.end_ns or c.start_ns) - c.start_ns, f"pid {c.pid}") for c in trace.initcalls]
    number_of, what = trace.counted
    title = f"{trace.source}: {number_of} {what} of {trace.functions} functions"
    return (
        title,
        [show(trace.not_a_boot)] if trace.not_a_boot else [],
        plot("Initcalls", [lane("initcalls", spans)]),
        tables,
    )


def _units(report: UnitReport) -> tuple[str, list[str], Any, list[dict[str, Any]]]:
    startup = report.startup
    rows = [[show(n), ms(ns)] for n, ns in startup.parts] if startup else []
    if startup and startup.total_ns is not None:
        rows.append(["total", ms(startup.total_ns)])
    tables = [
        table("Start-up", ["part", ">ms"], rows),
        table(
            "Units",
            ["unit", ">ms", ">start, ms", "result"],
            ([show(u.unit), ms(u.time_ns), ms(u.start_ns), show(u.result or "")] for u in report.units),
        ),
        table(
            "Critical chain",
            ["unit", ">depth", ">active at, ms", ">took, ms"],
            ([show(c.unit), number(c.depth), ms(c.at_ns), ms(c.took_ns)] for c in report.chain),
        ),
    ]
    stages = lane("stages", ((s.name, s.start_ns, s.end_ns - s.start_ns, "") for s in report.stages))
    units = lane(
        "units",
        (
            (u.unit, u.start_ns, (u.end_ns if u.end_ns is not None else u.start_ns) - u.start_ns, u.result or "")
            for u in report.units
            if u.start_ns is not None
        ),
    )
    title = show(f"{report.source} {report.about}")
    return title, [], plot("Units", [stages, units]), tables


def _chart(chart: Chart) -> tuple[str, list[str], Any, list[dict[str, Any]]]:
    last = chart.bounds_ns[1] if chart.bounds_ns else 0
    spans = (
        (f"{p.name} ({p.pid})", p.start_ns, (last if p.end_ns is None else p.end_ns) - p.start_ns, f"parent {p.parent}")
        for p in chart.processes
    )
    tables = [
        table(
            "Processes",
            ["process", ">pid", ">parent", ">start, ms", ">end, ms", ">on a processor, ms"],
            (
                [show(p.name), number(p.pid), number(p.parent), ms(p.start_ns), ms(p.end_ns), ms(p.cpu_ns)]
                for p in chart.processes
            ),
        ),
        table("About", ["key", "value"], ([show(k), show(v)] for k, v in chart.about.items())),
    ]
    return "bootchart", [], plot("Processes", [lane("processes", spans)]), tables


def _kd(report: KdReport) -> tuple[str, list[str], Any, list[dict[str, Any]]]:
    def us(value: int | None) -> list[Any]:
        return ms(None if value is None else value * 1000)

    # kd prints the costliest child only when it was asked for.
    children = any(r.max_sub for r in report.rows)
    tables = [
        table(
            "kd report",
            ["function", ">count", ">time, ms", ">average, ms", ">local, ms", *["max-sub", ">ms count"] * children],
            (
                [
                    show(r.function),
                    number(r.count),
                    us(r.time_us),
                    us(r.average_us),
                    us(r.local_us),
                    *[show(r.max_sub or ""), number(r.max_sub_count)] * children,
                ]
                for r in report.rows
            ),
        ),
        table(
            "kd trace",
            [">entry, ms", ">length, ms", ">local, ms", ">pid", "call"],
            (
                [
                    us(c.entry_us),
                    us(c.duration_us),
                    us(c.local_us),
                    number(c.pid),
                    show("· " * min(c.depth, 40) + c.function),
                ]
                for c in report.trace
            ),
        ),
    ]
    return "kd report", [], None, tables


def _deltas(report: DeltaReport) -> tuple[str, list[str], Any, list[dict[str, Any]]]:
    rows = ([ms(r.delta_ns), ms(r.at_ns), show(r.before or ""), show(r.text)] for r in report.longest)
    return "show_delta", [], None, [table("Longest deltas", [">ms", ">at, ms", "after", "before"], rows)]
