# SPDX-License-Identifier: MIT
"""A processor is modelled beside a real boot, and watching it changes nothing."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise

import msgspec
import pytest

from bootlab.api import System
from bootlab.collectors.costing import CLASSES, EVENTS, load
from bootlab.costs.cores import core_of
from bootlab.costs.named import costs_of
from bootlab.experiments.costing import FINE
from bootlab.launch import emulator, plugin
from bootlab.model.system import Machine

pytestmark = pytest.mark.qemu


@pytest.fixture(scope="module")
def system(small, tmp_path_factory):
    return System(small, store=tmp_path_factory.mktemp("store"), jobs=1)


@pytest.mark.timeout(900)
def test_a_costing_boot_is_the_timing_boot_and_costs_each_of_its_stages(system):
    # It raises when the plugin moved the goal by an instruction.
    boot, costing = system.boot_costed("x86-small@2GHz")
    assert costing is not None
    whole, meta = costing.whole, boot.recording.meta
    assert meta.goal_insns is not None
    assert whole.instructions == pytest.approx(meta.goal_insns, rel=1e-5)
    assert [stage.name for stage in costing.stages] == [stage.name for stage in boot.stages]
    assert sum(stage.computed_ns.low for stage in costing.stages) == pytest.approx(whole.computed_ns.low, rel=1e-6)
    # Between four instructions a cycle and one in ten cycles: else the model is of no processor.
    each = whole.modelled_ns.scaled(1 / whole.instructions)
    assert 0.125 < each.low <= each.high < 5
    assert whole.computed_ns == costing.seen.widened(whole.modelled_ns)
    assert sum(whole.classes.values()) == pytest.approx(whole.instructions, rel=0.01)
    assert whole.events["accesses"] > whole.events["l1d misses"] > whole.events["l2 misses"] > 0
    # Costs that name a core take its time from the same boot.
    costs = msgspec.structs.replace(system.value, costs=costs_of("sd-card-20MB,115200,x86-small@2GHz"))
    judged = System(costs, store=system.store, jobs=1)
    with judged.bench():
        assert judged.value.costs is not None
        assert judged.value.costs.core is not None
        assert judged.value.costs.core.instruction_ns == whole.instruction_ns


@pytest.mark.timeout(900)
def test_initcalls_are_costed_where_the_traced_boot_tells_that_they_ran(system):
    boot, costing = system.boot_costed("x86-small@2GHz", initcalls=True)
    assert costing is not None
    assert len(costing.initcalls) > 3
    assert len({one.name for one in costing.initcalls}) == len(costing.initcalls)
    assert all(one.name.startswith("initcall ") and one.instructions >= FINE for one in costing.initcalls)
    # They run one after the other, within the kernel's stage.
    kernel = next(stage for stage in costing.stages if stage.name == "kernel")
    assert sum(one.exact_ns for one in costing.initcalls) < kernel.exact_ns
    assert sum(one.computed_ns.high for one in costing.initcalls) < kernel.computed_ns.high
    assert boot.results.data.costing == costing


_DEVICE_LOOP = """
    .globl _start
_start:
    mov x19, #0x09000000
    mov x20, #1000
1:  add x1, x1, #1
    add x2, x2, #1
    str wzr, [x19, #0x24]
    add x3, x3, #1
    add x4, x4, #1
    subs x20, x20, #1
    b.ne 1b
    mov x0, #0x0008
    movk x0, #0x8400, lsl #16
    hvc #0
2:  b 2b
"""


def test_what_a_device_s_access_interrupts_is_counted_once(tmp_path):
    """With icount QEMU leaves a block at such an access, and runs the rest as a block of its own."""
    compiler, board = "aarch64-linux-gnu-gcc", Machine(arch="arm64")
    if not shutil.which(compiler) or not shutil.which(board.architecture.emulator):
        pytest.skip("no cross compiler or emulator for arm64")
    source, code, out = (tmp_path / name for name in ("loop.s", "loop.elf", "cost.bin"))
    source.write_text(_DEVICE_LOOP)
    options = ("-nostdlib", "-static", "-Wl,-Ttext=0x40080000")
    subprocess.run([compiler, *options, "-o", code, source], check=True)
    built = plugin.prepare_costing(emulator.find(board), tmp_path / "cache")
    assert built.path is not None, built.reason
    words = ",".join((built.path, f"out={out}", "shift=1", "every=500", *core_of("cortex-a53@1GHz", "arm64").arguments))
    machine = ("-M", "virt", "-cpu", "cortex-a53", "-m", "64", "-nodefaults", "-display", "none")
    command = [board.architecture.emulator, *machine, "-icount", "shift=1,sleep=off,align=off", "-kernel", code]
    subprocess.run([*command, "-plugin", words], check=True, timeout=60, capture_output=True)
    records = load(out)
    assert len(records) >= 7000 // (500 + 7)
    for before, after in pairwise(records):
        found = dict(zip(CLASSES + EVENTS, after.counts, strict=True))
        assert sum(after.counts[: len(CLASSES)]) == after.insns
        assert after.insns - before.insns == pytest.approx(500, abs=7)
        assert found["device accesses"] == pytest.approx(after.insns / 7, abs=1)
        assert found["exceptions"] == 0
