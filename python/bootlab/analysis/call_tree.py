# SPDX-License-Identifier: MIT
"""The call tree of one boot: calls by the same chain of callers are one node; each instruction is in one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.analysis.tree_shape import Flags, Numbers, TreeShape

ROOT, IRQ_ROOT, CUT_ROOT = 1, 2, 3
SPAN_OPEN, SPAN_INITCALL = 1, 2
TASK_MAIN, TASK_BOOT = 1, 2

_MAX_TASKS = 4096
_MAX_CODE = 65_536

Table = NDArray[Any]


class TraceTotals(msgspec.Struct, frozen=True, kw_only=True):
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
    n_code: int
    n_preempt_off: int
    n_turns: int

    @property
    def insns(self) -> int:
        """Instructions executed between start and end."""
        return self.end_insns - self.start_insns

    @property
    def limits_reached(self) -> tuple[str, ...]:
        """Say which limits of the plugin (qemu-plugin/trace-*.h) the trace ran into, and what it lacks for it."""
        said: list[str] = []
        if self.cut_calls:
            said.append(f"the call tree is full: {self.cut_calls:,} calls are shown without their callers")
        if self.deep_frames:
            said.append(f"{self.deep_frames:,} calls are deeper than 512 frames: the deepest one includes all below it")
        if self.dropped_spans:
            said.append(f"{self.dropped_spans:,} spans left out: the trace keeps 1,048,576")
        if self.n_tasks >= _MAX_TASKS:
            said.append(f"{_MAX_TASKS:,} tasks or more: all further ones count as one task")
        if self.n_code >= _MAX_CODE:
            said.append(f"{_MAX_CODE:,} blocks outside of the kernel or more: modules loaded late may not be found")
        return tuple(said)


class Held(NamedTuple):
    """Stretches in which something was held off: interrupts, preemption, other tasks (`turns`). The longest of each."""

    irq_off: Table
    preempt_off: Table
    turns: Table


class FunctionTrace:
    """One trace. Node 0 is nobody, 1 the root, 2 the root of interrupts; parents come before their children."""

    def __init__(
        self,
        head: TraceTotals,
        names: tuple[str, ...],
        nodes: Table,
        spans: Table,
        tasks: Table,
        held: Held,
        code: Sequence[tuple[int, bytes]] = (),
    ) -> None:
        """Take tables that `load` has checked. `code`: address and first bytes of blocks that no symbol covers."""
        self.head = head
        self.names = names
        self.nodes = nodes
        self.spans = spans
        self.tasks = tasks
        self.held = held
        self.code = code
        self.function: Numbers = nodes["function"].astype(np.int64)
        self.parent: Numbers = nodes["parent"].astype(np.int64)
        self.shape = TreeShape(self.parent)
        # Node 0 is nobody and node 1 the root: what a task calls first has depth 1.
        self.depth = np.maximum(self.shape.depth - 1, 0)
        self.self_insns: Numbers = nodes["self_insns"].astype(np.int64)
        self.total_insns = self.rolled_up(self.self_insns)
        self.idle_ns = self.rolled_up(nodes["idle_ns"].astype(np.int64))
        self.top_of_kind = self.shape.first_of(self.function)

    def rolled_up(self, own: Numbers) -> Numbers:
        """Return each node's value with those of all nodes below it."""
        total = self.shape.rolled_up(own)
        total[0] = own[0]
        return total

    @property
    def under_irq(self) -> Flags:
        """Tell which nodes ran in interrupts, which are no part of what they interrupted."""
        return self.shape.under(np.arange(len(self.parent)) == IRQ_ROOT)

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
