# SPDX-License-Identifier: MIT
"""Tables of traces written by hand: every number can be checked on paper."""

import hypothesis
import hypothesis.strategies as st
import pytest

from bootlab.analysis import function_tables
from bootlab.analysis.delay_census import census
from bootlab.collectors.function_trace import parse
from bootlab.errors import UserError
from bootlab.views.functions import export as function_export
from tests.trace.trace_writer import FIRST, names, node, trace

A, B, C, UDELAY, MSLEEP, KERNEL_INIT, INITCALL, PROBE = range(FIRST, FIRST + 8)
NAMES = names("a", "b", "c", "__const_udelay", "msleep", "kernel_init", "do_one_initcall", "probe")


def rows(found):
    return {row.function: row for row in found}


def test_total_under_recursion_counts_each_instruction_once():
    # a(10) -> b(5) -> a(3) -> c(2)
    found = parse(
        trace(
            [
                node(A, 1, count=1, self_insns=10),
                node(B, 4, count=2, self_insns=5),
                node(A, 5, count=4, self_insns=3),
                node(C, 6, count=8, self_insns=2),
            ],
            insns=20,
        ),
        NAMES,
    )
    table = rows(function_tables.functions(found))
    assert (table["a"].time_ns, table["a"].local_ns, table["a"].count) == (40, 26, 5)
    assert (table["b"].time_ns, table["b"].local_ns) == (20, 10)
    assert (table["a"].max_sub, table["a"].max_sub_count, table["a"].max_sub_ns) == ("b", 2, 20)
    assert table["c"].max_sub == ""
    assert sum(row.local_ns for row in table.values()) == 2 * found.head.insns


def test_interrupts_are_no_part_of_what_they_interrupt():
    found = parse(trace([node(A, 1, count=1, self_insns=10), node(B, 2, count=1, self_insns=7)], insns=17), NAMES)
    table = rows(function_tables.functions(found))
    assert table["a"].time_ns == 20
    parts = {b.name: b.insns for b in function_tables.buckets(found)}
    assert (parts["kernel"], parts["kernel, interrupts"], sum(parts.values())) == (10, 7, 17)


def test_tree_below_a_function():
    nodes = [
        node(A, 1, count=1, self_insns=1),
        node(B, 4, count=4, self_insns=1),
        node(PROBE, 5, count=31, self_insns=500),
        node(C, 5, count=78, self_insns=900),
    ]
    found = parse(trace(nodes, insns=1402), NAMES)
    shown = [(r.depth, r.function, r.count, r.time_ns) for r in function_tables.tree(found, root="b", min_ns=1)]
    assert shown == [(0, "b", 4, 2802), (1, "c", 78, 1800), (1, "probe", 31, 1000)]
    assert [r.function for r in function_tables.tree(found, min_ns=1, depth=2)] == ["a", "b"]


def test_delay_census_names_callers_and_counts_the_outer_wait():
    nodes = [
        node(KERNEL_INIT, 1, count=1, self_insns=1),
        node(PROBE, 4, count=1, self_insns=1),
        node(UDELAY, 5, count=78, self_insns=1000),
        node(MSLEEP, 5, count=2, self_insns=4, wall=9000, blocks=700),
        node(UDELAY, 6, count=5, self_insns=50),  # inside a wait of its kind
        node(MSLEEP, 1, count=1, self_insns=1, wall=50),
    ]
    waits = census(parse(trace(nodes, insns=1057), NAMES))
    assert [(w.kind, w.chain, w.count, w.time_ns, w.idle_ns, w.on_path) for w in waits] == [
        ("sleep", ("kernel_init", "probe", "msleep"), 2, 9000, 700, True),
        ("busy", ("kernel_init", "probe", "__const_udelay"), 78, 2100, 0, True),
        ("sleep", ("msleep",), 1, 50, 0, None),
    ]


@pytest.mark.parametrize(
    ("first", "on_path"),
    [("ret_from_fork", False), ("ret_from_fork_asm", False), ("ret_from_kernel_thread", False), ("a", None)],
)
def test_what_a_kernel_thread_waits_for_is_not_on_the_path(first, on_path):
    nodes = [node(FIRST, 1, count=1, self_insns=1), node(FIRST + 1, 4, count=1, self_insns=100)]
    (wait,) = census(parse(trace(nodes, insns=101), names(first, "msleep")))
    assert (wait.chain, wait.on_path) == ((first, "msleep"), on_path)


def test_initcalls_and_interrupts_off():
    nodes = [node(INITCALL, 1, count=1), node(PROBE, 4, count=1)]
    raw = trace(
        nodes,
        spans=[(100, 300, 5, 0, 1, 2), (50, 60, 4, 0, 0, 0), (400, 500, 5, 0, 1, 3)],
        tasks=[(0, 0, 0, A, 2)],
        irq_off=[(5, 10, 4, 5), (70, 90, 5, 5)],
    )
    found = parse(raw, NAMES)
    calls = function_tables.initcalls(found)
    assert [(c.function, c.start_ns, c.wall_ns, c.whole) for c in calls] == [
        ("probe", 100, 200, True),
        ("probe", 400, 100, False),
    ]
    assert [(r.length_ns, r.began) for r in function_tables.stretches(found, found.held.irq_off)] == [
        (90, ("do_one_initcall", "probe")),
        (10, ("do_one_initcall",)),
    ]
    (process,) = function_export.span_tracks(found, "x").processes
    assert [(t.name, len(t.slices)) for t in process.tracks] == [("task 0: start_kernel", 3)]


def test_folded_stacks_add_up():
    found = parse(trace([node(A, 1, self_insns=10), node(B, 4, self_insns=5)], insns=15), NAMES)
    assert function_export.folded(found, "x") == b"a 20\na;b 10\n"
    assert function_export.folded(found, "x", least_ns=10) == b"a 20\na;b 10\n"
    assert function_export.folded(found, "x", least_ns=11) == b"a 30\n", "what is left out is its caller's own"
    assert b'"weights":[20,10]' in function_export.speedscope(found, "x")


@pytest.mark.parametrize(
    "nodes",
    [
        [node(A, 4)],  # its own parent
        [node(A, 9)],  # a parent behind it
        [node(99, 1)],  # no such function
        [node(A, 0)],  # no root
    ],
)
def test_a_trace_that_points_outside_is_refused(nodes):
    with pytest.raises(UserError, match="damaged"):
        parse(trace(nodes), NAMES)


def test_another_version_is_refused():
    with pytest.raises(UserError, match="version 9"):
        parse(trace([], version=9), NAMES)


@hypothesis.given(st.data())
def test_damaged_bytes_never_crash(data):
    raw = bytearray(
        trace([node(A, 1, count=1, self_insns=9), node(B, 4)], spans=[(1, 2, 4, 0, 0, 0)], tasks=[(0, 0, 0, A, 0)])
    )
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    try:
        found = parse(cut, NAMES)
    except UserError:
        return
    function_tables.buckets(found)
    function_tables.tree(found, min_ns=0)
