# SPDX-License-Identifier: MIT
"""The delay census: every wait of a boot by kind and caller chain, and whether it stands on the way to init."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
import numpy as np

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.tracing.rules import starts_task

WaitKind = Literal["busy", "sleep"]

# lib/delay, arch/*/lib/delay.c, init/calibrate.c, arch/x86/kernel/{tsc,apic/apic,apic/io_apic}.c, drivers/char/hpet.c
_BUSY = re.compile(
    r"delay_(tsc|loop|halt\w*|tpause|mwaitx)|(__)?(const_)?[unm]delay|__delay|__timer_delay|__loop_delay|"
    r"__udelay|__ndelay|calibrate_delay\w*|calibration_delay_done|setup_boot_APIC_clock|calibrate_APIC_clock|"
    r"timer_irq_works|quick_pit_calibrate|pit_(hpet_ptimer_)?calibrate\w*|native_calibrate_\w+|hpet_calibrate|"
    r"hpet_alloc|tsc_refine_calibration_work|__mdelay|lapic_cal_handler"
)
# kernel/time/timer.c, kernel/sched/{completion,wait,swait,wait_bit}.c, kernel/async.c, kernel/workqueue.c
_SLEEP = re.compile(
    r"schedule_timeout\w*|schedule_hrtimeout\w*|m?sleep(_interruptible)?|usleep_range\w*|fsleep|io_schedule\w*|"
    r"wait_for_completion\w*|__wait_for_common|wait_for_common\w*|wait_on_bit\w*|out_of_line_wait_on_\w+|"
    r"async_synchronize_\w+|wait_for_device_probe|wait_for_initramfs|flush_work|__flush_work\w*|__flush_workqueue|"
    r"synchronize_(rcu|srcu|sched|net|irq)\w*|__wait_rcu_gp|rcu_barrier\w*|do_wait|hrtimer_nanosleep|do_nanosleep|"
    r"mutex_lock_slowpath|__mutex_lock\w*|rwsem_down_\w+|__down_\w+|down_timeout"
)
# The threads whose waits hold init back.
_ON_PATH = frozenset({"kernel_init", "start_kernel", "startup_64", "x86_64_start_kernel", "[init]"})
_CHAIN = 5


class DelayWait(msgspec.Struct, frozen=True, kw_only=True):
    """Waits of one kind by one chain of callers.

    `time_ns`: executed (busy) or from entry to exit (sleep). `idle_ns`: the processor stood still meanwhile, waiting
    for init's task. `on_path`: True in the task that becomes init, False in a kernel thread, None in other user
    space and in interrupts, where the trace cannot tell.
    """

    kind: WaitKind
    function: str
    chain: tuple[str, ...]
    count: int
    time_ns: int
    idle_ns: int
    on_path: bool | None


def census(trace: FunctionTrace) -> list[DelayWait]:
    """Return every wait: those of kernel threads last, because nothing need wait for them; else the longest first.

    A wait inside a wait of its kind counts once, as the outer one.
    """
    found: dict[tuple[WaitKind, tuple[str, ...], bool | None], list[int]] = {}
    blocked = trace.rolled_up(trace.nodes["blocks_ns"].astype(np.int64))
    kinds: tuple[tuple[WaitKind, re.Pattern[str]], ...] = (("busy", _BUSY), ("sleep", _SLEEP))
    for kind, pattern in kinds:
        of_kind = np.fromiter((bool(pattern.fullmatch(n)) for n in trace.names), dtype=bool, count=len(trace.names))
        waits = of_kind[trace.function]
        inside = np.zeros(len(waits), dtype=bool)
        for level in range(1, int(trace.depth.max(initial=0)) + 1):
            at = np.flatnonzero(trace.depth == level)
            inside[at] = inside[trace.parent[at]] | waits[trace.parent[at]]
        for node in np.flatnonzero(waits & ~inside):
            chain = trace.chain(int(node))
            on_path = _on_path(chain)
            key = (kind, chain[-_CHAIN:], on_path)
            row = found.setdefault(key, [0, 0, 0])
            row[0] += int(trace.nodes["count"][node])
            own = (int(trace.total_insns[node]) << trace.head.shift) + int(trace.idle_ns[node])
            row[1] += own if kind == "busy" else int(trace.nodes["wall_ns"][node])
            row[2] += int(blocked[node])
    rows = [
        DelayWait(
            kind=kind,
            function=chain[-1],
            chain=chain,
            count=values[0],
            time_ns=values[1],
            idle_ns=values[2],
            on_path=on_path,
        )
        for (kind, chain, on_path), values in found.items()
    ]
    rows.sort(key=lambda w: (w.on_path is False, -w.time_ns, w.chain))
    return rows


def _on_path(chain: tuple[str, ...]) -> bool | None:
    if _ON_PATH & set(chain):
        return True
    if chain and starts_task(chain[0]):
        return False
    return None
