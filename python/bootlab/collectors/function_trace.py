# SPDX-License-Identifier: MIT
"""Reads the trace plugin's file (qemu-plugin/trace-file.h): the call tree, spans, tasks, interrupts-off stretches."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from bootlab.analysis.call_tree import CUT_ROOT, ROOT, FunctionTrace, Held, Table, TraceTotals
from bootlab.errors import UserError
from bootlab.tracing.boot import FUNCTIONS_FILE, PART_FILE, TRACE_FILE
from bootlab.tracing.symbols import BUCKETS

_MAGIC = b"BLTRACE\0"
_VERSION = 2
_FIELDS = (
    *("version", "shift", "start_insns", "end_insns", "start_ns", "end_ns", "idle_ns", "unexplained_ns", "complete"),
    *("calls", "returns", "tail_calls", "entries", "switches", "unmatched", "lost_frames", "deep_frames", "cut_calls"),
    *("dropped_spans", "direct_reads", "checks", "mismatches", "slow_blocks"),
    *("n_nodes", "n_spans", "n_tasks", "n_irq_off", "n_functions", "n_code", "n_preempt_off"),
    "n_turns",
)
_HEAD = struct.Struct(f"<8s{len(_FIELDS)}Q")
NODE = np.dtype(
    [("function", "<u4"), ("parent", "<u4"), ("last_child", "<u4"), ("flags", "<u4")]
    + [(name, "<i8") for name in ("count", "self_insns", "wall_ns", "max_wall_ns", "idle_ns", "blocks_ns")]
)
SPAN = np.dtype(
    [("start_ns", "<i8"), ("end_ns", "<i8"), ("node", "<u4"), ("task", "<u4"), ("depth", "<u4"), ("flags", "<u4")]
)
TASK = np.dtype([("key", "<u8"), ("first_ns", "<i8"), ("insns", "<i8"), ("function", "<u4"), ("flags", "<u4")])
STRETCH = np.dtype(
    [
        *(("start_ns", "<i8"), ("length_ns", "<i8"), ("start_node", "<u4"), ("end_node", "<u4")),
        *(("most_ns", "<i8"), ("most_node", "<i8")),
    ]
)
_CODE = np.dtype([("at", "<u8"), ("n_bytes", "<u8"), ("bytes", "V48")])


def load(folder: Path) -> FunctionTrace:
    """Read the trace of a recording, or what was traced when QEMU was killed: its head is not `complete` then.

    Raise UserError when there is none, or when it is damaged.
    """
    path = folder / TRACE_FILE
    if not path.exists() and (folder / PART_FILE).exists():
        path = folder / PART_FILE
    try:
        raw = path.read_bytes()
        names = tuple((folder / FUNCTIONS_FILE).read_text(encoding="utf-8", errors="replace").split("\n"))
    except OSError as fault:
        raise UserError(
            f"{folder} has no function trace: {fault.strerror or fault}", hint="`bootlab trace SYSTEM.toml` makes one"
        ) from fault
    return parse(raw, names, str(path))


def parse(raw: bytes, names: tuple[str, ...], where: str = "the trace") -> FunctionTrace:
    """Read a trace; every number in it is checked before it is used as an index."""
    if len(raw) < _HEAD.size or raw[:8] != _MAGIC:
        raise _damaged(where, "it does not begin as one")
    head = TraceTotals(**dict(zip(_FIELDS, _HEAD.unpack_from(raw)[1:], strict=True)))
    if head.version != _VERSION:
        raise UserError(f"{where} is a version {head.version} trace", hint="trace the system again with this bootlab")
    sizes: tuple[tuple[np.dtype[np.void], int], ...] = (
        (NODE, head.n_nodes),
        (SPAN, head.n_spans),
        (TASK, head.n_tasks),
        (STRETCH, head.n_irq_off),
    )
    sizes += ((_CODE, head.n_code), (STRETCH, head.n_preempt_off), (STRETCH, head.n_turns))
    if len(raw) != _HEAD.size + sum(kind.itemsize * count for kind, count in sizes) or head.shift > 10:
        raise _damaged(where, "its length is wrong")
    tables: list[Table] = []
    at = _HEAD.size
    for kind, count in sizes:
        tables.append(np.frombuffer(raw, kind, count, at))
        at += kind.itemsize * count
    nodes, spans, tasks, irq_off, code, preempt_off, turns = tables
    functions = len(names)
    ordered = nodes["parent"][1:] < np.arange(1, len(nodes))
    good = (
        len(nodes) > CUT_ROOT
        and bool(ordered.all())
        and nodes["parent"][0] == 0
        and bool((nodes["parent"][ROOT + 1 :] > 0).all())
        and functions >= len(BUCKETS)
        and bool((nodes["function"] < functions).all())
        and bool((tasks["function"] < functions).all())
        and bool((spans["node"] < len(nodes)).all() and (spans["task"] < max(1, len(tasks))).all())
        and all(
            bool(((table[name] >= 0) & (table[name] < len(nodes))).all())
            for table in (irq_off, preempt_off, turns)
            for name in ("start_node", "end_node", "most_node")
        )
    )
    if not good:
        raise _damaged(where, "it points outside of itself")
    blocks = [(int(row["at"]), bytes(row["bytes"])[: int(row["n_bytes"])]) for row in code]
    held = Held(irq_off, preempt_off, turns)
    return FunctionTrace(head, names, nodes, spans, tasks, held, blocks)


def _damaged(where: str, why: str) -> UserError:
    return UserError(f"{where} is damaged: {why}", hint="trace the system again")
