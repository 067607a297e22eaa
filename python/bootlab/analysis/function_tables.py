# SPDX-License-Identifier: MIT
"""Tables of a function trace: functions (kd's columns), call tree, buckets, initcalls, interrupts-off stretches.

Time is what a task executed itself, in virtual nanoseconds; what other tasks ran while it slept and what interrupts
took is not in it. Wall is from entry to exit.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.call_tree import IRQ_ROOT, ROOT, SPAN_INITCALL, SPAN_OPEN, FunctionTrace, Table
from bootlab.analysis.tree_shape import Numbers
from bootlab.tracing.symbols import BUCKETS, bare

# init/main.c: do_one_initcall(), of kernels from 2.6.27 on.
_AROUND_INITCALLS = frozenset(
    (
        *("initcall_blacklisted", "trace_initcall_start_cb", "trace_initcall_finish_cb", "trace_initcall_level"),
        *("do_trace_initcall_start", "do_trace_initcall_finish", "do_one_initcall_debug", "ktime_get"),
        *("add_device_randomness", "add_latent_entropy", "_printk", "printk", "sprintf", "strlcat", "__warn_printk"),
    )
)


class FunctionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One function. `time_ns`: with its callees, each instruction once under recursion; `local_ns`: without them."""

    function: str
    count: int
    time_ns: int
    average_ns: int
    local_ns: int
    max_sub: str
    max_sub_count: int
    max_sub_ns: int
    wall_ns: int
    max_wall_ns: int


class CallTreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the call tree."""

    depth: int
    function: str
    count: int
    time_ns: int
    local_ns: int
    wall_ns: int


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the boot. The parts' instructions add up to all that were executed."""

    name: str
    insns: int
    ns: int


class InitcallRow(msgspec.Struct, frozen=True, kw_only=True):
    """One initcall, from entry to exit on the virtual clock."""

    function: str
    start_ns: int
    wall_ns: int
    whole: bool


class StretchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch in which something was held off, and the call chains in which it began and ended.

    `most`: where the longest run of one function without a call was, and `most_ns` how long that was.
    """

    start_ns: int
    length_ns: int
    began: tuple[str, ...]
    ended: tuple[str, ...]
    most: tuple[str, ...]
    most_ns: int


def functions(trace: FunctionTrace) -> list[FunctionRow]:
    """Return every function that was called or executed, the longest first."""
    n = len(trace.names)
    shift = trace.head.shift
    function = trace.function

    def summed(values: Numbers, mask: NDArray[np.bool_] | None = None) -> Numbers:
        out = np.zeros(n, dtype=np.int64)
        np.add.at(out, function if mask is None else function[mask], values if mask is None else values[mask])
        return out

    counts = summed(trace.nodes["count"])
    local = summed((trace.self_insns << shift) + trace.nodes["idle_ns"])
    inclusive = (trace.total_insns << shift) + trace.idle_ns
    total = summed(inclusive, trace.top_of_kind)
    wall = summed(trace.nodes["wall_ns"], trace.top_of_kind)
    longest = np.zeros(n, dtype=np.int64)
    np.maximum.at(longest, function, trace.nodes["max_wall_ns"])
    sub, sub_count, sub_ns = _largest_callees(trace, inclusive)
    rows = []
    for number in np.flatnonzero((counts > 0) | (local > 0)):
        count = int(counts[number])
        rows.append(
            FunctionRow(
                function=trace.names[number],
                count=count,
                time_ns=int(total[number]),
                average_ns=int(total[number]) // max(1, count),
                local_ns=int(local[number]),
                max_sub=trace.names[sub[number]] if sub_count[number] else "",
                max_sub_count=int(sub_count[number]),
                max_sub_ns=int(sub_ns[number]),
                wall_ns=int(wall[number]),
                max_wall_ns=int(longest[number]),
            )
        )
    rows.sort(key=lambda row: (-row.time_ns, row.function))
    return rows


def _largest_callees(trace: FunctionTrace, inclusive: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return for each function its callee with the largest total, how often it called it and for how long."""
    n = len(trace.names)
    edges = trace.function[trace.parent] * n + trace.function
    kept = np.flatnonzero((trace.parent > IRQ_ROOT) & (trace.function[trace.parent] != trace.function))
    keys, inverse = np.unique(edges[kept], return_inverse=True)
    times = np.zeros(len(keys), dtype=np.int64)
    calls = np.zeros(len(keys), dtype=np.int64)
    np.add.at(times, inverse, inclusive[kept])
    np.add.at(calls, inverse, trace.nodes["count"][kept])
    sub, count, ns = (np.zeros(n, dtype=np.int64) for _ in range(3))
    order = np.argsort(times, kind="stable")
    caller = keys[order] // n
    # The last write wins: the largest.
    sub[caller], count[caller], ns[caller] = keys[order] % n, calls[order], times[order]
    return sub, count, ns


