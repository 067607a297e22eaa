"""Reads the trace plugin's file (qemu-plugin/trace-file.h): the call tree, spans, tasks, interrupts-off stretches."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.errors import UserError
from bootlab.targets.trace_boot import FUNCTIONS_FILE, TRACE_FILE
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
ROOT, IRQ_ROOT, CUT_ROOT = 1, 2, 3
SPAN_OPEN, SPAN_INITCALL = 1, 2
TASK_MAIN, TASK_BOOT = 1, 2

Table = NDArray[Any]
Numbers = NDArray[np.int64]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of the trace. `unmatched`: returns that found no frame; `cut_calls`: calls without their chain."""

    version: int
    shift: int
    start_insns: int
    end_insns: int
    start_ns: int
    end_ns: int
    idle_ns: int
    unexplained_ns: int
    complete: int
    calls: int
    returns: int
    tail_calls: int
    entries: int
    switches: int
    unmatched: int
    lost_frames: int
    deep_frames: int
    cut_calls: int
    dropped_spans: int
    direct_reads: int
    checks: int
    mismatches: int
    slow_blocks: int
    n_nodes: int
    n_spans: int
    n_tasks: int
    n_irq_off: int
    n_functions: int

    @property
    def insns(self) -> int:
        """Instructions executed between start and end."""
        return self.end_insns - self.start_insns


class FunctionTrace:
    """One trace. Node 0 is nobody, 1 the root, 2 the root of interrupts; parents come before their children."""

    def __init__(
        self, head: Head, names: tuple[str, ...], nodes: Table, spans: Table, tasks: Table, irq_off: Table
    ) -> None:
        """Take tables that `load` has checked."""
        self.head = head
        self.names = names
        self.nodes = nodes
        self.spans = spans
        self.tasks = tasks
        self.irq_off = irq_off
        self.function: Numbers = nodes["function"].astype(np.int64)
        self.parent: Numbers = nodes["parent"].astype(np.int64)
        self.depth = _depths(self.parent)
        self.self_insns: Numbers = nodes["self_insns"].astype(np.int64)
        self.total_insns = self.rolled_up(self.self_insns)
        self.idle_ns = self.rolled_up(nodes["idle_ns"].astype(np.int64))
        self.top_of_kind = self._first_of_function()

    def rolled_up(self, own: Numbers) -> Numbers:
        """Return each node's value with those of all nodes below it."""
        total = own.copy()
        for level in range(int(self.depth.max(initial=0)), 0, -1):
            at = np.flatnonzero(self.depth == level)
            np.add.at(total, self.parent[at], total[at])
        return total

    def _first_of_function(self) -> NDArray[np.bool_]:
        """Tell which nodes have no caller of the same function: only those count towards a function's total."""
        first = np.ones(len(self.function), dtype=bool)
        above = self.parent.copy()
        while above.any():
            first &= (self.function[above] != self.function) | (above == 0)
            above = self.parent[above]
        return first

    def name(self, node: int) -> str:
        """Return the function's name of a node."""
        return self.names[int(self.function[node])]

    def chain(self, node: int) -> tuple[str, ...]:
        """Return the names from the outermost caller to a node, without the roots."""
        names: list[str] = []
        while node > CUT_ROOT:
            names.append(self.name(node))
            node = int(self.parent[node])
        return tuple(reversed(names))

    def ns(self, insns: int) -> int:
        """Return the virtual time of instructions."""
        return insns << self.head.shift


def _depths(parent: Numbers) -> Numbers:
    depth = np.zeros(len(parent), dtype=np.int64)
    above = parent.copy()
    while above.any():
        depth += above > 0
        above = parent[above]
    return depth


def load(folder: Path) -> FunctionTrace:
    """Read the trace of a recording. Raise UserError when there is none, or when it is damaged."""
    path = folder / TRACE_FILE
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
