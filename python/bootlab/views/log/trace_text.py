# SPDX-License-Identifier: MIT
"""A trace of calls, on the terminal and on a page."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.trace import CallTrace, FunctionTime
from bootlab.model import figures
from bootlab.views.page_model import PartData
from bootlab.views.page_parts import lane, plot, show
from bootlab.views.table.listing import Cell, Listing, label, ms, number, on_page, views, words
from bootlab.views.text_table import cell, spaced

_TREE_LINES = 25


def trace_view(trace: CallTrace, top: int) -> RenderableType:
    """Show a trace: self times, total times, waits, tasks, call tree, initcalls."""
    length = "" if trace.length_ns is None else f", {figures.ms(trace.length_ns)} ms"
    amount, what = trace.counted
    said = f"{trace.source}: {figures.count(amount)} {what} of {figures.count(trace.functions)} functions"
    tasks = f" in {figures.count(trace.tasks_total)} tasks" if trace.tasks_total else ""
    parts: list[RenderableType] = [cell(f"{said}{tasks}{length}", "bold", 300)]
    if trace.not_a_boot:
        parts.append(cell(f"no boot: {trace.not_a_boot}", "yellow", 300))
    if trace.about:
        facts = ", ".join(f"{key} {value}" for key, value in trace.about.items())
        parts.append(cell(facts, "dim", 400))
    timed = [row for row in trace.top_self if row.self_ns]
    if timed:
        parts.append(_functions("Top self time", timed, trace).view(top))
        parts.append(_functions("Top total time (others' time taken off)", trace.top_total, trace).view(top))
    elif trace.top_self:
        hits = [[words(row.function), number(row.count)] for row in sorted(trace.top_self, key=lambda r: -r.count)]
        parts.append(Listing("Functions by hits (this tracer gives no times)", ["function", ">hits"], hits).view(top))
    parts += views([_waits(trace), _initcalls(trace), *([_tasks(trace)] if len(trace.tasks) > 1 else [])], top)
    if timed:
        parts.append(_tree(trace))
    if trace.events:
        busy = sorted(trace.events.items(), key=lambda item: -item[1])[:top]
        parts.append(cell("events: " + ", ".join(f"{name} {count}" for name, count in busy), "dim", 400))
    if trace.mismatches:
        wrong = ", ".join(f"{name} {count}" for name, count in trace.mismatches.items())
        parts.append(cell(f"what did not fit together: {wrong}", "yellow", 300))
    return Group(*spaced(parts))


def trace_page(trace: CallTrace) -> PartData:
    """Collect a trace for a page."""
    depth: list[int] = []
    for row in trace.tree:
        depth.append(0 if row.parent is None else depth[row.parent] + 1)
    unit = "ms" if trace.weight == "ns" else trace.weight
    paths = [
        [
            words("· " * min(d, 40) + r.function, limit=400),
            number(r.count),
            _weight(r.total_ns, trace),
            _weight(r.self_ns, trace),
        ]
        for d, r in zip(depth, trace.tree, strict=True)
    ]
    tables = [
        _functions("Top self time", trace.top_self, trace),
        _functions("Top total time", trace.top_total, trace)._replace(lead="Time in which others ran is taken off."),
        _waits(trace),
        _initcalls(trace),
        _tasks(trace),
        Listing("Call tree", ["path", ">count", f">total, {unit}", f">self, {unit}"], paths),
        Listing("Events", ["event", ">count"], [[words(n), number(c)] for n, c in trace.events.items()]),
        Listing(
            "What did not fit together",
            ["what", ">count"],
            [[words(n), number(c)] for n, c in trace.mismatches.items()],
        ),
    ]
    spans = [(c.name, c.start_ns, (c.end_ns or c.start_ns) - c.start_ns, f"pid {c.pid}") for c in trace.initcalls]
    amount, what = trace.counted
    return {
        "title": f"{trace.source}: {amount} {what} of {trace.functions} functions",
        "alerts": [show(trace.not_a_boot)] if trace.not_a_boot else [],
        "plot": plot("Initcalls", [lane("initcalls", spans)]),
        "tables": on_page(tables),
        "costs": [],
    }


def _weight(value: int, trace: CallTrace) -> Cell:
    return ms(value) if trace.weight == "ns" else number(value)


def _functions(title: str, rows: list[FunctionTime], trace: CallTrace) -> Listing:
    unit = ", ms" if trace.weight == "ns" else f", {trace.weight}"
    cells = [
        [
            words(row.function),
            number(row.count),
            *(_weight(value, trace) for value in (row.total_ns, row.average_ns, row.self_ns)),
            _weight(row.max_ns, trace),
            words(row.max_sub),
            number(row.max_sub_count if row.max_sub else None, ""),
        ]
        for row in rows
    ]
    columns = ["function", ">count", f">total{unit}", f">average{unit}", f">self{unit}", f">longest{unit}"]
    return Listing(title, [*columns, "max-sub", ">ms count"], cells, narrow=(5,))


def _waits(trace: CallTrace) -> Listing:
    rows = [
        [
            words(row.function),
            number(row.count),
            ms(row.off_cpu_ns),
            ms(row.total_ns + row.off_cpu_ns),
            ms(row.max_ns),
        ]
        for row in trace.waits
    ]
    return Listing("Waits", ["function", ">count", ">switched out, ms", ">entry to exit, ms", ">longest, ms"], rows)


def _initcalls(trace: CallTrace) -> Listing:
    open_ended = [c for c in trace.initcalls if c.end_ns is None]
    ended = sorted(
        (c for c in trace.initcalls if c.end_ns is not None), key=lambda c: c.start_ns - (c.end_ns or c.start_ns)
    )
    rows = [
        [
            words(call.name),
            ms(None if call.end_ns is None else call.end_ns - call.start_ns, "never ended"),
            ms(call.start_ns),
            words(call.level),
            label(call.pid),
            label(call.returned),
        ]
        for call in open_ended + ended
    ]
    return Listing(
        "Initcalls by trace events",
        ["initcall", ">ms", ">start, ms", "level", ">pid", ">returned"],
        rows,
        terminal=f"Longest initcalls of {figures.count(len(trace.initcalls))}, by trace events",
    )


def _tasks(trace: CallTrace) -> Listing:
    rows = [[words(t.task), number(t.calls), ms(t.in_calls_ns), ms(t.run_ns)] for t in trace.tasks]
    return Listing("Tasks", ["task", ">calls", ">in calls, ms", ">on a processor, ms"], rows)


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
        length = _weight(row.total_ns, trace).text if row.total_ns else "did not end"
        lines.append(cell(f"  {'  ' * min(depth, 30)}{row.function}({row.count})  {length}", "", 200))
        walk += [(i, depth + 1) for i in sorted(children.get(index, []), key=weight.__getitem__)]
    left = len(walk) + trace.tree_left_out
    if left:
        lines.append(cell(f"  and more: {figures.count(len(trace.tree) + trace.tree_left_out)} paths in all", "dim"))
    return Group(*lines)