def buckets(trace: FunctionTrace) -> list[Bucket]:
    """Return where the instructions went: firmware, decompressor, kernel, interrupts, user space; and idle time."""
    under_irq = trace.under_irq
    outside = trace.function < 4
    rows = [(BUCKETS[n].strip("[]"), int(trace.self_insns[trace.function == n].sum())) for n in range(4)]
    rows.append(("kernel", int(trace.self_insns[~outside & ~under_irq].sum())))
    rows.append(("kernel, interrupts", int(trace.self_insns[~outside & under_irq].sum())))
    found = [Bucket(name=name, insns=insns, ns=trace.ns(insns)) for name, insns in rows]
    found.append(Bucket(name="idle", insns=0, ns=trace.head.idle_ns))
    if trace.head.unexplained_ns:
        found.append(Bucket(name="clock moved without instructions", insns=0, ns=trace.head.unexplained_ns))
    return found


def tree(
    trace: FunctionTrace, *, root: str | None = None, min_ns: int = 1_000_000, depth: int = 12, limit: int = 400
) -> list[CallTreeRow]:
    """Return the call tree in the order to print, the longest callee first; `root`: below that function only."""
    shift = trace.head.shift
    inclusive = (trace.total_insns << shift) + trace.idle_ns
    kept = np.flatnonzero(inclusive >= max(1, min_ns))
    children: dict[int, list[int]] = {}
    for node in kept[np.argsort(-inclusive[kept], kind="stable")]:
        children.setdefault(int(trace.parent[node]), []).append(int(node))
    if root is None:
        start = children.get(ROOT, [])
    else:
        wanted = [number for number, name in enumerate(trace.names) if root in {name, bare(name)}]
        start = [int(n) for n in kept if trace.function[n] in wanted and trace.top_of_kind[n]]
        start.sort(key=lambda node: -int(inclusive[node]))
    rows: list[CallTreeRow] = []
    stack = [(node, 0) for node in reversed(start)]
    while stack and len(rows) < limit:
        node, level = stack.pop()
        rows.append(
            CallTreeRow(
                depth=level,
                function=trace.name(node),
                count=int(trace.nodes["count"][node]),
                time_ns=int(inclusive[node]),
                local_ns=(int(trace.self_insns[node]) << shift) + int(trace.nodes["idle_ns"][node]),
                wall_ns=int(trace.nodes["wall_ns"][node]),
            )
        )
        if level + 1 < depth:
            stack += [(child, level + 1) for child in reversed(children.get(node, []))]
    return rows


def initcalls(trace: FunctionTrace) -> list[InitcallRow]:
    """Return the initcalls in their order: what do_one_initcall called, but for what it calls around each of them."""
    rows = [
        InitcallRow(
            function=trace.name(int(span["node"])),
            start_ns=int(span["start_ns"]),
            wall_ns=int(span["end_ns"] - span["start_ns"]),
            whole=not span["flags"] & SPAN_OPEN,
        )
        for span in trace.spans[(trace.spans["flags"] & SPAN_INITCALL) != 0]
        if trace.name(int(span["node"])) not in _AROUND_INITCALLS
    ]
    rows.sort(key=lambda row: row.start_ns)
    return rows


def stretches(trace: FunctionTrace, table: Table, limit: int = 20) -> list[StretchRow]:
    """Return the longest stretches of one of the tables of `FunctionTrace.held`, the longest first."""
    order = np.argsort(-table["length_ns"], kind="stable")[:limit]
    return [
        StretchRow(
            start_ns=int(row["start_ns"]),
            length_ns=int(row["length_ns"]),
            began=trace.chain(int(row["start_node"]))[-4:],
            ended=trace.chain(int(row["end_node"]))[-4:],
            most=trace.chain(int(row["most_node"]))[-5:],
            most_ns=int(row["most_ns"]),
        )
        for row in table[order]
    ]
