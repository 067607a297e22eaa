# SPDX-License-Identifier: MIT
"""The floor from traces written by hand: everything is counted once, what is needed is told from what is not."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.floor import LARGEST, Application, Images, ProgramShare, floor_of
from bootlab.analysis.floor_items import items_of
from bootlab.analysis.own_time import Turn, own_ns
from bootlab.collectors.function_trace import parse
from bootlab.tracing.symbols import BUCKETS
from tests.trace.trace_writer import FIRST, names, node, trace

FIXED = 4
ROOT, IRQ = 1, 2
USER = BUCKETS.index("[user space]")


class Tree:
    """A call tree of named functions; one instruction takes two nanoseconds."""

    def __init__(self):
        self.functions, self.nodes, self.spans, self.insns = [], [], [], 0

    def call(self, parent, function, insns=0, count=1):
        if function in BUCKETS:
            number = BUCKETS.index(function)
        else:
            if function not in self.functions:
                self.functions.append(function)
            number = FIRST + self.functions.index(function)
        self.nodes.append(node(number, parent, count=count, self_insns=insns))
        self.insns += insns
        return FIXED + len(self.nodes) - 1

    def path(self, *functions, insns=0):
        at = ROOT
        for function in functions[:-1]:
            at = self.call(at, function)
        return self.call(at, functions[-1], insns)

    def made(self, **rest):
        known = names(*self.functions)
        return parse(trace(self.nodes, insns=self.insns, functions=len(known), spans=self.spans, **rest), known)


START = ("startup_64", "x86_64_start_kernel", "start_kernel")
INITCALL = ("ret_from_fork", "kernel_init", "kernel_init_freeable", "do_one_initcall")


@pytest.fixture
def boot():
    tree = Tree()
    tree.call(ROOT, "[firmware]", 1000)
    tree.call(ROOT, "[decompressor]", 9000)
    tree.path(*START, "sched_init", insns=300)
    tree.path(*START, "setup_arch", "paging_init", insns=700)
    tree.path(*START, "trace_init", insns=5000)
    tree.path(*INITCALL, "serial8250_init", insns=400)
    tree.path(*INITCALL, "acpi_init", insns=6000)
    tree.path("ret_from_fork", "kthread", "cryptomgr_test", insns=8000)
    tree.path("ret_from_fork", "kthread", "worker_thread", "process_one_work", "eval_map_work_func", insns=2000)
    user = tree.call(ROOT, "[user space]", 3000)
    write = tree.call(tree.call(user, "entry_SYSCALL_64", 10), "ksys_write", 90)
    tree.call(write, "serial8250_start_tx", 100)
    tree.call(IRQ, "asm_sysvec_apic_timer_interrupt", 50)
    return tree.made()


CAMERA = Application(name="camera", ns=4000, user_ns=3600)
SHELL = (ProgramShare(name="sh", ns=1500),)


def test_every_instruction_is_in_one_item(boot):
    assert sum(item.ns for item in items_of(boot)) == boot.ns(boot.head.insns)
    titles = {item.title for item in items_of(boot)}
    assert {"initcall acpi_init", "kernel thread cryptomgr_test", "deferred work eval_map_work_func"} <= titles
    assert {"start of the kernel: trace_init", "start of the kernel: paging_init", "interrupts"} <= titles


@pytest.mark.parametrize("application", [CAMERA, None, Application(name="x", ns=10**12)])
def test_parts_and_obstacles_are_the_goal(boot, application):
    floor = floor_of(boot, application, SHELL, Images(kernel_bytes=800, tree_bytes=10**9))
    assert floor.goal_ns == boot.ns(boot.head.insns)
    assert floor.floor_ns + sum(one.ns for one in floor.obstacles) + floor.others_ns == floor.goal_ns
    assert all(part.ns > 0 for part in floor.parts)


def test_only_the_applications_own_instructions_are_a_bound(boot):
    floor = floor_of(boot, CAMERA, SHELL, Images(kernel_bytes=800))
    bounds = {part.title: part.ns for part in floor.parts if part.kind == "bound"}
    assert bounds == {"camera itself": 3600}
    assert floor.bound_ns == 3600 < floor.floor_ns < floor.goal_ns
    parts = {part.title: part.ns for part in floor.parts}
    assert parts["the kernel for camera"] == 400
    assert parts["the kernel copied once"] == 200, "8 bytes an instruction of 2 ns"
    assert parts["page tables and memory"] == 1400
    assert parts["drivers of what programs write to"] == 800


def test_what_is_not_needed_stands_between_the_largest_first(boot):
    floor = floor_of(boot, CAMERA, SHELL, Images(kernel_bytes=800), lambda name: f"without {name}")
    titles = [one.title for one in floor.obstacles]
    assert titles[:3] == [
        "decompression of the kernel, but for one copy",
        "kernel thread cryptomgr_test",
        "initcall acpi_init",
    ]
    assert "program sh" in titles
    assert "initcall serial8250_init" not in titles
    assert next(one.lever for one in floor.obstacles if one.title == "initcall acpi_init") == "without acpi_init"


@pytest.mark.parametrize(
    ("copied_bytes", "decompression_ns", "firmware_ns"),
    [(0, 18_000, 2_000), (8 * 1000, 16_000, 2_000), (8 * 9500, 0, 1_000)],
)
def test_what_loads_the_kernel_is_told_apart_and_the_copy_counts_once(
    boot, copied_bytes, decompression_ns, firmware_ns
):
    floor = floor_of(boot, None, (), Images(kernel_bytes=copied_bytes), lambda name: f"without {name}")
    found = {one.title.partition(",")[0]: one for one in floor.obstacles}
    left = found.get("decompression of the kernel")
    assert (left.ns if left else 0) == decompression_ns
    assert found["firmware and boot loader"].ns == firmware_ns
    assert found["firmware and boot loader"].lever == "without firmware"
    assert left is None or left.lever == "without decompressor"


def test_an_initcall_that_is_known_to_be_a_test_serves_no_driver(boot):
    plain = floor_of(boot, CAMERA, SHELL, Images())
    known = floor_of(boot, CAMERA, SHELL, Images(), lambda _: "", lambda name: name == "serial8250_init")
    assert known.floor_ns == plain.floor_ns - 800
    assert "initcall serial8250_init" in {one.title for one in known.obstacles}


def test_unpacking_has_a_lever_by_the_name_of_its_function():
    tree = Tree()
    tree.path(
        "ret_from_fork",
        "kthread",
        "worker_thread",
        "process_one_work",
        "async_run_entry_fn",
        "do_populate_rootfs",
        insns=900,
    )
    floor = floor_of(tree.made(), None, (), Images(tree_bytes=800), lambda name: f"without {name}")
    (one,) = floor.obstacles
    assert (one.title, one.lever) == ("unpacking of the initramfs, but for one copy", "without do_populate_rootfs")
    assert one.ns == 2 * (900 - 100)


def test_smaller_ones_are_summed_up():
    tree = Tree()
    for number in range(LARGEST + 5):
        tree.path(*INITCALL, f"driver{number}_init", insns=100 + number)
    floor = floor_of(tree.made(), None, (), Images())
    assert len(floor.obstacles) == LARGEST
    assert (floor.others, floor.others_ns) == (5, 2 * (100 + 101 + 102 + 103 + 104))
    assert "there is no bound" in floor.notes[0]


def test_without_the_applications_own_time_there_is_no_bound(boot):
    floor = floor_of(boot, Application(name="camera", ns=4000), (), Images())
    assert floor.bound_ns == 0
    assert "no bound" in floor.notes[0]


def user_trace(*entries, dropped=0, begin_ns=0):
    """Spans of entries below user space: (task, start, end). Each task is in user space from `begin_ns` on."""
    tree = Tree()
    user = tree.call(ROOT, "[user space]", 100)
    entry = tree.call(user, "entry_SYSCALL_64", 50)
    inner = tree.call(entry, "do_syscall_64", 50)
    tree.spans = [(start, end, entry, task, 1, 0) for task, start, end in entries]
    tree.spans += [(start, end, inner, task, 2, 0) for task, start, end in entries]
    tree.spans += [(begin_ns, 10**6, user, task, 0, 0) for task in {task for task, _, _ in entries}]
    found = tree.made(tasks=[(number, 0, 0, 0, 0) for number in range(9)])
    found.head = msgspec.structs.replace(found.head, dropped_spans=dropped)
    return found


def turn(task, start_ns, end_ns):
    return Turn(name="app", task=task, start_ns=start_ns, end_ns=end_ns)


def test_own_time_is_turns_without_entries_of_the_same_task():
    # Task 7 of the trace is the shell, which waits in a system call all the while.
    found = user_trace((7, 0, 1000), (8, 120, 140), (8, 190, 260), (8, 350, 360))
    assert own_ns(found, [turn(0xA, 100, 200), turn(0xA, 250, 400)]) == 250 - 20 - 10 - 10 - 10


def test_a_tasks_way_to_its_first_instruction_is_the_kernels():
    found = user_trace((8, 160, 170), (8, 162, 165), begin_ns=150)
    assert own_ns(found, [turn(0xA, 100, 200)]) == 50 - 10


def test_own_time_of_two_tasks_of_one_name():
    found = user_trace((1, 110, 120), (2, 210, 260), (1, 120, 150))
    assert own_ns(found, [turn(0xA, 100, 200), turn(0xB, 200, 300)]) == (100 - 40) + (100 - 50)


def test_own_time_is_not_known_when_spans_were_lost():
    assert own_ns(user_trace((1, 0, 1), dropped=3), [turn(1, 0, 10)]) is None


def test_what_32_bit_arm_does_before_its_kernel_begins_is_no_step_of_its_own():
    tree = Tree()
    start = ("stext", "__enable_mmu", "__turn_mmu_on", "__mmap_switched", "start_kernel")
    tree.path("stext", "__create_page_tables", insns=300)
    tree.path(*start, "setup_arch", "paging_init", insns=500)
    tree.path(*start, "unflatten_device_tree", insns=700)
    floor = floor_of(tree.made(), None, (), Images())
    assert {part.title: part.ns for part in floor.parts}["page tables and memory"] == 2 * 800
    assert [one.title for one in floor.obstacles] == ["start of the kernel: unflatten_device_tree"]


def test_callers_that_a_trace_has_turned_into_callees_still_hold_their_own():
    tree = Tree()
    tree.path("finalise_el2", "__primary_switched", "start_kernel", "trace_init", insns=500)
    lost = ("__hyp_reset_vectors", "kvm_arch_init", "kvm_init", "do_one_initcall", "kernel_init_freeable")
    tree.path(*lost, "do_one_initcall", "acpi_init", insns=900)
    found = {item.title: item.ns for item in items_of(tree.made())}
    assert found["start of the kernel: trace_init"] == 1000
    assert found["initcall acpi_init"] == 1800


def test_what_the_idle_task_waits_is_not_needed():
    tree = Tree()
    at = tree.path(*START, "rest_init", "cpu_startup_entry", insns=10)
    tree.nodes.append(node(FIRST + tree.functions.index("cpu_startup_entry"), at, self_insns=0, idle=7000))
    found = {item.kind: item.ns for item in items_of(tree.made())}
    assert found["idle"] == 7000
    assert found["start"] == 20
