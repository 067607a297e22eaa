# SPDX-License-Identifier: MIT
"""The kernel's own function_graph tracer in a real boot, collected as from a board; and the plugin on the same boot."""

import os
import statistics
from pathlib import Path

import pytest

from bootlab.analysis import function_tables
from bootlab.builders.cache import Cache, default_folder
from bootlab.collectors import kernel_tracer
from bootlab.collectors.kernel_tracer import KernelTracer
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Initramfs, Kernel, Limits, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.targets.qemu import QemuTarget
from bootlab.tracing.boot import TraceRequest

pytestmark = pytest.mark.qemu

BUSYBOX = Path("/bin/busybox")
TRACER = KernelTracer(functions=("do_one_initcall",), depth=2, collect_kib=512)


@pytest.fixture(scope="module")
def both(debian_kernel, tmp_path_factory):
    if not BUSYBOX.is_file():
        pytest.skip("no static busybox here: scripts/setup-debian.sh run")
    place = tmp_path_factory.mktemp("ftrace")
    tree = {
        "/init": Entry(kind="file", text="#!/bin/busybox sh\necho init: ready\nbusybox sleep 100000\n", mode=0o755),
        "/bin/busybox": Entry(kind="file", source=str(BUSYBOX), mode=0o755),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
    }
    system = SystemDescription(
        name="ftrace",
        kernel=Kernel(image=os.path.realpath(debian_kernel)),
        goal=Goal(console="^init: ready"),
        initramfs=Initramfs(tree=FileTree.of(tree), compression="none"),
        cmdline=CommandLine.parse("console=ttyS0 nokaslr cryptomgr.notests"),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=300, stall_wall_s=120),
    )
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), place / "store", cache=cache, jobs=1) as bench:
        timing = bench.boot(system, system.name)
        instrumented = kernel_tracer.traced_system(system, timing, TRACER)
        yield system, timing, trace_boot(bench, instrumented, TraceRequest(), purpose="diagnostic")


def test_the_agent_sends_the_trace_whole(both):
    system, timing, traced = both
    found, lost = kernel_tracer.collected(traced.timing)
    assert (lost.events, lost.lines) == (0, 0)
    assert lost.kept_events == 2 * found.part.calls
    rows = {row.function: row for row in function_tables.functions(found.trace)}
    assert rows["do_one_initcall"].count > 200
    assert rows["inet_init"].count == 1
    # It costs time, and that is told.
    with_tracer = kernel_tracer.goal_ns(traced.timing, system.goal.console)
    assert with_tracer > kernel_tracer.goal_ns(timing, system.goal.console)


def test_plugin_and_tracer_agree_on_the_same_boot(both):
    found, _ = kernel_tracer.collected(both[2].timing)
    plugin = {row.function: row for row in function_tables.functions(both[2].trace)}
    tracer = [row for row in function_tables.functions(found.trace) if row.wall_ns >= 1_000_000]
    same = [(plugin[row.function], row) for row in tracer if plugin[row.function].count == row.count == 1]
    assert len(same) >= 20
    off = [abs(theirs.wall_ns / ours.wall_ns - 1) for ours, theirs in same]
    assert statistics.median(off) < 0.01
