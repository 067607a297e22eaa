# SPDX-License-Identifier: MIT
"""Takes the call tree of a boot apart into things that a person can name: an initcall, a thread, a step of the start.

Every instruction is in exactly one of them.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
import numpy as np

from bootlab.analysis.call_tree import CUT_ROOT, IRQ_ROOT, ROOT, FunctionTrace
from bootlab.kernelsource.resolve import as_in_source
from bootlab.tracing.symbols import BUCKETS

ItemKind = Literal["stage", "start", "initcall", "work", "thread", "user", "interrupts", "between", "idle"]

_STAGES = {BUCKETS[0]: "firmware", BUCKETS[1]: "kernel set-up", BUCKETS[2]: "decompressor"}
_USER = BUCKETS[3]
# fs/read_write.c, fs/ioctl.c
_WRITES = re.compile(r"ksys_write|ksys_pwrite64|do_writev|__(?:x64|arm64|riscv|se)_sys_ioctl|sys_ioctl")

# Functions whose callees are things of their own: init/main.c, head and setup of arch/*/kernel, kernel/kthread.c,
# kernel/workqueue.c, kernel/async.c
_OPEN = frozenset(
    (
        *(
            "startup_64",
            "secondary_startup_64",
            "secondary_startup_64_no_verify",
            "x86_64_start_kernel",
            "pvh_start_xen",
        ),
        *("x86_64_start_reservations", "start_kernel", "setup_arch", "rest_init", "arch_call_rest_init", "mm_init"),
        *(
            "mm_core_init",
            "arch_cpu_finalize_init",
            "check_bugs",
            "x86_late_time_init",
            "kernel_init",
            "do_basic_setup",
        ),
        *("kernel_init_freeable", "do_initcalls", "do_initcall_level", "do_pre_smp_initcalls", "do_one_initcall"),
        *("primary_entry", "__primary_switch", "__primary_switched", "stext", "__mmap_switched", "_start_kernel"),
        *("__enable_mmu", "__turn_mmu_on", "__turn_mmu_on_loc", "finalise_el2"),
        *("ret_from_fork", "ret_from_fork_asm", "ret_from_kernel_thread", "ret_from_fork_kernel", "kthread"),
        *("worker_thread", "process_one_work", "process_scheduled_works", "async_run_entry_fn", "smp_prepare_cpus"),
        *("native_smp_prepare_cpus", "[kernel, no symbol]", "[tasks]", "[init]"),
    )
)
# They run once, called by nobody but others of `_OPEN`: where the tree says otherwise, code that a trace cannot follow
# (arm64's calls of its hypervisor part, which return by eret) has turned callers into callees.
_ONCE = frozenset(("start_kernel", "kernel_init", "kernel_init_freeable", "do_basic_setup", "do_initcalls"))
_CALLERS: tuple[tuple[ItemKind, frozenset[str]], ...] = (
    ("initcall", frozenset(("do_one_initcall",))),
    ("work", frozenset(("process_one_work", "async_run_entry_fn"))),
    ("thread", frozenset(("kthread",))),
)
_IDLE_TASK = ("start", "cpu_startup_entry")
_FORKED = frozenset(("ret_from_fork", "ret_from_fork_asm", "ret_from_fork_user"))
_OF_FORKED = frozenset(("kthread", "kernel_init", "kthreadd", "ret_from_fork", "schedule_tail"))


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A named thing of a boot. `between`: a function that calls such things, without them."""

    kind: ItemKind
    name: str
    ns: int

    @property
    def title(self) -> str:
        """The name with its kind, for people."""
        return {
            "stage": self.name,
            "start": f"start of the kernel: {self.name}",
            "initcall": f"initcall {self.name}",
            "work": f"deferred work {self.name}",
            "thread": f"kernel thread {self.name}",
            "user": "programs",
            "interrupts": "interrupts",
            "between": "the frame of the kernel's start",
            "idle": "waits: nothing could run until a device or a timer was ready",
        }[self.kind]


def items_of(trace: FunctionTrace) -> tuple[Item, ...]:
    """Return the items, the longest first. What the idle task waited is an item of its own."""
    parent, function = trace.parent.tolist(), trace.function.tolist()
    names = [as_in_source(name) for name in trace.names]
    own = (trace.self_insns << trace.head.shift).tolist()
    idle = trace.nodes["idle_ns"].tolist()
    what: list[tuple[ItemKind, str]] = [("between", "")] * len(parent)
    # Whether a node's callees are items of their own.
    opened = [False] * len(parent)
    opened[ROOT] = opened[0] = True
    sums: dict[tuple[ItemKind, str], int] = {}
    for node in range(len(parent)):
        if node in {0, ROOT}:
            item: tuple[ItemKind, str] = ("between", "")
        elif node == IRQ_ROOT:
            item = ("interrupts", "")
        elif node == CUT_ROOT:
            item = ("between", "")
        else:
            above = parent[node]
            name = names[function[node]]
            if opened[above] or name in _ONCE:
                item = _named(name, names[function[above]] if above > CUT_ROOT else "")
                opened[node] = name in _OPEN and item[0] == "between"
            else:
                item = what[above]
        what[node] = item
        sums[item] = sums.get(item, 0) + own[node]
        if idle[node]:
            waiter: tuple[ItemKind, str] = ("idle", "") if item == _IDLE_TASK else item
            sums[waiter] = sums.get(waiter, 0) + idle[node]
    found = [Item(kind=kind, name=name, ns=ns) for (kind, name), ns in sums.items() if ns]
    return tuple(sorted(found, key=lambda item: (-item.ns, item.kind, item.name)))


def under_writes(trace: FunctionTrace) -> frozenset[str]:
    """Return names of the kernel's functions that ran when programs wrote something or asked a device."""
    writes = np.fromiter((_WRITES.fullmatch(n) is not None for n in trace.names), dtype=bool, count=len(trace.names))
    nodes = trace.shape.under(writes[trace.function])
    return frozenset(as_in_source(trace.names[number]) for number in set(trace.function[nodes].tolist()))


def _named(name: str, above: str) -> tuple[ItemKind, str]:
    if name in _STAGES:
        return "stage", _STAGES[name]
    # What a new process does in the kernel before its first instruction is the program's too.
    if name == _USER or (above in _FORKED and name not in _OF_FORKED):
        return "user", ""
    if name in _OPEN:
        return "between", ""
    return next((kind for kind, callers in _CALLERS if above in callers), "start"), name
