"""Chrome's JSON trace event format (Trace Event Format, "JSON Object Format"): `X`, `i` and `M` events, times in us."""

from __future__ import annotations

from typing import Any

import msgspec

from bootlab.views.timeline.tracks import Trace


def encode(trace: Trace) -> bytes:
    """Write a trace for chrome://tracing, Perfetto or speedscope."""
    pids = {name: number for number, name in enumerate(trace.processes, 1)}
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}} for name, pid in pids.items()
    ]
    for tid, track in enumerate(trace.tracks, 1):
        at = {"pid": pids[track.process], "tid": tid}
        events.append({"ph": "M", "name": "thread_name", **at, "args": {"name": track.name}})
        events.append({"ph": "M", "name": "thread_sort_index", **at, "args": {"sort_index": tid}})
        events += [
            {
                "ph": "X",
                "name": s.name,
                "cat": track.name,
                **at,
                "ts": s.start_ns / 1000,
                "dur": s.duration_ns / 1000,
                "args": dict(s.detail),
            }
            for s in track.slices
        ]
        events += [
            {"ph": "i", "s": "t", "name": i.name, "cat": track.name, **at, "ts": i.ns / 1000, "args": dict(i.detail)}
            for i in track.instants
        ]
    document = {
        "displayTimeUnit": "ns",
        "otherData": {"format": "bootlab-trace", "version": "1", "notes": "; ".join(trace.notes)},
        "traceEvents": events,
    }
    return msgspec.json.encode(document)
