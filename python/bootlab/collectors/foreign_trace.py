# SPDX-License-Identifier: MIT
"""Traces that others made, as the call tree that bootlab's own are.

KFI and KFT logs, function_graph text, trace.dat, perf script: whatever `boottrace` reads as calls. One unit of
the tree's instructions is one nanosecond here, or one sample (event) shown as a microsecond where there are no times.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from bootlab.analysis import call_forest
from bootlab.analysis.call_forest import CallForest
from bootlab.analysis.call_tree import CUT_ROOT, IRQ_ROOT, ROOT, FunctionTrace, Held, Table, TraceTotals
from bootlab.collectors import held_off
from bootlab.collectors.function_trace import NODE, SPAN, STRETCH, TASK
from bootlab.collectors.held_off import Stretches
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis, analyze
from bootlab.logs.trace import CallTrace
from bootlab.tracing.symbols import BUCKETS

# crates/boottrace/src/readers/calls/tree.rs: the root, what the full tree could not take, interrupts.
_FIXED = (ROOT, CUT_ROOT, IRQ_ROOT)
_FIXED_BUCKETS = (5, 7, 6)
_COLUMNS = 8
_SAMPLE_NS = 1000
_HEAD = msgspec.convert(dict.fromkeys(TraceTotals.__struct_fields__, 0), TraceTotals)
_NO_CALLS = CallTrace(
    source="ftrace latency tracer",
    clock="trace",
    weight="ns",
    calls=0,
    functions=0,
    top_self=[],
    top_total=[],
    waits=[],
    tasks=[],
    tasks_total=0,
    tree=[],
    tree_left_out=0,
)


class ForeignTrace(msgspec.Struct, frozen=True, kw_only=True):
    """A trace, what was read of it, and the analysis that can write it as other formats.

    `tells_held`: it tells of stretches with interrupts or preemption off.
    """

    trace: FunctionTrace
    part: CallTrace
    analysis: Analysis
    tells_held: bool = False


def call_paths(source: Path) -> CallForest:
    """Read the call paths of a trace or a profile. Raise UserError when it has none."""
    analysis = analyze(source, export=True)
    trees = analysis.call_trees()
    if not trees or len(trees[0][1]) == 1:
        raise UserError(
            f"{source}: this is {analysis.document.detected}, and contains no calls",
            hint="take a SYSTEM.toml, the folder of a traced boot's recording, or a trace that `bootlab analyze` reads",
        )
    part = analysis.traces[0]
    return call_forest.of_columns(*trees[0], clock=part.clock, unit=part.weight)


def load(source: Path | str | bytes) -> ForeignTrace:
    """Read a trace: a file, `-` for standard input, or its bytes. Raise UserError when it is none, or has no calls."""
    analysis = analyze(source, name="trace", export=True)
    tree = analysis.core.call_tree()
    if held := held_off.stretches(source):
        part = analysis.traces[0] if analysis.traces else _NO_CALLS
        return ForeignTrace(trace=_of_stretches(held), part=part, analysis=analysis, tells_held=True)
    if tree is None or not analysis.traces:
        raise UserError(
            f"{analysis.name} is not a function trace; it was recognized as {analysis.document.detected}",
            hint=f"bootlab analyze {analysis.name}   (a system file's name ends in .toml)",
        )
    part = analysis.traces[0]
    names, rows = tree
    unit = 1 if part.weight == "ns" else _SAMPLE_NS
    found = _trace(names, np.frombuffer(rows, "<u8").reshape(-1, _COLUMNS).astype(np.int64), part, unit)
    return ForeignTrace(trace=found, part=part, analysis=analysis)


def _of_stretches(held: Stretches) -> FunctionTrace:
    """Return a trace without times whose tree names the tasks and functions of stretches."""
    names: dict[str, int] = {}
    nodes: dict[tuple[int, int], int] = {}

    def node(path: tuple[str, ...]) -> int:
        at = ROOT
        for name in path:
            key = (at, names.setdefault(name, len(names)))
            at = nodes.setdefault(key, len(nodes) + CUT_ROOT + 1)
        return at

    tables = []
    for kind in held:
        rows = []
        for s in kind:
            start, end = node((s.task, *s.began)), node((s.task, *s.ended))
            rows.append((s.start_ns, s.length_ns, start, end, 0, start))
        tables.append(np.array(rows, dtype=STRETCH))
    table = np.zeros(len(nodes) + CUT_ROOT + 1, dtype=NODE)
    table["function"][[ROOT, IRQ_ROOT, CUT_ROOT]] = (5, 6, 7)
    table["parent"][[IRQ_ROOT, CUT_ROOT]] = ROOT
    for (parent, function), number in nodes.items():
        table["function"][number] = function + len(BUCKETS)
        table["parent"][number] = parent
    head = msgspec.structs.replace(_HEAD, complete=1, n_nodes=len(table), n_functions=len(names))
    none = np.zeros(0, dtype=SPAN), np.zeros(0, dtype=TASK)
    return FunctionTrace(head, (*BUCKETS, *names), table, *none, Held(*tables))


def _trace(names: list[str], rows: Table, part: CallTrace, unit: int) -> FunctionTrace:
    function, parent, count, _, elapsed, own, _, longest = rows.T
    # One node more than there: number 0 is nobody.
    number = np.concatenate([np.array(_FIXED), np.arange(len(_FIXED), len(rows)) + 1])
    nodes = np.zeros(len(rows) + 1, dtype=NODE)
    nodes["function"][number] = function + len(BUCKETS)
    nodes["function"][list(_FIXED)] = _FIXED_BUCKETS
    nodes["parent"][number] = number[parent]
    nodes["parent"][[ROOT, IRQ_ROOT, CUT_ROOT]] = (0, ROOT, ROOT)
    for name, values in (("count", count), ("self_insns", own), ("wall_ns", elapsed), ("max_wall_ns", longest)):
        nodes[name][number] = values if name == "count" else values * unit
    start, end = part.bounds_ns or (0, int(own.sum()) * unit)
    head = msgspec.structs.replace(
        _HEAD,
        end_insns=int(own.sum()) * unit,
        start_ns=start,
        end_ns=end,
        complete=1,
        calls=part.calls,
        n_nodes=len(nodes),
        n_functions=len(names),
        cut_calls=int(count[1]),
    )
    none = np.zeros(0, dtype=STRETCH)
    spans, tasks = np.zeros(0, dtype=SPAN), np.zeros(0, dtype=TASK)
    return FunctionTrace(head, (*BUCKETS, *names), nodes, spans, tasks, Held(none, none, none))
