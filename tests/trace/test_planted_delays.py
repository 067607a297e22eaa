# SPDX-License-Identifier: MIT
"""A module with delays of known number and length: a trace of the boot that loads it shows them with their callers."""

import shutil
import subprocess

import numpy as np
import pytest

from bootlab.analysis import function_tables
from bootlab.analysis.delay_census import census
from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Initramfs, Limits, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.targets.qemu import QemuTarget
from bootlab.tracing.boot import TraceRequest
from tests.conftest import REPOSITORY
from tests.lean_kernel import PARAMETERS, lean_kernel

pytestmark = pytest.mark.qemu

MODULES = REPOSITORY / "guest" / "modules"
DELAY_MS = 5


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("planted")


@pytest.fixture(scope="module")
def module(debian_kernel, place):
    headers = debian_kernel.parent / "build"
    if not headers.is_dir():
        pytest.skip("no headers of the kernel here; scripts/fetch-headers.sh fetches them")
    source = place / "ide_probe"
    shutil.copytree(MODULES / "ide_probe", source)
    # Debian's headers from 6.12 on bring a vmlinux for the module's BTF, which asks for pahole. Nothing here reads BTF.
    command = ["make", "-s", "-C", str(headers), f"M={source}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]
    subprocess.run(command, check=True, capture_output=True)
    return source / "ide_probe.ko"


@pytest.fixture(scope="module")
def found(debian_kernel, place, module):
    loader = place / "loader"
    subprocess.run(["gcc", "-Os", "-static", "-s", "-o", str(loader), str(MODULES / "loader.c")], check=True)
    tree = {
        "/init": Entry(kind="file", source=str(loader), mode=0o755),
        "/module.ko": Entry(kind="file", source=str(module), mode=0o644),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
    }
    system = SystemDescription(
        name="planted",
        kernel=lean_kernel(debian_kernel),
        goal=Goal(console="^init: ready"),
        initramfs=Initramfs(tree=FileTree.of(tree), compression="none"),
        cmdline=CommandLine.parse(f"console=ttyS0 nokaslr {PARAMETERS} MODULE_PARAMETERS=delay_ms={DELAY_MS}"),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=300, stall_wall_s=120),
    )
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), place / "store", cache=cache, jobs=1) as bench:
        yield trace_boot(bench, system, TraceRequest())


def test_the_module_is_found_in_memory(found):
    assert {(region.module, region.kind) for region in found.modules.regions} == {
        ("ide_probe", "core"),
        ("ide_probe", "init"),
    }


def test_the_census_begins_with_the_planted_delays(found):
    waits = census(found.trace)
    first, second = waits[:2]
    assert (first.kind, first.function, first.count) == ("sleep", "wait_for_completion_timeout", 2)
    assert first.chain[-2] == "wait_for_drive [ide_probe]"
    assert first.time_ns >= 2 * 200_000_000
    assert (second.kind, second.count) == ("busy", 78 * DELAY_MS)
    assert second.chain[:4] == (
        "probe_for_hwifs [ide_probe]",
        "probe_hwif [ide_probe]",
        "do_probe [ide_probe]",
        "ide_delay_50ms [ide_probe]",
    )
    # The processor's clock and the kernel's idea of it differ by a little.
    assert second.time_ns == pytest.approx(78 * DELAY_MS * 1e6, rel=0.02)
    # Loaded by init itself, each of them holds init back.
    assert (first.on_path, second.on_path) == (True, True)
    of_module = {w.chain[-2]: w for w in waits if w.chain[-2:-1] and w.chain[-2].endswith("[ide_probe]")}
    assert of_module["spin_up [ide_probe]"].count == 5
    assert of_module["spin_up [ide_probe]"].time_ns >= 5 * 20_000_000
    polled = of_module["poll_status [ide_probe]"]
    assert polled.count == 200
    assert polled.time_ns == pytest.approx(20e6, rel=0.02)


def test_the_tree_has_the_counts_of_the_source(found):
    rows = function_tables.tree(found.trace, root="probe_hwif", min_ns=1, depth=3)
    assert [(row.function, row.count) for row in rows] == [
        ("probe_hwif [ide_probe]", 4),
        ("do_probe [ide_probe]", 31),
        ("ide_delay_50ms [ide_probe]", 78),
    ]


def test_the_longest_stretches_are_the_planted_ones(found):
    def by(table, name):
        rows = function_tables.stretches(found.trace, table, 10)
        return [row for row in rows if f"{name} [ide_probe]" in row.began]

    held = found.trace.held
    polled = by(held.irq_off, "identify_polled")
    assert polled[0].length_ns == pytest.approx(9e6, rel=0.05)
    locked = by(held.preempt_off, "identify_locked")
    assert locked[0].length_ns == pytest.approx(12e6, rel=0.05)
    # All probes in one go, because nothing in them lets others run.
    alone = function_tables.stretches(found.trace, held.turns, 1)[0]
    assert alone.length_ns >= 78 * DELAY_MS * 0.98e6
    assert "ide_delay_50ms [ide_probe]" in alone.most


def test_the_sum_is_still_exact(found):
    assert int(found.trace.self_insns.sum()) == found.trace.head.insns
    assert bool(np.all(found.trace.self_insns >= 0))
