# SPDX-License-Identifier: MIT
"""Costs that move to the next caller, and work that an initcall queues, found in a trace written by hand."""

from __future__ import annotations

import pytest

from bootlab.analysis.shared_costs import shared_costs
from bootlab.collectors.function_trace import parse
from tests.trace.trace_writer import FIRST, names, node, trace

FIXED = 4
MS_INSNS = 500_000


class Tree:
    """A call tree of named functions; one instruction takes two nanoseconds."""

    def __init__(self):
        self.functions, self.nodes, self.insns = [], [], 0
        kernel = self.call(1, "kernel_init_freeable")
        self.initcalls = self.call(kernel, "do_one_initcall", 9)

    def call(self, parent, function, insns=0, count=1):
        """Add a node below another one and return its number."""
        if function not in self.functions:
            self.functions.append(function)
        self.nodes.append(node(FIRST + self.functions.index(function), parent, count=count, self_insns=insns))
        self.insns += insns
        return FIXED + len(self.nodes) - 1

    def initcall(self, name, *path):
        """Add an initcall and a path of (function, instructions) below it."""
        at = self.call(self.initcalls, name, 50)
        for function, insns in path:
            at = self.call(at, function, insns)
        return at

    def costs(self):
        known = names(*self.functions)
        return shared_costs(parse(trace(self.nodes, insns=self.insns, functions=len(known)), known))


def once(*, later_insns=5, twice=False):
    tree = Tree()
    register = ("register", 300)
    tree.initcall("cubic_init", register, ("guard", 40), ("parse_all", 50 * MS_INSNS))
    tree.initcall("bpf_init", register, ("guard", later_insns))
    tree.initcall("kfunc_init", register, ("guard", later_insns))
    tree.initcall("other_init", ("kmalloc", 100))
    if twice:
        tree.initcall("late_init", ("parse_all", 9))
    return tree.costs()


def test_the_first_caller_pays_for_all():
    (cost,) = once()
    assert (cost.kind, cost.function, cost.guard) == ("once", "parse_all", "guard")
    assert (cost.payer, cost.initcalls) == ("cubic_init", ("cubic_init", "bpf_init", "kfunc_init"))
    assert cost.cost_ns == 50_000_000


@pytest.mark.parametrize("changed", [{"later_insns": 10_000}, {"twice": True}])
def test_what_later_callers_pay_too_is_no_cost_of_the_first(changed):
    assert once(**changed) == ()


def test_drivers_of_one_bus_share_nothing():
    tree = Tree()
    tree.initcall("slow_driver_init", ("driver_register", 400), ("slow_probe", 9 * MS_INSNS))
    tree.initcall("fast_driver_init", ("driver_register", 400), ("fast_probe", 3000))
    assert tree.costs() == ()


def test_queued_work_is_its_initcalls():
    tree = Tree()
    tree.initcall("check_weak_init", ("queue_work_on", 200))
    tree.initcall("check_other_init", ("kmalloc", 200))
    tree.initcall("unlike_init", ("queue_work_on", 200))
    worker = tree.call(tree.call(1, "kthread"), "process_one_work", 20)
    tree.call(worker, "check_weak_work_func.isra.0", 70 * MS_INSNS)
    tree.call(worker, "vmstat_update", 70 * MS_INSNS)
    tree.call(worker, "check_quick_work", MS_INSNS // 2)
    (cost,) = tree.costs()
    assert (cost.kind, cost.function, cost.initcalls) == ("work", "check_weak_work_func", ("check_weak_init",))
    assert cost.cost_ns == 70_000_000


def test_modules_are_not_left_out_by_name():
    tree = Tree()
    at = tree.call(tree.call(1, "load_module"), "do_one_initcall")
    for number, insns in enumerate((50 * MS_INSNS, 5)):
        guard = tree.call(tree.call(at, f"m{number}_init"), "guard", 5)
        if number == 0:
            tree.call(guard, "parse_all", insns)
    assert tree.costs() == ()
