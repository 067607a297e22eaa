# SPDX-License-Identifier: MIT
"""The kernel's own tracer: what goes on the command line, what comes back, what is said when nothing does."""

import msgspec
import pytest

from bootlab.collectors import kernel_tracer
from bootlab.collectors.kernel_tracer import KernelTracer
from bootlab.errors import MeasurementError, UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Line, Meta, Outcome, Recording
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription

SYSTEM = SystemDescription(
    name="board",
    kernel=Kernel(image="vmlinuz"),
    goal=Goal(console="^ready"),
    initramfs=Initramfs(),
    cmdline=CommandLine.parse("console=ttyS0 tp_printk -- word"),
    target="replay",
)
TRACE = """\
@BL1 trace # tracer: function_graph
@BL1 trace #
@BL1 trace #     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
@BL1 trace #      |          |     |    |           |   |                     |   |   |   |
@BL1 trace     0.500000 |   0)  swapper-1    |               |  do_one_initcall() {
@BL1 trace     0.500010 |   0)  swapper-1    |   300.000 us  |    probe_hwif();
@BL1 trace     0.500400 |   0)  swapper-1    |   400.000 us  |  }
"""


def recording(console):
    meta = Meta(key="k", system_name="board", purpose="diagnostic", outcome=Outcome.GOAL, goal_ns=2_000_000_000)
    return Recording(meta=meta, lines=(), marks=(), console=console.encode(), path="there")


def report(*lines):
    body = "".join(lines)
    return f"ready\n@BL1 begin\n{body}@BL1 end {body.count(chr(10))}\n"


def test_the_tracer_stands_on_the_command_line():
    tracer = KernelTracer(functions=("probe_a", "probe_b"), depth=4, buffer_kib=100, collect_kib=2)
    made = kernel_tracer.traced_system(SYSTEM, recording(""), tracer)
    line = made.cmdline
    assert line.value("ftrace") == "function_graph"
    assert line.value("ftrace_graph_filter") == "probe_a,probe_b"
    assert (line.value("ftrace_graph_max_depth"), line.value("trace_buf_size")) == ("4", "100K")
    assert line.value("BOOTLAB_TRACE") == "2048"
    assert "nooverwrite" in line.value("trace_options")
    assert "tp_printk" not in str(line)
    assert str(line).endswith("-- word")
    plain = kernel_tracer.traced_system(SYSTEM, recording(""), KernelTracer()).cmdline
    assert "ftrace_graph" not in str(plain)


def test_a_system_without_initramfs_cannot_carry_the_agent():
    with pytest.raises(UserError, match="initramfs"):
        kernel_tracer.traced_system(msgspec.structs.replace(SYSTEM, initramfs=None), recording(""), KernelTracer())


def test_the_next_command_of_a_trace_that_lost_events_keeps_them_all():
    tracer = KernelTracer(functions=("do_initcalls",))
    lost = kernel_tracer.LostEvents(kept_events=500_000, events=4_800_000, lines=0)
    # 16 MiB hold 500,000 events: 5,300,000 and a tenth more take 187 MiB.
    said = kernel_tracer.next_command(lost, tracer, 1024, "my demo.toml")
    assert said == "bootlab trace 'my demo.toml' --by ftrace --subtree do_initcalls --buffer-kib 191488"
    fewer = kernel_tracer.next_command(lost, tracer, 256, "demo.toml")
    assert fewer == "bootlab trace demo.toml --by ftrace --subtree do_initcalls --levels 3"
    cut = kernel_tracer.LostEvents(kept_events=9, events=0, lines=1000)
    assert kernel_tracer.next_command(cut, KernelTracer(), 256, "d.toml").endswith("--by ftrace --collect-kib 8192")
    assert (
        kernel_tracer.next_command(kernel_tracer.LostEvents(kept_events=9, events=0, lines=0), tracer, 256, "d") == ""
    )


def test_the_trace_and_its_losses_come_back():
    stats = (
        "@BL1 proc tracestat cpu0 entries: 3\n@BL1 proc tracestat cpu0 overrun: 0\n"
        "@BL1 proc tracestat cpu0 dropped events: 7\n@BL1 proc tracestat cpu1 entries: 2\n"
        "@BL1 proc tracestat cpu1 overrun: 5\n@BL1 proc tracestat left out: 1000\n"
    )
    found, lost = kernel_tracer.collected(recording(report(TRACE, stats)))
    assert (lost.kept_events, lost.events, lost.lines) == (5, 12, 1000)
    names = {row.function: row.total_ns for row in found.part.top_total}
    assert names == {"do_one_initcall": 400_000, "probe_hwif": 300_000}


@pytest.mark.parametrize("console", ["ready\n", report("@BL1 proc tracestat no trace\n"), report("@BL1 log x\n")])
def test_no_trace_is_an_error_that_names_the_option(console):
    with pytest.raises(MeasurementError, match="no trace") as caught:
        kernel_tracer.collected(recording(console))
    assert "CONFIG_FUNCTION_GRAPH_TRACER" in caught.value.hint


def test_the_goal_is_looked_for_by_its_pattern():
    lines = (Line(1, "early ready", 0, 10, 20), Line(2, "ready", 12, 30, 40), Line(3, "ready", 18, 50, 60))
    seen = msgspec.structs.replace(recording(""), lines=lines)
    assert kernel_tracer.goal_ns(seen, "^ready") == 40
    assert kernel_tracer.goal_ns(seen, "^never") is None
