# SPDX-License-Identifier: MIT
"""Finds in a traced boot what initcalls share: one-time costs that the first caller pays, and work that they queue."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict

import msgspec
import numpy as np

from bootlab.analysis.call_tree import CUT_ROOT, FunctionTrace
from bootlab.kernelsource.resolve import as_in_source
from bootlab.model.shared_cost import SharedCost

LEAST_NS = 2_000_000
_LATER_INSNS = 500
"""A guard that finds its work done returns within so many instructions."""
_MOST = 0.9
_INITCALLS = "do_one_initcall"
_AT_BOOT = "kernel_init_freeable"  # do_initcalls() and what is above it are inlined; modules come by another path
_WORKER = "process_one_work"
# kernel/workqueue.c: every way to queue work ends in one of these.
_QUEUES = frozenset(
    ("__queue_work", "queue_work_on", "queue_delayed_work_on", "queue_work_node", "mod_delayed_work_on")
)
_WORK_SUFFIX = re.compile(r"(_(work|worker|workfn|work_fn|work_func|func|fn|handler))+$")


def shared_costs(trace: FunctionTrace, *, least_ns: int = LEAST_NS) -> tuple[SharedCost, ...]:
    """Return the costs, the largest first."""
    initcall = _initcall_of_nodes(trace)
    found = [*_paid_once(trace, initcall, least_ns), *_queued(trace, initcall, least_ns)]
    return tuple(sorted(found, key=lambda c: (-c.cost_ns, c.function)))


def _initcall_of_nodes(trace: FunctionTrace) -> list[int]:
    """Return for each node the node of the built-in initcall that it ran in, itself included; 0: in none."""
    caller = {f for f, name in enumerate(trace.names) if name == _INITCALLS}
    parent, function = trace.parent.tolist(), trace.function.tolist()
    own = [0] * len(parent)
    for node in range(CUT_ROOT + 1, len(parent)):
        above = parent[node]
        if own[above]:
            own[node] = own[above]
        elif function[above] in caller and _AT_BOOT in trace.chain(above):
            own[node] = node
    return own


class _Calls(msgspec.Struct):
    """One function's calls below one initcall."""

    insns: int = 0
    count: int = 0
    nodes: list[int] = []


def _paid_once(trace: FunctionTrace, initcall: list[int], least_ns: int) -> list[SharedCost]:
    by_function: defaultdict[int, dict[int, _Calls]] = defaultdict(dict)
    counts = trace.nodes["count"].tolist()
    totals = trace.total_insns.tolist()
    functions = trace.function.tolist()
    top = trace.top_of_kind.tolist()
    for node, own in enumerate(initcall):
        if own in {0, node}:
            continue
        calls = by_function[functions[node]].setdefault(functions[own], _Calls())
        calls.count += counts[node]
        if top[node]:
            calls.insns += totals[node]
            calls.nodes.append(node)
    best: dict[str, SharedCost] = {}
    for function, callers in by_function.items():
        cost = _guarded(trace, function, callers, least_ns)
        if cost is None:
            continue
        # Every caller of the innermost guard pays, also those that come to it another way.
        known = best.get(cost.function)
        if known is None or (len(known.initcalls), -known.cost_ns) < (len(cost.initcalls), -cost.cost_ns):
            best[cost.function] = cost
    return list(best.values())


def _guarded(trace: FunctionTrace, function: int, callers: dict[int, _Calls], least_ns: int) -> SharedCost | None:
    if len(callers) < 2:
        return None
    payer, first = max(callers.items(), key=lambda item: item[1].insns)
    if trace.ns(first.insns) < least_ns:
        return None
    later = {f: c for f, c in callers.items() if f != payer}
    if any(c.insns > _LATER_INSNS * max(1, c.count) for c in later.values()):
        return None
    once = _ran_once(trace, first)
    if once is None:
        return None
    names = [trace.names[payer], *(trace.names[f] for f in later)]
    return SharedCost(
        kind="once",
        function=_plain(trace.name(once)),
        cost_ns=trace.ns(int(trace.total_insns[once])),
        initcalls=tuple(dict.fromkeys(_plain(n) for n in names)),
        guard=_plain(trace.names[function]),
    )


def _ran_once(trace: FunctionTrace, first: _Calls) -> int | None:
    """Return the callee that made up nearly all of the first call and ran a single time in the whole boot."""
    children = np.flatnonzero(np.isin(trace.parent, first.nodes))
    if not len(children):
        return None
    node = int(children[np.argmax(trace.total_insns[children])])
    same = trace.function == trace.function[node]
    once = int(trace.nodes["count"][same].sum()) == 1
    return node if once and int(trace.total_insns[node]) >= _MOST * first.insns else None


def _queued(trace: FunctionTrace, initcall: list[int], least_ns: int) -> list[SharedCost]:
    queues = {f for f, name in enumerate(trace.names) if name in _QUEUES}
    queueing = {
        _plain(trace.name(own)) for node, own in enumerate(initcall) if own and int(trace.function[node]) in queues
    }
    costs: defaultdict[str, int] = defaultdict(int)
    workers = {f for f, name in enumerate(trace.names) if name == _WORKER}
    for node in range(CUT_ROOT + 1, len(trace.parent)):
        if int(trace.function[trace.parent[node]]) in workers:
            costs[_plain(trace.name(node))] += trace.ns(int(trace.total_insns[node]))
    found = []
    for work, cost_ns in costs.items():
        owners = sorted(i for i in queueing if _named_alike(work, i))
        if cost_ns >= least_ns and owners:
            found.append(SharedCost(kind="work", function=work, cost_ns=cost_ns, initcalls=tuple(owners)))
    return found


def _named_alike(work: str, initcall: str) -> bool:
    """Tell whether a work function's name begins as an initcall's: by two words, or by all that it has but `work`.

    The call tree does not show who queued what; a boot without the initcall does.
    """
    words = _WORK_SUFFIX.sub("", work).split("_")
    pairs = zip(words, initcall.split("_"), strict=False)
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    return same >= min(2, len(words)) and len(words[0]) > 2


def _plain(name: str) -> str:
    return as_in_source(name)
