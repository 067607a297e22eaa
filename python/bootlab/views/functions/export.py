# SPDX-License-Identifier: MIT
"""A function trace for other programs: folded stacks, speedscope, and tracks of spans for Perfetto."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from bootlab import _core
from bootlab.analysis.call_tree import CUT_ROOT, SPAN_OPEN, TASK_BOOT, TASK_MAIN, FunctionTrace
from bootlab.analysis.tree_shape import Numbers
from bootlab.views.shown_text import visible
from bootlab.views.timeline import tracks

_CLOCK = "virtual clock"


def folded(trace: FunctionTrace, name: str, *, least_ns: int = 0) -> bytes:
    """Return one line a call path, `outer;inner nanoseconds` (Brendan Gregg's flamegraph.pl).

    A path that takes less than `least_ns` with all below it counts as its caller's own time: the sum stays.
    """
    return _encode("folded", trace, name, least_ns)


def speedscope(trace: FunctionTrace, name: str) -> bytes:
    """Return a sampled profile in speedscope's file format (https://www.speedscope.app/file-format-schema.json)."""
    return _encode("speedscope", trace, name)


def span_tracks(trace: FunctionTrace, name: str) -> tracks.Trace:
    """Return the spans with one track a task, those of interrupts on a track of their own."""
    lanes: dict[tuple[int, bool], list[tracks.Slice]] = defaultdict(list)
    under_irq = trace.under_irq
    for span in trace.spans:
        node = int(span["node"])
        chain = trace.chain(node)
        detail: tuple[tuple[str, str], ...] = (("callers", " > ".join(chain[-6:-1])),)
        if span["flags"] & SPAN_OPEN:
            detail = (*detail, ("end", "still running when the trace ended"))
        lanes[int(span["task"]), bool(under_irq[node])].append(
            tracks.Slice(
                name=visible(trace.name(node), 200),
                start_ns=int(span["start_ns"]),
                duration_ns=int(span["end_ns"] - span["start_ns"]),
                detail=detail,
            )
        )
    found = []
    for (task, in_irq), slices in sorted(lanes.items()):
        label = f"{_task_name(trace, task)}{' interrupts' if in_irq else ''}"
        found.append(tracks.Track(name=label, slices=tuple(slices)))
    notes = (f"{trace.head.dropped_spans} spans left out",) if trace.head.dropped_spans else ()
    process = tracks.TrackGroup(title=name, clock=_CLOCK, tracks=tuple(found))
    return tracks.Trace(processes=(process,), notes=notes)


def _task_name(trace: FunctionTrace, task: int) -> str:
    row = trace.tasks[task]
    if row["flags"] & TASK_BOOT:
        return f"task {task}: start_kernel"
    if row["flags"] & TASK_MAIN:
        return f"task {task}: init"
    return f"task {task}: {visible(trace.names[int(row['function'])], 80)}"


def _encode(kind: str, trace: FunctionTrace, name: str, least_ns: int = 0) -> bytes:
    own = np.maximum((trace.self_insns << trace.head.shift) + trace.nodes["idle_ns"], 0)
    # The roots are no callers: what has no other stands on the first level, and so do they.
    parents = np.where(trace.parent > CUT_ROOT, trace.parent, 0)
    if least_ns:
        own = _merged(own, parents, least_ns)
    return _core.export_call_tree(
        kind,
        name,
        _CLOCK,
        [visible(function, 200) for function in trace.names],
        parents.tolist(),
        trace.function.tolist(),
        own.tolist(),
    )


def _merged(own: Numbers, parents: Numbers, least_ns: int) -> Numbers:
    """Give the own time of small paths to their callers. A parent stands before its children."""
    total, kept = own.tolist(), own.tolist()
    for node in range(len(kept) - 1, 0, -1):
        parent = int(parents[node])
        if parent == 0:
            continue
        total[parent] += total[node]
        if total[node] < least_ns:
            kept[parent], kept[node] = kept[parent] + kept[node], 0
    return np.asarray(kept)
