# SPDX-License-Identifier: MIT
"""Which runs can be counted, and how a trace is split."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from bootlab.analysis.call_tree import FunctionTrace, TraceTotals
from bootlab.errors import MeasurementError, UserError
from bootlab.model.system import Clockwork
from bootlab.systemfile import load
from bootlab.timers import instructions, stress
from bootlab.timers.request import StressRequest
from bootlab.timers.stress import StressPlace
from bootlab.tracing.symbols import BUCKETS
from tests.conftest import REPLAYED
from tests.timers.samples import HEAD, ROW, output


@pytest.fixture
def system(tmp_path):
    kernel = tmp_path / "vmlinuz"
    kernel.write_bytes(b"kernel")
    found = load(REPLAYED, environ={"BOOTLAB_KERNEL": str(kernel)})
    return msgspec.structs.replace(found, clock=Clockwork(mode="exact"))


def test_each_population_is_counted_alone(system):
    alone = instructions.requests(system, StressRequest(populations=(10, 20), scale=60))
    assert [(one.populations, one.scale) for one in alone] == [((10,), 60), ((20,), 60)]


@pytest.mark.parametrize("wrong", [{"mode": "burst"}, {"receiver": "timerfd"}, {"populations": (10, 0)}])
def test_what_has_no_window_is_refused(system, wrong):
    with pytest.raises(UserError):
        instructions.requests(system, StressRequest(**wrong))


def test_a_wall_clock_counts_no_instructions(system):
    free = msgspec.structs.replace(system, clock=Clockwork(mode="free"))
    with pytest.raises(UserError, match="exact mode only"):
        instructions.requests(free, StressRequest())


def trace(**head) -> FunctionTrace:
    """Nodes: nobody, root, interrupts, cut, then user space, a system call, the idle loop and what it calls, a tick."""
    first = len(BUCKETS)
    nodes = [(0, 0, 0), (5, 0, 0), (6, 0, 0), (7, 0, 0), (BUCKETS.index("[user space]"), 1, 100)]
    nodes += [(first, 1, 50), (first + 1, 1, 20), (first + 2, 6, 7), (first + 3, 2, 30)]
    fields = [("function", "<u4"), ("parent", "<u4"), *((n, "<i8") for n in ("self_insns", "idle_ns"))]
    made = np.zeros(len(nodes), dtype=fields)
    for number, (function, parent, insns) in enumerate(nodes):
        made[number]["function"], made[number]["parent"], made[number]["self_insns"] = function, parent, insns
    numbers = dict.fromkeys(TraceTotals.__struct_fields__, 0) | {
        "shift": 2, "start_insns": 1000, "end_insns": 1207, "end_ns": 5000, "idle_ns": 4172, "complete": 1,
    } | head  # fmt: skip
    names = (*BUCKETS, "do_syscall_64", "do_idle", "cpuidle_enter", "asm_sysvec_apic_timer_interrupt")
    empty = np.zeros(0)
    return FunctionTrace(TraceTotals(**numbers), names, made, empty, empty, empty)


def result():
    return stress.parse(output(HEAD, ROW), StressPlace(name="a", clock="virtual"))


def test_every_instruction_is_in_one_part():
    one = instructions.count(trace(), result(), "folder")
    assert (one.user, one.kernel, one.interrupts, one.idle_loop) == (100, 50, 30, 27)
    assert one.kernel_percent == pytest.approx(100 * 80 / 180)
    assert one.load_percent == pytest.approx(100 * 80 * 4 / 5000)


@pytest.mark.parametrize("head", [{"complete": 0}, {"start_insns": 0}])
def test_a_window_that_was_not_seen_whole_is_no_result(head):
    with pytest.raises(MeasurementError, match="did not see the run"):
        instructions.count(trace(**head), result(), "folder")
