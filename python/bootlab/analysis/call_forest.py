# SPDX-License-Identifier: MIT
"""Call paths of all tasks of one trace, of a boot of ours or of anybody's file: what flame graphs and differences take.

Node 0 is the whole, its children are the tasks, below them stand the functions. Time in which the processor stood
still, or in which others ran, is a node of its own under the path that waited, so it never hides in a function.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from bootlab.analysis.call_tree import CUT_ROOT, IRQ_ROOT, ROOT, TASK_BOOT, FunctionTrace
from bootlab.analysis.tree_shape import Flags, Numbers, TreeShape
from bootlab.tracing.symbols import BUCKETS

IDLE = "[idle]"
SWITCHED_OUT = "[switched out]"
INTERRUPTS = "[interrupts]"
WAITS = frozenset({IDLE, SWITCHED_OUT})
"""Names of nodes that are no work."""

# init/main.c: the task that becomes init. Its entry names it; `kthread` names the others by what they run.
_INIT = "kernel_init"
_NAMING_LEVELS = 3
# kernel/kthread.c: what kthread() calls around the function of the thread, from 2.6.37 on.
_KTHREAD = "kthread"
_AROUND_THREADS = frozenset(
    (
        *("sched_setscheduler_nocheck", "sched_setscheduler", "set_cpus_allowed_ptr", "set_user_nice", "complete"),
        *("schedule", "schedule_preempt_disabled", "preempt_schedule", "__kthread_parkme", "kthread_exit", "do_exit"),
        *("cgroup_kthread_ready", "kfree", "kmalloc_trace", "kzalloc", "vsnprintf", "snprintf", "__set_task_comm"),
        *("_raw_spin_lock", "_raw_spin_unlock", "_raw_spin_lock_irq", "_raw_spin_unlock_irq", "housekeeping_cpumask"),
        *("make_task_dead", "kthread_affine_node", "kthread_fetch_affinity", "free_kthread_struct"),
    )
)


class FunctionTotal(msgspec.Struct, frozen=True, kw_only=True):
    """One function over all paths, each weight once under recursion. `wait`: standing still below it."""

    function: str
    count: int
    own: int
    total: int
    wait: int


class CallForest:
    """Paths with their own weight (`unit`: ns, or instructions or samples where the trace has no time)."""

    def __init__(
        self,
        names: Sequence[str],
        parent: Numbers,
        function: Numbers,
        count: Numbers,
        own: Numbers,
        *,
        clock: str,
        unit: str = "ns",
    ) -> None:
        """Take arrays of one length; parents stand before their children."""
        self.names = tuple(names)
        self.parent, self.function, self.count, self.own = parent, function, count, own
        self.clock, self.unit = clock, unit
        self.shape = TreeShape(parent)
        waits = np.fromiter((name in WAITS for name in self.names), dtype=bool, count=len(self.names))
        self.is_wait: Flags = waits[function]
        self.total = self.shape.rolled_up(np.where(self.is_wait, 0, own))
        self.wait = self.shape.rolled_up(np.where(self.is_wait, own, 0))

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.parent)

    def name(self, node: int) -> str:
        """Return the name of a node."""
        return self.names[int(self.function[node])]

    def functions(self) -> dict[str, FunctionTotal]:
        """Return every function; tasks and waits are none."""
        n = len(self.names)
        real = (self.shape.depth > 1) & ~self.is_wait
        marked = np.where(self.shape.depth > 1, self.function, n)
        first = real & self.shape.first_of(marked)

        def summed(values: Numbers, mask: Flags) -> Numbers:
            out = np.zeros(n, dtype=np.int64)
            np.add.at(out, self.function[mask], values[mask])
            return out

        count, own = summed(self.count, real), summed(self.own, real)
        total, wait = summed(self.total, first), summed(self.wait, first)
        return {
            self.names[f]: FunctionTotal(
                function=self.names[f], count=int(count[f]), own=int(own[f]), total=int(total[f]), wait=int(wait[f])
            )
            for f in np.unique(self.function[real])
        }


class ForestBuilder:
    """Takes nodes one by one, or finds one again by its name below its parent."""

    def __init__(self) -> None:
        """Start with the whole."""
        self._names: dict[str, int] = {"": 0}
        self._known: dict[tuple[int, int], int] = {}
        self.parent: list[int] = [0]
        self.function: list[int] = [0]

    def child(self, parent: int, name: str) -> int:
        """Return the node of a name below a parent, a new one if there is none yet."""
        function = self._names.setdefault(name, len(self._names))
        node = self._known.setdefault((parent, function), len(self.parent))
        if node == len(self.parent):
            self.parent.append(parent)
            self.function.append(function)
        return node

    def forest(
        self, count: Sequence[int] | Numbers, own: Sequence[int] | Numbers, *, clock: str, unit: str
    ) -> CallForest:
        """Return the forest, with the count and the own weight of each node."""
        arrays = (np.array(values, dtype=np.int64) for values in (self.parent, self.function, count, own))
        return CallForest(tuple(self._names), *arrays, clock=clock, unit=unit)


def of_trace(trace: FunctionTrace) -> CallForest:
    """Return the paths of a traced boot. Tasks of one name (kernel threads by what they run) are one."""
    task = _task_of_nodes(trace)
    own = trace.self_insns << trace.head.shift
    idle = trace.nodes["idle_ns"]
    count = trace.nodes["count"]
    made = ForestBuilder()
    counts, weights = [0], [0]
    place: dict[tuple[str, int], int] = {}

    def put(label: str, node: int) -> int:
        """Return the place of a node's path in a task, with the paths above it; what is new has no weight yet."""
        found = place.get((label, node))
        if found is None:
            above = int(trace.parent[node])
            if node <= CUT_ROOT or above == 0:
                found = made.child(0, label)
            else:
                found = made.child(put(label, above), trace.name(node))
            place[label, node] = found
            grow(found)
        return found

    def grow(node: int) -> None:
        while len(counts) <= node:
            counts.append(0)
            weights.append(0)

    for node in range(ROOT + 1, len(trace.parent)):
        at = put(task[node], node)
        counts[at] += int(count[node])
        weights[at] += int(own[node])
        if idle[node]:
            waiting = made.child(at, IDLE)
            grow(waiting)
            weights[waiting] += int(idle[node])
    return made.forest(counts, weights, clock="virtual", unit="ns")


