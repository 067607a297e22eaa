"""A function trace for other programs: folded stacks, speedscope, and tracks of spans for Perfetto."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec
import numpy as np

from bootlab.analysis.call_tree import SPAN_OPEN, TASK_BOOT, TASK_MAIN, FunctionTrace
from bootlab.views.shown_text import visible
from bootlab.views.timeline import tracks


def folded(trace: FunctionTrace) -> str:
    """Return one line a call path, `outer;inner nanoseconds` (Brendan Gregg's flamegraph.pl)."""
    frames = (([visible(name, 200).replace(";", ":") for name in path], ns) for path, ns in _paths(trace))
    return "".join(f"{';'.join(path)} {ns}\n" for path, ns in frames)


def speedscope(trace: FunctionTrace, name: str) -> bytes:
    """Return a sampled profile in speedscope's file format (https://www.speedscope.app/file-format-schema.json)."""
    numbers: dict[str, int] = {}
    samples: list[list[int]] = []
    weights: list[int] = []
    for path, ns in _paths(trace):
        samples.append([numbers.setdefault(function, len(numbers)) for function in path])
        weights.append(ns)
    return msgspec.json.encode(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "exporter": "bootlab",
            "name": name,
            "shared": {"frames": [{"name": visible(function, 200)} for function in numbers]},
            "profiles": [
                {
                    "type": "sampled",
                    "name": f"{name} (virtual clock)",
                    "unit": "nanoseconds",
                    "startValue": 0,
                    "endValue": sum(weights),
                    "samples": samples,
                    "weights": weights,
                }
            ],
        }
    )


def span_tracks(trace: FunctionTrace, name: str) -> tracks.Trace:
    """Return the spans with one track a task, those of interrupts on a track of their own."""
    process = f"{name} (virtual clock)"
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
        found.append(tracks.Track(process=process, name=label, slices=tuple(slices)))
    notes = (f"{trace.head.dropped_spans} spans left out",) if trace.head.dropped_spans else ()
    return tracks.Trace(tracks=tuple(found), notes=notes)


def _task_name(trace: FunctionTrace, task: int) -> str:
    row = trace.tasks[task]
    if row["flags"] & TASK_BOOT:
        return f"task {task}: start_kernel"
    if row["flags"] & TASK_MAIN:
        return f"task {task}: init"
    return f"task {task}: {visible(trace.names[int(row['function'])], 80)}"


def _paths(trace: FunctionTrace) -> Iterator[tuple[tuple[str, ...], int]]:
    own = (trace.self_insns << trace.head.shift) + trace.nodes["idle_ns"]
    for node in np.flatnonzero(own > 0):
        yield trace.chain(int(node)), int(own[node])
