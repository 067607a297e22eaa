# SPDX-License-Identifier: MIT
"""Latency tracers and preemptirq events of ftrace, as text."""

import hypothesis
import hypothesis.strategies as st

from bootlab.analysis import function_tables
from bootlab.collectors import foreign_trace, held_off

LATENCY = b"""\
# tracer: preemptirqsoff
#
# preemptirqsoff latency trace v1.1.5 on 6.1.0
# --------------------------------------------------------------------
# latency: 252000 us, #83/83, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:1)
#    -----------------
#    | task: swapper/0-1 (uid:0 nice:0 policy:0 rt_prio:0)
#    -----------------
#  => started at: probe_hwif
#  => ended at:   ide_delay_50ms
#
#                  _------=> CPU#
 swapper-1       0d..1    0us : probe_hwif
"""
EVENTS = b"""\
# tracer: nop
#
          insmod-77      [000] d..1     2.000100: irq_disable: caller=identify+0x1f/0x90 parent=probe_hwif+0x10/0x20
          insmod-77      [001] d..1     2.000200: preempt_disable: caller=a+0x1/0x2 parent=b+0x3/0x4
          insmod-77      [000] d..1     2.009780: irq_enable: caller=identify+0x3f/0x90 parent=probe_hwif+0x10/0x20
          insmod-77      [001] d..1     2.000100: preempt_enable: caller=a+0x1/0x2 parent=b+0x3/0x4
          insmod-77      [000] d..1     2.010000: irq_enable: caller=lost+0x0/0x1 parent=b+0x3/0x4
          insmod-77      [000] d..1     2.020000: irq_disable: caller=short+0x0/0x1
          insmod-77      [000] d..1     2.020003: irq_enable: caller=short+0x0/0x1
"""


def test_the_one_stretch_of_a_latency_tracer():
    irqs, preemption, either = held_off.stretches(LATENCY)
    assert (irqs, preemption) == ([], [])
    stretch = either[0]
    assert (stretch.length_ns, stretch.task) == (252_000_000, "swapper/0-1")
    assert (stretch.began, stretch.ended) == (("probe_hwif",), ("ide_delay_50ms",))
    only_irqs = held_off.stretches(LATENCY.replace(b"preemptirqsoff", b"irqsoff"))
    assert [len(kind) for kind in only_irqs] == [1, 0, 0]


def test_events_are_paired_on_each_processor():
    irqs, preemption, either = held_off.stretches(EVENTS)
    assert [(s.length_ns, s.start_ns, s.began) for s in irqs] == [
        (9_680_000, 2_000_100_000, ("probe_hwif", "identify")),
        (3_000, 2_020_000_000, ("short",)),
    ]
    # Time that goes back, and an end without a beginning, give nothing.
    assert (preemption, either) == ([], [])


def test_they_are_shown_as_the_plugins_are(tmp_path):
    path = tmp_path / "irqs.txt"
    path.write_bytes(EVENTS)
    loaded = foreign_trace.load(path)
    assert loaded.tells_held
    rows = function_tables.stretches(loaded.trace, loaded.trace.held.irq_off)
    assert [(row.length_ns, row.began) for row in rows] == [
        (9_680_000, ("insmod-77", "probe_hwif", "identify")),
        (3_000, ("insmod-77", "short")),
    ]
    path.write_bytes(LATENCY)
    rows = function_tables.stretches(foreign_trace.load(path).trace, foreign_trace.load(path).trace.held.turns)
    assert [row.length_ns for row in rows] == [252_000_000]


def test_other_text_says_nothing(tmp_path):
    assert held_off.stretches(b"# tracer: function_graph\n 0) 1.0 us | f();\n") is None
    assert held_off.stretches(b"# tracer: irqsoff\n# latency: 5 us, #1/1\n") is None
    assert held_off.stretches(tmp_path / "missing") is None


@hypothesis.given(st.lists(st.sampled_from(EVENTS.splitlines() + LATENCY.splitlines()) | st.binary(max_size=80)))
def test_any_mixture_of_lines_is_read(lines):
    found = held_off.stretches(b"\n".join(lines))
    assert found is None or all(stretch.length_ns >= 0 for kind in found for stretch in kind)
