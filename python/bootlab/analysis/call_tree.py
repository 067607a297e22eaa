"""The call tree of one boot: calls by the same chain of callers are one node; each instruction is in one node."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

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
