# SPDX-License-Identifier: MIT
"""How much of a program's time it spent in its own code, from turns on the processor and entries into the kernel."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from bootlab.analysis.call_tree import IRQ_ROOT, FunctionTrace
from bootlab.tracing.symbols import BUCKETS


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One task on the processor without a break, virtual nanoseconds. `task` tells tasks of one name apart."""

    name: str
    task: int
    start_ns: int
    end_ns: int


def own_ns(trace: FunctionTrace, turns: Iterable[Turn]) -> int | None:
    """Return what tasks executed outside of the kernel in their turns; None where the trace lost spans.

    The trace must hold every call that a program makes into the kernel: `TraceRequest(min_ns=0, depth=2)`.
    """
    if trace.head.dropped_spans:
        return None
    spans = trace.spans
    user = BUCKETS.index("[user space]")
    above = trace.parent[spans["node"]]
    entering = (spans["depth"] == 1) & ((trace.function[above] == user) | (above == IRQ_ROOT))
    # On its way to the first instruction of a program, a new task is in the kernel without having entered it.
    outside: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in spans[(spans["depth"] == 0) & (trace.function[spans["node"]] == user)]:
        outside[int(row["task"])].append((int(row["start_ns"]), int(row["end_ns"])))
    entries: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    starts: list[tuple[int, int]] = []
    for row in spans[entering]:
        entries[int(row["task"])].append((int(row["start_ns"]), int(row["end_ns"])))
        starts.append((int(row["start_ns"]), int(row["task"])))
    starts.sort()
    by_task: defaultdict[int, list[Turn]] = defaultdict(list)
    for turn in turns:
        by_task[turn.task].append(turn)
    total_ns = 0
    for own in by_task.values():
        own.sort(key=lambda turn: turn.start_ns)
        # Only who is running enters the kernel: that tells which of the trace's tasks this is.
        seen = Counter(_tasks_entering(starts, own))
        if seen:
            task = seen.most_common(1)[0][0]
            total_ns += _overlap(_without(outside[task], entries[task]), own)
    return total_ns


def _tasks_entering(starts: Sequence[tuple[int, int]], turns: Sequence[Turn]) -> list[int]:
    found: list[int] = []
    at = 0
    for turn in turns:
        while at < len(starts) and starts[at][0] < turn.start_ns:
            at += 1
        while at < len(starts) and starts[at][0] < turn.end_ns:
            found.append(starts[at][1])
            at += 1
    return found


def _without(spans: Sequence[tuple[int, int]], holes: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what is left of spans, one after another; an interrupt's hole may lie inside of a system call's."""
    left: list[tuple[int, int]] = []
    ordered = sorted(holes)
    at = 0
    for start, end in sorted(spans):
        while at < len(ordered) and ordered[at][1] <= start:
            at += 1
        k, here = at, start
        while k < len(ordered) and ordered[k][0] < end:
            if ordered[k][0] > here:
                left.append((here, ordered[k][0]))
            here = max(here, ordered[k][1])
            k += 1
        if here < end:
            left.append((here, end))
    return left


def _overlap(entries: Sequence[tuple[int, int]], turns: Sequence[Turn]) -> int:
    """Return how long entries, one after another, overlap turns, one after another."""
    total = at = 0
    for turn in turns:
        while at < len(entries) and entries[at][1] <= turn.start_ns:
            at += 1
        k = at
        while k < len(entries) and entries[k][0] < turn.end_ns:
            total += min(entries[k][1], turn.end_ns) - max(entries[k][0], turn.start_ns)
            k += 1
    return total
