# SPDX-License-Identifier: MIT
"""Views of a function trace for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.analysis import function_tables
from bootlab.analysis.call_tree import FunctionTrace, TraceTotals
from bootlab.analysis.delay_census import DelayWait
from bootlab.analysis.function_tables import Bucket, CallTreeRow, FunctionRow, InitcallRow, StretchRow
from bootlab.collectors.kernel_tracer import TracedByKernel
from bootlab.logs.trace import CallTrace
from bootlab.model import figures
from bootlab.model.figures import count
from bootlab.tracing.modules import PlacedModules
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import TextTable

CUT_SHORT = "QEMU ended before the requested end: the trace ends there"

# The letters of `kd -f` (kernel function trace's dump program), and two more.
FIELDS: dict[str, tuple[str, Callable[[FunctionRow], object]]] = {
    "F": ("Function", lambda row: one_line(row.function)),
    "c": ("Count", lambda row: row.count),
    "t": ("Time us", lambda row: _us(row.time_ns)),
    "a": ("Average us", lambda row: _us(row.average_ns)),
    "l": ("Local us", lambda row: _us(row.local_ns)),
    "m": ("Max-sub", lambda row: one_line(row.max_sub)),
    "n": ("Ms count", lambda row: row.max_sub_count or ""),
    "w": ("Wall us", lambda row: _us(row.wall_ns)),
    "x": ("Longest us", lambda row: _us(row.max_wall_ns)),
}
_SORT: dict[str, Callable[[FunctionRow], int]] = {
    "c": lambda row: row.count,
    "t": lambda row: row.time_ns,
    "a": lambda row: row.average_ns,
    "l": lambda row: row.local_ns,
    "m": lambda row: row.max_sub_ns,
    "n": lambda row: row.max_sub_count,
    "w": lambda row: row.wall_ns,
    "x": lambda row: row.max_wall_ns,
}


def ordered(rows: Iterable[FunctionRow], letter: str) -> list[FunctionRow]:
    """Sort by a column: names upwards, numbers downwards."""
    if letter == "F":
        return sorted(rows, key=lambda row: row.function)
    return sorted(rows, key=lambda row: (-_SORT[letter](row), row.function))


def summary(head: TraceTotals, buckets: list[Bucket]) -> RenderableType:
    """Show the totals and where the instructions went."""
    table = Table(title="Where the instructions went", title_justify="left", box=None)
    for name in ("part", "instructions", "virtual ms", "share"):
        table.add_column(name, justify="left" if name == "part" else "right")
    length_ns = max(1, head.end_ns - head.start_ns)
    for row in buckets:
        table.add_row(row.name, count(row.insns), figures.ms(row.ns), f"{100 * row.ns / length_ns:.1f} %")
    table.add_row("sum", count(sum(r.insns for r in buckets)), figures.ms(sum(r.ns for r in buckets)), "")
    share = 100 * head.unmatched / max(1, head.calls)
    lines = [
        (
            f"{count(head.insns)} instructions executed, {length_ns / 1e6:.3f} ms of virtual time; "
            f"{count(head.calls)} calls, {count(head.tail_calls)} jumps to other functions, "
            f"{count(head.entries)} exceptions, interrupts and system calls, "
            f"{count(head.switches)} task switches"
        ),
        (
            f"returns that found no caller: {head.unmatched} ({share:.4f} % of the calls); "
            f"frames lost: {head.lost_frames}"
        ),
        *head.limits_reached,
    ]
    if not head.complete:
        lines.append(CUT_SHORT)
    return Group(*(Text(line) for line in lines), table)


def answer(trace: FunctionTrace, name: str) -> RenderableType:
    """Say in one line how long the trace is, and which functions themselves took the most of it."""
    length_ns = max(1, trace.head.end_ns - trace.head.start_ns)
    most = sorted(function_tables.functions(trace), key=lambda row: (-row.local_ns, row.function))[:3]
    said = ", ".join(f"{row.function} {figures.percent(row.local_ns, length_ns)}" for row in most if row.local_ns)
    where = f"; most in {said}" if said else ""
    return Text(one_line(f"{name}: {figures.ms(length_ns)} ms traced{where}"), "bold")


def modules(placed: PlacedModules) -> list[RenderableType]:
    """Say where the modules of the initramfs were found; nothing when there were none to look for."""
    lines: list[RenderableType] = []
    names = list(dict.fromkeys(region.module for region in placed.regions))
    if names:
        lines.append(Text(f"modules found in memory by their code: {', '.join(one_line(name) for name in names)}"))
    if placed.unknown_blocks:
        lines.append(Text(f"blocks outside of the kernel that fit no module file: {placed.unknown_blocks}"))
    return lines


def foreign_summary(part: CallTrace) -> RenderableType:
    """Say what a trace of others is, and what did not fit together in it."""
    what = "calls" if part.weight == "ns" else part.weight
    length = "" if part.bounds_ns is None else f", {(part.bounds_ns[1] - part.bounds_ns[0]) / 1e6:.3f} ms"
    lines = [
        (
            f"{part.source}: {count(part.calls)} {what} of {count(part.functions)} functions "
            f"in {count(part.tasks_total)} tasks{length}"
        )
    ]
    if part.weight != "ns":
        lines.append(f"this trace has no times: one of its {part.weight} is shown as a microsecond")
    if part.not_a_boot:
        lines.append(f"no boot: {part.not_a_boot}")
    if part.about:
        lines.append(", ".join(f"{key} {value}" for key, value in part.about.items()))
    if part.mismatches:
        wrong = ", ".join(f"{name} {count}" for name, count in part.mismatches.items())
        lines.append(f"what did not fit together: {wrong}")
    return Group(*(Text(one_line(line)) for line in lines))


def tracer_cost(traced: TracedByKernel, again: str = "") -> RenderableType:
    """Say what the kernel's tracer cost and what it lost. `again`: the command that loses less."""
    lost = traced.lost
    unsent = f"{lost.lines} or more" if lost.lines else "none"
    kept = f"the kernel kept {count(lost.kept_events)} events and lost {count(lost.events)} for lack of room"
    lines = [f"{kept}; lines that were not sent: {unsent}"]
    if traced.goal_ns is not None and traced.untraced_ns:
        more = 100 * (traced.goal_ns / traced.untraced_ns - 1)
        lines.append(
            f"goal with tracer and agent {traced.goal_ns / 1e6:.3f} ms, without {traced.untraced_ns / 1e6:.3f} ms: "
            f"{more:+.1f} %"
        )
    if again:
        lines.append(f"next, for a whole trace: {again}")
    return Group(*(Text(line) for line in lines))


