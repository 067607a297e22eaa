"""What the terminal shows of traces, unit times, bootcharts and other tools' reports."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.trace import CallTrace, Chart, DeltaReport, FunctionTime, KdReport, UnitReport
from bootlab.model import figures
from bootlab.views.log.application_text import profile_view
from bootlab.views.text_table import Fitted, cell, spaced, text_table

_TREE_LINES = 25


def part_view(
    part: CallTrace | UnitReport | Chart | KdReport | DeltaReport | ApplicationProfile, top: int
) -> RenderableType:
    """Show one part that is no boot, with the lines it stood in when it was inside a console log."""
    lines = getattr(part, "lines", None)
    if isinstance(lines, tuple):
        return Group(cell(f"Lines {lines[0]} to {lines[1]}:", "bold"), _part_view(part, top))
    return _part_view(part, top)


def _part_view(
    part: CallTrace | UnitReport | Chart | KdReport | DeltaReport | ApplicationProfile, top: int
) -> RenderableType:
    if isinstance(part, CallTrace):
        return trace_view(part, top)
    if isinstance(part, UnitReport):
        return units_view(part, top)
    if isinstance(part, Chart):
        return chart_view(part, top)
    if isinstance(part, KdReport):
        return kd_view(part, top)
    if isinstance(part, ApplicationProfile):
        return profile_view(part, top)
    return deltas_view(part, top)


def trace_view(trace: CallTrace, top: int) -> RenderableType:
    """Show a trace: self times, total times, waits, tasks, call tree, initcalls."""
    length = "" if trace.length_ns is None else f", {figures.ms(trace.length_ns)} ms"
    number, what = trace.counted
    said = f"{trace.source}: {figures.count(number)} {what} of {figures.count(trace.functions)} functions"
    tasks = f" in {figures.count(trace.tasks_total)} tasks" if trace.tasks_total else ""
    parts: list[RenderableType] = [cell(f"{said}{tasks}{length}", "bold", 300)]
    if trace.not_a_boot:
        parts.append(cell(f"no boot: {trace.not_a_boot}", "yellow", 300))
    if trace.about:
        facts = ", ".join(f"{key} {value}" for key, value in trace.about.items())
        parts.append(cell(facts, "dim", 400))
    timed = [row for row in trace.top_self if row.self_ns]
    if timed:
        parts.append(_functions("Top self time", timed[:top], trace.weight))
        parts.append(_functions("Top total time (others' time taken off)", trace.top_total[:top], trace.weight))
    elif trace.top_self:
        table = text_table("Functions by hits (this tracer gives no times)", "function", ">hits")
        for row in sorted(trace.top_self, key=lambda r: -r.count)[:top]:
            table.add_row(cell(row.function), figures.count(row.count))
        parts.append(table)
    parts += _beside(trace, top)
    if timed:
        parts.append(_tree(trace))
    if trace.events:
        busy = sorted(trace.events.items(), key=lambda item: -item[1])[:top]
        parts.append(cell("events: " + ", ".join(f"{name} {count}" for name, count in busy), "dim", 400))
    if trace.mismatches:
        wrong = ", ".join(f"{name} {count}" for name, count in trace.mismatches.items())
        parts.append(cell(f"what did not fit together: {wrong}", "yellow", 300))
    return Group(*spaced(parts))


def _beside(trace: CallTrace, top: int) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if trace.waits:
        table = text_table("Waits", "function", ">count", ">switched out, ms", ">entry to exit, ms", ">longest, ms")
        for row in trace.waits[:top]:
            table.add_row(
                cell(row.function),
                figures.count(row.count),
                figures.ms(row.off_cpu_ns),
                figures.ms(row.total_ns + row.off_cpu_ns),
                figures.ms(row.max_ns),
            )
        parts.append(table)
    if trace.initcalls:
        parts.append(_initcalls(trace, top))
    if len(trace.tasks) > 1:
        table = text_table("Tasks", "task", ">calls", ">in calls, ms", ">on a processor, ms")
        for task in trace.tasks[:top]:
            table.add_row(
                cell(task.task), figures.count(task.calls), figures.ms(task.in_calls_ns), figures.ms(task.run_ns)
            )
        parts.append(table)
    return parts


def _weight(value: int, weight: str) -> str:
    return figures.ms(value) if weight == "ns" else figures.count(value)


def _functions(title: str, rows: list[FunctionTime], weight: str) -> RenderableType:
    unit = ", ms" if weight == "ns" else f", {weight}"
    table = text_table(
        title, "function", ">count", f">total{unit}", f">average{unit}", f">self{unit}", "max-sub", ">ms count"
    )
    for row in rows:
        table.add_row(
            cell(row.function),
            figures.count(row.count),
            _weight(row.total_ns, weight),
            _weight(row.average_ns, weight),
            _weight(row.self_ns, weight),
            cell(row.max_sub),
            figures.count(row.max_sub_count) if row.max_sub else "",
        )
    return table


def _initcalls(trace: CallTrace, top: int) -> RenderableType:
    table = text_table(
        f"Longest initcalls of {figures.count(len(trace.initcalls))}, by trace events",
        "initcall",
        ">ms",
        ">start, ms",
        "level",
        ">pid",
        ">returned",
    )
    open_ended = [c for c in trace.initcalls if c.end_ns is None]
    ended = sorted(
        (c for c in trace.initcalls if c.end_ns is not None), key=lambda c: c.start_ns - (c.end_ns or c.start_ns)
    )
    for call in (open_ended + ended)[:top]:
        length = "never ended" if call.end_ns is None else figures.ms(call.end_ns - call.start_ns)
        returned = "" if call.returned is None else str(call.returned)
        table.add_row(
            cell(call.name), length, figures.ms(call.start_ns), cell(call.level or ""), str(call.pid), returned
        )
    return table


def _tree(trace: CallTrace) -> RenderableType:
    children: dict[int | None, list[int]] = {}
    for index, row in enumerate(trace.tree):
        children.setdefault(row.parent, []).append(index)
    # A call that never ended has no time of its own; what it called still weighs.
    weight = [row.total_ns for row in trace.tree]
    for index in range(len(trace.tree) - 1, -1, -1):
        weight[index] = max(weight[index], sum(weight[i] for i in children.get(index, [])))
    lines: list[RenderableType] = [Text("Call tree, heaviest paths", "bold")]
    walk = sorted(((index, 0) for index in children.get(None, [])), key=lambda item: weight[item[0]])
    while walk and len(lines) <= _TREE_LINES:
        index, depth = walk.pop()
        row = trace.tree[index]
        length = _weight(row.total_ns, trace.weight) if row.total_ns else "did not end"
        lines.append(cell(f"  {'  ' * min(depth, 30)}{row.function}({row.count})  {length}", "", 200))
        walk += [(i, depth + 1) for i in sorted(children.get(index, []), key=weight.__getitem__)]
    left = len(walk) + trace.tree_left_out
    if left:
        lines.append(cell(f"  and more: {figures.count(len(trace.tree) + trace.tree_left_out)} paths in all", "dim"))
    return Group(*lines)


def units_view(report: UnitReport, top: int) -> RenderableType:
    """Show unit times."""
    parts: list[RenderableType] = []
    if report.about:
        parts.append(cell(report.about, "bold", 300))
    startup = report.startup
    if startup:
        words = " + ".join(f"{figures.ms(ns)} ms ({name})" for name, ns in startup.parts)
        total = f" = {figures.ms(startup.total_ns)} ms" if startup.total_ns is not None else ""
        parts.append(cell(f"systemd: {words}{total}", "bold", 300))
        if startup.target:
            said = f"{startup.target} reached after {figures.ms(startup.target_after_ns)} ms in user space"
            parts.append(cell(said, "", 300))
    if report.stages:
        table = text_table("Stages", "stage", ">start, ms", ">length, ms")
        for stage in report.stages:
            table.add_row(cell(stage.name), figures.ms(stage.start_ns), figures.ms(stage.end_ns - stage.start_ns))
        parts.append(table)
    units = [unit for unit in report.units if unit.time_ns is not None]
    if units:
        table = text_table(
            f"Longest starts of {figures.count(len(report.units))} units", "unit", ">ms", ">start, ms", "result"
        )
        for unit in units[:top]:
            table.add_row(cell(unit.unit), figures.ms(unit.time_ns), figures.ms(unit.start_ns), cell(unit.result or ""))
        parts.append(table)
    elif report.units:
        parts.append(cell(f"{len(report.units)} units, none with a start time", "dim"))
    if report.chain:
        table = text_table("Critical chain", "unit", ">active at, ms", ">took, ms")
        for link in report.chain[: max(top, 20)]:
            table.add_row(
                cell("  " * min(link.depth, 20) + link.unit), figures.ms(link.at_ns), figures.ms(link.took_ns)
            )
        parts.append(table)
    if report.left_out:
        parts.append(cell(f"{figures.count(report.left_out)} more were left out", "yellow"))
    return Group(*spaced(parts))


def chart_view(chart: Chart, top: int) -> RenderableType:
    """Show a bootchart: load, and the processes that used a processor most."""
    length = "" if chart.bounds_ns is None else f" over {figures.ms(chart.bounds_ns[1] - chart.bounds_ns[0])} ms"
    share = (
        ""
        if chart.busy_share is None
        else (f"; processors {100 * chart.busy_share:.0f} % at work, {100 * (chart.wait_share or 0):.0f} % waiting")
    )
    facts = "; ".join(chart.about[key] for key in ("title", "system.uname", "system.cpu") if key in chart.about)
    table = text_table(
        f"Processes by processor time, of {figures.count(chart.processes_total)}",
        "process",
        ">pid",
        ">parent",
        ">start, ms",
        ">end, ms",
        ">on a processor, ms",
        ">waiting samples",
    )
    for process in chart.processes[:top]:
        table.add_row(
            cell(process.name),
            str(process.pid),
            str(process.parent),
            figures.ms(process.start_ns),
            figures.ms(process.end_ns),
            figures.ms(process.cpu_ns),
            figures.count(process.waiting_samples),
        )
    return Group(cell(f"bootchart{length}{share}", "bold", 300), cell(facts, "dim", 300), table)


def kd_view(report: KdReport, top: int) -> RenderableType:
    """Show a kd report again, in milliseconds."""
    parts: list[RenderableType] = []

    def ms(us: int | None) -> str:
        return figures.ms(None if us is None else us * 1000)

    if report.rows:
        table = text_table(
            f"kd report, {len(report.rows)} functions",
            "function",
            ">count",
            ">time, ms",
            ">average, ms",
            ">local, ms",
            "max-sub",
            ">ms count",
        )
        for row in report.rows[:top]:
            table.add_row(
                cell(row.function),
                figures.count(row.count),
                ms(row.time_us),
                ms(row.average_us),
                ms(row.local_us),
                cell(row.max_sub or ""),
                figures.count(row.max_sub_count) if row.max_sub else "",
            )
        parts.append(table)
    if report.trace:
        table = text_table(
            f"kd trace, {len(report.trace)} calls", ">entry, ms", ">length, ms", ">local, ms", ">pid", "~call"
        )
        for call in report.trace[: max(top, 20)]:
            name = "  " * min(call.depth, 40) + call.function
            table.add_row(ms(call.entry_us), ms(call.duration_us), ms(call.local_us), str(call.pid), cell(name))
        parts.append(Fitted(table))
    return Group(*spaced(parts))


def deltas_view(report: DeltaReport, top: int) -> RenderableType:
    """Show the longest deltas of `show_delta`: the time passed after the line before."""
    table = text_table(f"Longest deltas of {figures.count(report.lines)} lines", ">ms", ">at, ms", "~after", "~before")
    for row in report.longest[:top]:
        table.add_row(
            figures.ms(row.delta_ns), figures.ms(row.at_ns), cell(row.before or "", "", 200), cell(row.text, "", 200)
        )
    return Fitted(table)
