# SPDX-License-Identifier: MIT
"""Every call, return, jump and exception of a machine that runs nothing but them."""

import shutil

import msgspec
import pytest

from bootlab.analysis import function_tables
from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import BootlabError
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.qemu import QemuTarget
from bootlab.tracing.boot import TraceRequest
from tests.trace import preempting
from tests.trace.bare_metal import CALLS, build

pytestmark = pytest.mark.qemu


def machine(arch, place, source="", config=None):
    board = Machine(arch=arch, memory_mib=64)
    if shutil.which(board.architecture.emulator) is None:
        pytest.skip(f"{board.architecture.emulator} is not installed: scripts/setup-debian.sh test")
    image, symbols = build(place, arch, source)
    return SystemDescription(
        name=f"bare {arch}",
        kernel=Kernel(image=str(image), symbols=str(symbols), config=config),
        goal=Goal(console="done"),
        machine=board,
        cmdline=CommandLine.parse("x"),
        limits=Limits(virtual_s=5, stall_virtual_s=1, wall_s=60, stall_wall_s=30),
    )


@pytest.mark.parametrize("arch", ["arm64", "arm", "riscv64"])
def test_counts_are_those_of_the_code(arch, tmp_path):
    system = machine(arch, tmp_path)
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=1) as bench:
        found = trace_boot(bench, system, TraceRequest())
        subtree = trace_boot(bench, system, TraceRequest(min_ns=0, subtree=("outer",), depth=4))
    trace = found.trace
    head = trace.head
    rows = {row.function: row for row in function_tables.functions(trace)}
    assert {name: rows[name].count for name in CALLS} == CALLS
    thumb = 3 if arch == "arm" else 0
    assert head.calls == sum(CALLS.values()) - CALLS["last"] + thumb
    assert (head.unmatched, head.lost_frames, head.deep_frames) == (0, 0, 0)
    assert head.entries == 2
    chains = {trace.chain(node)[-3:]: int(trace.nodes["count"][node]) for node in range(4, len(trace.nodes))}
    below_outer = {chain[-1]: count for chain, count in chains.items() if chain[-2:-1] == ("outer",)}
    assert below_outer == ({"leaf": 3, "thumb_leaf": 3, "last": 3} if thumb else {"leaf": 6, "last": 3})
    # RISC-V's handler is jumped to with a return address made by hand.
    assert head.returns == head.calls + (2 if arch == "riscv64" else 0)
    kept = {subtree.trace.name(int(node)) for node in subtree.trace.spans["node"]}
    assert kept == {"outer", "leaf", "last"} | ({"thumb_leaf"} if thumb else set())
    assert int(subtree.trace.spans["depth"].max()) <= 3


def test_processors_that_the_command_line_leaves_off_hide_nothing(tmp_path):
    one = machine("arm64", tmp_path)
    board = msgspec.structs.replace(one.machine, cpus=4)
    four = msgspec.structs.replace(one, machine=board, cmdline=CommandLine.parse("maxcpus=1"))
    all_four = msgspec.structs.replace(one, machine=board, clock=Clockwork(processors="shared"))
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=1) as bench:
        found = trace_boot(bench, four, TraceRequest())
        # Before version 8 the emulator itself cannot do it.
        with pytest.raises(BootlabError, match="processor"):
            trace_boot(bench, all_four, TraceRequest())
    rows = {row.function: row.count for row in function_tables.functions(found.trace)}
    assert {name: rows[name] for name in CALLS} == CALLS
    assert found.recording.meta.processors.alone


@pytest.mark.parametrize("arch", ["arm64", "arm", "riscv64"])
def test_preemption_is_off_while_the_running_task_counts_it(arch, tmp_path):
    config = tmp_path / "config"
    config.write_text(preempting.CONFIG)
    system = machine(arch, tmp_path, preempting.SOURCES[arch], str(config))
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=1) as bench:
        trace = trace_boot(bench, system, TraceRequest()).trace
    rows = function_tables.stretches(trace, trace.held.preempt_off)
    expected = [(2 * loops + 4) << system.clock.shift for loops in preempting.SEEN_LOOPS]
    assert [row.length_ns for row in rows] == expected
    assert {row.most[-1] for row in rows} == {"spin"}