def function_table(rows: list[FunctionRow], fields: str) -> RenderableType:
    """Show functions with the columns asked for."""
    table = TextTable(box=None)
    for letter in fields:
        table.add_column(FIELDS[letter][0], justify="left" if letter in "Fm" else "right", no_wrap=True)
    for row in rows:
        # Text, because names of buckets look like markup.
        table.add_row(*(Text(str(FIELDS[letter][1](row))) for letter in fields))
    return table


def call_tree(rows: list[CallTreeRow]) -> RenderableType:
    """Show a call tree: `caller(calls)-> callee(calls)`, indented, with its time in microseconds."""
    lines = []
    for number, row in enumerate(rows):
        arrow = "->" if number + 1 < len(rows) and rows[number + 1].depth > row.depth else ""
        text = f"{'  ' * row.depth}{one_line(row.function)}({row.count}){arrow}"
        lines.append(Text(f"{text:<70} {_us(row.time_ns):>14} us  local {_us(row.local_ns):>14}", no_wrap=True))
    return Group(*lines)


def wait_table(rows: list[DelayWait]) -> RenderableType:
    """Show the delay census."""
    table = Table(title="Waits", title_justify="left", box=None)
    for name in ("kind", "count", "time us", "idle us", "before init"):
        table.add_column(name, justify="left" if name in {"kind", "before init"} else "right", no_wrap=True)
    table.add_column("by", overflow="fold")
    words = {True: "yes", False: "no", None: "unknown"}
    for row in rows:
        chain = " > ".join(one_line(name) for name in row.chain)
        table.add_row(row.kind, str(row.count), _us(row.time_ns), _us(row.idle_ns), words[row.on_path], Text(chain))
    return table


def initcall_table(rows: list[InitcallRow]) -> RenderableType:
    """Show initcalls, from entry to exit."""
    table = Table(title="Initcalls", title_justify="left", box=None)
    for name in ("initcall", "start ms", "wall us"):
        table.add_column(name, justify="left" if name == "initcall" else "right", no_wrap=True)
    for row in rows:
        wall = _us(row.wall_ns) + ("" if row.whole else " (running)")
        table.add_row(Text(one_line(row.function)), f"{row.start_ns / 1e6:.3f}", wall)
    return table


def stretch_table(title: str, rows: list[StretchRow], none: str) -> RenderableType:
    """Show the longest stretches in which something was held off, and where the longest part of each was spent.

    `none`: what to say when there is no stretch.
    """
    if not rows:
        return Text(f"{title}: {none}")
    table = Table(title=title, title_justify="left", box=None)
    for name in ("us", "from ms"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("longest us", justify="right", no_wrap=True)
    for name in ("in", "began in"):
        table.add_column(name, overflow="fold")
    for row in rows:
        most, began = (" > ".join(one_line(name) for name in chain) for chain in (row.most, row.began))
        table.add_row(_us(row.length_ns), f"{row.start_ns / 1e6:.3f}", _us(row.most_ns), Text(most), Text(began))
    return table


def _us(ns: int) -> str:
    return f"{ns / 1000:.3f}" if ns % 1000 else str(ns // 1000)
