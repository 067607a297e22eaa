"""Reads the trace plugin's file (qemu-plugin/trace-file.h): the call tree, spans, tasks, interrupts-off stretches."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from bootlab.analysis.call_tree import CUT_ROOT, ROOT, FunctionTrace, Head, Table
from bootlab.errors import UserError
from bootlab.targets.trace_boot import FUNCTIONS_FILE, PART_FILE, TRACE_FILE
from bootlab.targets.trace_symbols import BUCKETS

_MAGIC = b"BLTRACE\0"
_VERSION = 1
_FIELDS = (
    *("version", "shift", "start_insns", "end_insns", "start_ns", "end_ns", "idle_ns", "unexplained_ns", "complete"),
    *("calls", "returns", "tail_calls", "entries", "switches", "unmatched", "lost_frames", "deep_frames", "cut_calls"),
    *("dropped_spans", "direct_reads", "checks", "mismatches", "slow_blocks"),
    *("n_nodes", "n_spans", "n_tasks", "n_irq_off", "n_functions"),
)
_HEAD = struct.Struct(f"<8s{len(_FIELDS)}Q")
_NODE = np.dtype(
    [("function", "<u4"), ("parent", "<u4"), ("last_child", "<u4"), ("flags", "<u4")]
    + [(name, "<i8") for name in ("count", "self_insns", "wall_ns", "max_wall_ns", "idle_ns", "blocks_ns")]
)
_SPAN = np.dtype(
    [("start_ns", "<i8"), ("end_ns", "<i8"), ("node", "<u4"), ("task", "<u4"), ("depth", "<u4"), ("flags", "<u4")]
)
_TASK = np.dtype([("key", "<u8"), ("first_ns", "<i8"), ("insns", "<i8"), ("function", "<u4"), ("flags", "<u4")])
_IRQ_OFF = np.dtype([("start_ns", "<i8"), ("length_ns", "<i8"), ("start_node", "<u4"), ("end_node", "<u4")])


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
    head = Head(**dict(zip(_FIELDS, _HEAD.unpack_from(raw)[1:], strict=True)))
    if head.version != _VERSION:
        raise UserError(f"{where} is a version {head.version} trace", hint="trace the system again with this bootlab")
    sizes = ((_NODE, head.n_nodes), (_SPAN, head.n_spans), (_TASK, head.n_tasks), (_IRQ_OFF, head.n_irq_off))
    if len(raw) != _HEAD.size + sum(kind.itemsize * count for kind, count in sizes) or head.shift > 10:
        raise _damaged(where, "its length is wrong")
    tables: list[Table] = []
    at = _HEAD.size
    for kind, count in sizes:
        tables.append(np.frombuffer(raw, kind, count, at))
        at += kind.itemsize * count
    nodes, spans, tasks, irq_off = tables
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
        and bool((irq_off["start_node"] < len(nodes)).all() and (irq_off["end_node"] < len(nodes)).all())
    )
    if not good:
        raise _damaged(where, "it points outside of itself")
    return FunctionTrace(head, names, nodes, spans, tasks, irq_off)


def _damaged(where: str, why: str) -> UserError:
    return UserError(f"{where} is damaged: {why}", hint="trace the system again")
