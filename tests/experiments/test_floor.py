# SPDX-License-Identifier: MIT
"""The floor of a system as it is: rows of one traced boot, and the same figures that an optimisation ends with."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from bootlab.analysis.own_time import Turn
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.floor import FloorOf
from bootlab.experiments.optimize import floor as floors
from bootlab.experiments.optimize.floor import floor_found, floor_in
from bootlab.model.cmdline import CommandLine
from bootlab.model.plan import Plan, PlannedPhase, PlannedTechnique
from bootlab.model.recording import Meta, Recording
from bootlab.model.system import Initramfs, Kernel, KernelBuild, Machine
from bootlab.model.tree import FileTree
from bootlab.views.table import csv, markdown
from tests.analysis.test_floor import INITCALL, ROOT, START, Tree
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive


@pytest.fixture
def bench(tmp_path, monkeypatch):
    tree = Tree()
    tree.call(ROOT, "[firmware]", 1_000)
    tree.path(*START, "sched_init", insns=300)
    for number in range(12):
        tree.path(*INITCALL, f"driver{number:02}_init", insns=1_000 * (number + 1))
    tree.call(ROOT, "[user space]", 3_000)
    recording = Recording(meta=Meta(), lines=(), marks=())
    traced = SimpleNamespace(trace=tree.made(), recording=recording, timing=recording)
    monkeypatch.setattr(floors, "trace_boot", lambda *_: traced)
    monkeypatch.setattr(floors, "process_turns", lambda *_: (Turn(task=1, name="camera", start_ns=0, end_ns=4_000),))
    with Bench(FakeTarget(additive(100)), tmp_path / "store", cache=Cache(tmp_path / "cache")) as made:
        yield made


@pytest.fixture
def levers_of(bench, monkeypatch):
    """Return the levers of a boot that is loaded, unpacks an initramfs and sets its processor up, by the part."""
    tree = Tree()
    tree.call(ROOT, "[firmware]", 1_000)
    tree.call(ROOT, "[kernel set-up]", 2_000)
    tree.call(ROOT, "[decompressor]", 3_000)
    tree.path(*INITCALL, "populate_rootfs", insns=4_000)
    tree.path(*START, "cpu_select_mitigations", insns=5_000)
    tree.path(*START, "mark_rodata_ro", insns=6_000)
    recording = Recording(meta=Meta(), lines=(), marks=())
    traced = SimpleNamespace(trace=tree.made(), recording=recording, timing=recording)
    monkeypatch.setattr(floors, "trace_boot", lambda *_: traced)
    monkeypatch.setattr(floors, "process_turns", lambda *_: ())
    info = KernelInfo(
        config={"CONFIG_KERNEL_XZ": "y", "CONFIG_DEBUG_WX": "y", "CONFIG_RD_GZIP": "y"},
        version="6.1.1",
        pvh_entry=0x1000000,
    )
    plan = bench.target.plan
    monkeypatch.setattr(bench.target, "plan", lambda *words: msgspec.structs.replace(plan(*words), info=info))

    def found(tried=None, **changed):
        system = msgspec.structs.replace(SYSTEM, **{"machine": Machine(type="q35"), **changed})
        floor = floor_in(bench, system, tried=tried)
        return {one.title.rpartition(": ")[2]: one.lever for one in floor.obstacles}

    return found


PACKED = Initramfs(tree=FileTree(), compression="gzip")
BUILT = Kernel(image="", build=KernelBuild())


def test_what_loads_and_sets_up_has_levers_by_the_techniques_own_statements(levers_of):
    levers = levers_of(initramfs=PACKED, kernel=BUILT)
    assert levers["decompression of the kernel"] == "kernel-pvh, kernel-compression"
    assert levers["set-up code in front of the kernel"] == "kernel-pvh"
    assert levers["firmware and boot loader"] == "firmware-microvm (costs function), firmware-qboot"
    assert levers["unpacking of the initramfs"].startswith("initramfs-compression")
    assert levers["cpu_select_mitigations"] == "mitigations-off (costs security)"
    assert levers["mark_rodata_ro"] == "hardening-checks-off (costs security)"


def test_what_is_in_use_already_is_no_lever(levers_of):
    assert levers_of(initramfs=PACKED)["decompression of the kernel"] == (
        "kernel-pvh, kernel-compression (needs a kernel that bootlab builds)"
    )
    plain = levers_of(
        initramfs=msgspec.structs.replace(PACKED, compression="none"),
        kernel=msgspec.structs.replace(BUILT, form="vmlinux"),
        cmdline=CommandLine.parse("mitigations=off edd=off"),
    )
    assert plain["decompression of the kernel"] == ""
    assert plain["set-up code in front of the kernel"] == ""
    assert "initramfs-compression" not in plain["unpacking of the initramfs"]
    assert plain["cpu_select_mitigations"] == ""
    assert levers_of(machine=Machine(type="q35", firmware="qboot"))["firmware and boot loader"] == (
        "firmware-microvm (costs function)"
    )


def test_what_was_tried_in_vain_says_so(levers_of):
    levers = levers_of(tried={"firmware-qboot": "broken"})
    assert levers["firmware and boot loader"] == "firmware-microvm (costs function), firmware-qboot (tried: broken)"


def test_the_rows_are_the_whole_boot(bench):
    written = []
    found = compare(FloorOf(), bench, SYSTEM, written.append)
    needs, other = (found.rows_of(table) for table in found.tables)
    assert needs[-1].title == "together"
    assert len(other) == 11, "the ten largest, and the sum of the smaller ones"
    assert other[0].title == "initcall driver11_init"
    assert other[-1].title == "4 smaller ones"
    assert sum(row.ns("takes_ns") for row in other) + needs[-1].ns("needs_ns") == found.facts["goal_ns"] == 164_600
    assert found.headline.startswith("fake: floor: ")
    assert "less than this boot" in found.headline
    assert written[-1] == found


def test_all_forms_have_both_tables(bench):
    found = compare(FloorOf(), bench, SYSTEM)
    for text in (markdown.page(found).replace("\\", ""), csv.text(found)):
        assert "initcall driver11_init" in text
        assert "interrupts, clock and scheduler" in text


def test_an_optimisation_ends_with_the_same_floor(bench):
    out = PlannedTechnique(id="initcall-blacklist", take=False, variants=("driver11_init", "driver10_init"))
    plan = Plan(system="fake.toml", phases=(PlannedPhase(name="command line", techniques=(out,)),))
    floor, plain = floor_found(bench, SYSTEM, plan), floor_in(bench, SYSTEM)
    assert [one.lever for one in floor.obstacles[:2]] == [
        "initcall-blacklist:driver11_init (costs function)",
        "initcall-blacklist:driver10_init (costs function)",
    ]
    without = tuple(msgspec.structs.replace(one, lever="") for one in floor.obstacles)
    assert msgspec.structs.replace(floor, obstacles=without) == plain


def test_on_the_hosts_clock_there_is_no_floor(bench):
    with pytest.raises(UserError, match="counted in instructions"):
        compare(
            FloorOf(), bench, msgspec.structs.replace(SYSTEM, clock=msgspec.structs.replace(SYSTEM.clock, mode="free"))
        )
