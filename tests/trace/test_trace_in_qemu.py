# SPDX-License-Identifier: MIT
"""The trace of a real kernel: it changes nothing, adds up exactly, and agrees with the kernel's own clock."""

import os
import re
import shutil
import subprocess
import time
from itertools import dropwhile
from pathlib import Path

import msgspec
import numpy as np
import pytest

from bootlab.analysis import function_tables
from bootlab.analysis.delay_census import census
from bootlab.builders.cache import Cache, default_folder
from bootlab.collectors import function_trace
from bootlab.collectors.diagnosis import diagnose, diagnostic_system
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Initramfs, Kernel, Limits, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.targets.qemu import QemuTarget
from bootlab.tracing.boot import PART_FILE, TraceRequest, traced
from bootlab.tracing.rules import starts_task
from bootlab.views.functions import export as function_export
from tests.lean_kernel import PARAMETERS

pytestmark = [pytest.mark.qemu, pytest.mark.telling("trace")]

BUSYBOX = Path("/bin/busybox")
INIT = "#!/bin/busybox sh\nbusybox sleep 0.05\necho init: ready\nbusybox sleep 100000\n"


@pytest.fixture(scope="module")
def system(debian_kernel):
    if not BUSYBOX.is_file():
        pytest.skip("no static busybox here: scripts/setup-debian.sh run")
    tree = {
        "/init": Entry(kind="file", text=INIT, mode=0o755),
        "/bin/busybox": Entry(kind="file", source=str(BUSYBOX), mode=0o755),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
    }
    return SystemDescription(
        name="traced",
        kernel=Kernel(image=os.path.realpath(debian_kernel)),
        goal=Goal(console="^init: ready"),
        initramfs=Initramfs(tree=FileTree.of(tree), compression="none"),
        cmdline=CommandLine.parse(f"console=ttyS0 nokaslr {PARAMETERS}"),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=180, stall_wall_s=60),
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("trace")


@pytest.fixture(scope="module")
def bench(place):
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), place / "store", cache=cache, jobs=1) as bench:
        yield bench


@pytest.fixture(scope="module")
def found(bench, place, system):
    # trace_boot itself raises when the console, the goal's instruction or the sum differ.
    return trace_boot(bench, system, TraceRequest())


def test_console_and_goal_are_those_of_the_boot_without(found):
    assert found.recording.console == found.timing.console
    assert found.recording.meta.goal_ns == found.timing.meta.goal_ns
    assert found.recording.meta.purpose == "trace"
    assert found.timing.meta.purpose == "timing"


def test_self_times_add_up_to_every_instruction(found):
    head = found.trace.head
    assert head.complete
    assert int(found.trace.self_insns.sum()) == head.end_insns == found.timing.meta.goal_insns
    assert head.end_ns == found.timing.meta.goal_ns
    assert (head.end_insns << head.shift) + head.idle_ns == head.end_ns
    assert head.idle_ns >= 40_000_000  # init slept 50 ms and nothing else had work
    assert (head.unexplained_ns, head.mismatches) == (0, 0)
    assert head.checks > 10


def test_stages_agree_with_the_marks(found):
    parts = {part.name: part.insns for part in function_tables.buckets(found.trace)}
    marks = {mark.name: mark.insns for mark in found.timing.marks}
    assert parts["decompressor"] == marks["kernel-image"] - marks["decompression"]
    # The set-up code calls the firmware.
    assert parts["firmware"] + parts["kernel set-up"] == marks["decompression"]


def test_stacks_hold(found):
    head = found.trace.head
    assert head.calls > 1_000_000
    assert head.unmatched < head.calls / 1000
    assert head.lost_frames < head.calls / 1000
    assert (head.cut_calls, head.deep_frames, head.dropped_spans) == (0, 0, 0)


def test_call_chains_are_those_of_the_kernel(found):
    trace = found.trace
    chains = [trace.chain(int(node)) for node in np.flatnonzero(trace.nodes["count"])]
    # A task begins in ret_from_fork(); since 6.6 that is C, and ret_from_fork_asm() calls it.
    inside = [tuple(dropwhile(starts_task, chain)) for chain in chains if chain and starts_task(chain[0])]
    assert ("kernel_init", "kernel_init_freeable") in {chain[:2] for chain in inside}
    assert any(chain[-2:] == ("do_one_initcall", "inet_init") for chain in chains)
    names = {row.function: row for row in function_tables.functions(trace)}
    assert names["kernel_init"].count == 1
    # What ran while it slept is not schedule's.
    assert names["schedule"].time_ns < trace.head.end_ns / 50