def of_columns(
    names: Sequence[str],
    parent: Sequence[int],
    function: Sequence[int],
    count: Sequence[int],
    own: Sequence[int],
    *,
    clock: str,
    unit: str,
) -> CallForest:
    """Return the paths of a trace that tells no tasks apart; `names[function[0]]` is the root's."""
    made = ForestBuilder()
    calls = made.child(0, "all tasks")
    place = [0] * len(parent)
    for node in range(1, len(parent)):
        name = names[function[node]]
        above = place[parent[node]]
        if parent[node] == 0:
            above = 0 if name == INTERRUPTS else calls
        place[node] = made.child(above, name)
    counts, weights = np.zeros(len(made.parent), dtype=np.int64), np.zeros(len(made.parent), dtype=np.int64)
    np.add.at(counts, place, np.array(count, dtype=np.int64))
    np.add.at(weights, place, np.array(own, dtype=np.int64))
    return made.forest(counts, weights, clock=clock, unit=unit)


def _task_of_nodes(trace: FunctionTrace) -> list[str]:
    """Return the label of each node's task: a node has its parent's, but where a task's own function begins."""
    named = {int(f) for f in trace.tasks["function"][(trace.tasks["flags"] & TASK_BOOT) == 0]}
    named -= set(range(len(BUCKETS)))
    labels = [""] * len(trace.parent)
    for node in range(ROOT + 1, len(labels)):
        above, name = int(trace.parent[node]), trace.name(node)
        if node == IRQ_ROOT:
            labels[node] = "interrupts"
        elif node == CUT_ROOT:
            labels[node] = "calls without their callers (tree full)"
        elif above == ROOT:
            labels[node] = name.strip("[]") if name.startswith("[") else f"from {name}"
        elif trace.depth[node] > _NAMING_LEVELS or not labels[above].startswith("from "):
            labels[node] = labels[above]
        elif name == _INIT:
            labels[node] = "init"
        elif int(trace.function[node]) in named or (trace.name(above) == _KTHREAD and name not in _AROUND_THREADS):
            labels[node] = f"kernel thread {name}"
        else:
            labels[node] = labels[above]
    return labels