def test_initcalls_take_what_the_kernel_says(bench, place, system, found):
    instrumented = diagnostic_system(system, found.timing)
    traced_boot = trace_boot(bench, instrumented, TraceRequest(), purpose="diagnostic")
    diagnosis = diagnose(traced_boot.timing)
    kernel = sorted(diagnosis.initcalls, key=lambda call: -call.duration_ns)[:10]
    ours = {row.function: row.wall_ns for row in function_tables.initcalls(traced_boot.trace)}
    printed = dict(re.findall(r"initcall (\w+)\+\S+ returned -?\d+ after (\d+) usecs", "\n".join(diagnosis.log)))
    assert len(kernel) == 10
    for call in kernel:
        # The kernel has two clocks and neither is right all along: printk's is held back to timer ticks until
        # sched_clock_init_late(), the printed number counts timer ticks until the switch to the TSC.
        said = (call.duration_ns, int(printed[call.name]) * 1000)
        wrong = min(abs(ours[call.name] - ns) for ns in said)
        assert wrong <= max(50_000, ours[call.name] / 100), call.name


def test_waits_have_their_callers(found):
    waits = census(found.trace)
    calibration = next(w for w in waits if w.function == "setup_boot_APIC_clock")
    assert (calibration.kind, calibration.count, calibration.on_path) == ("busy", 1, True)
    assert calibration.time_ns > 100_000_000  # it counts 100 ms of timer ticks


def test_start_and_stop(bench, place, system):
    request = TraceRequest(start="kernel_init", stop="run_init_process")
    part = trace_boot(bench, system, request)
    head = part.trace.head
    assert head.start_insns > 0
    assert int(part.trace.self_insns.sum()) == head.insns
    assert head.end_insns == next(m.insns for m in part.timing.marks if m.name == "run-init")
    assert head.end_ns - head.start_ns == (head.insns << head.shift) + head.idle_ns
    names = {row.function: row for row in function_tables.functions(part.trace)}
    assert names["kernel_init"].count == 1
    assert names["kernel_init"].wall_ns == head.end_ns - head.start_ns
    assert "[decompressor]" not in names


def test_what_was_traced_when_qemu_is_killed_can_be_read(bench, place, system):
    plan = traced(bench.target.plan(system), TraceRequest(), Cache(default_folder()))
    folder = place / "killed"
    folder.mkdir()
    for name, source in plan.carried:
        shutil.copyfile(source, folder / name)
    with subprocess.Popen(plan.command, cwd=folder, stderr=subprocess.DEVNULL) as process:
        try:
            while not (folder / PART_FILE).exists() and process.poll() is None:
                time.sleep(0.01)
        finally:
            process.kill()
    trace = function_trace.load(folder)
    assert not trace.head.complete
    assert trace.head.insns > 0
    assert int(trace.self_insns.sum()) == trace.head.insns


def test_free_running_boots_are_refused(bench, place, system):
    clock = msgspec.structs.replace(system.clock, mode="free", accel="tcg")
    plan = bench.target.plan(msgspec.structs.replace(system, clock=clock))
    with pytest.raises(UserError, match="instruction counter"):
        traced(plan, TraceRequest(), Cache(default_folder()))


def test_an_unknown_function_is_named(bench, place, system):
    with pytest.raises(UserError, match="no_such_function"):
        traced(bench.target.plan(system), TraceRequest(start="no_such_function"), Cache(default_folder()))


def test_every_task_has_a_track_of_its_own(found):
    spans, trace = found.trace.spans, found.trace
    outermost = spans[spans["depth"] == 0]
    begins = [int(s["task"]) for s in outermost if starts_task(trace.name(int(s["node"])))]
    assert len(begins) == len(set(begins)) > 40
    assert int(trace.tasks["insns"].sum()) == trace.head.insns
    for track in function_export.span_tracks(trace, "x").processes[0].tracks:
        ends: list[int] = []
        for piece in sorted(track.slices, key=lambda s: (s.start_ns, -s.duration_ns)):
            while ends and ends[-1] <= piece.start_ns:
                ends.pop()
            assert not ends or piece.start_ns + piece.duration_ns <= ends[-1]
            ends.append(piece.start_ns + piece.duration_ns)
