# SPDX-License-Identifier: MIT
"""Dithers are the same for the same number, differ from each other, and leave what a system does alone."""

from __future__ import annotations

import threading

import msgspec
import pytest

from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS, cheapest, design
from bootlab.experiments import base as base_module
from bootlab.experiments import dither
from bootlab.experiments.base import establish, with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithering import DitheredBoots
from bootlab.model.recording import Outcome
from bootlab.model.root import Root
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive, base_of

TREE = FileTree.of({"/init": Entry(kind="file", text="#!/bin/sh\n")})
PACKED = msgspec.structs.replace(SYSTEM, initramfs=Initramfs(tree=TREE))
MOUNTED = msgspec.structs.replace(SYSTEM, root=Root(tree=TREE, file_system="ext4", medium="sd"))


@pytest.mark.parametrize("system", [SYSTEM, PACKED, MOUNTED], ids=["bare", "initramfs", "root"])
def test_every_system_has_dithers(system):
    under = [dither.dithered(system, number) for number in range(40)]
    assert under[0] == system
    assert len({msgspec.json.encode(one) for one in under}) == 40
    assert under == [dither.dithered(system, number) for number in range(40)]
    for one in under:
        assert (one.cmdline, one.tree, one.kernel, one.machine) == (
            system.cmdline, system.tree, system.kernel, system.machine
        )  # fmt: skip


def test_a_variant_under_a_dither_is_a_dithered_variant():
    variant = msgspec.structs.replace(PACKED, cmdline=PACKED.cmdline.with_param("quiet"))
    one = msgspec.structs.replace(dither.dithered(PACKED, 7), cmdline=variant.cmdline)
    assert one == dither.dithered(variant, 7)


def test_boots_are_made_when_they_are_asked_for(tmp_path):
    target = FakeTarget(additive(100))
    with Bench(target, tmp_path) as bench:
        boots = DitheredBoots(bench, SYSTEM, "base", dithers=(0, 2, 5))
        assert boots.asked == 0
        boots.wait(2)
        boots.wait(1)
        boots.wait(9)
    assert sorted(target.booted) == ["base", "base (seed 3)", "base (seed 6)"]


def test_a_dither_under_which_the_base_fails_is_left_out(tmp_path):
    class Dated(FakeTarget):
        def boot(self, plan, folder, **rest):
            self.cost = lambda _params: Outcome.PANIC if plan.system.clock.seed == 3 else 100
            return super().boot(plan, folder, **rest)

    with Bench(Dated(additive(100)), tmp_path, jobs=1) as bench:
        base = with_dithers(bench, base_of(bench), design(5))
    assert base.dithers == (0, 1, 3, 4, 5)
    assert len(base.boots) == 5


class Diagnosed(FakeTarget):
    """Its diagnostic boot ends when the base's boots under dithers are there, or after its patience."""

    def __init__(self):
        super().__init__(additive(100))
        self.dithered = threading.Semaphore(0)
        self.beside = False

    def boot(self, plan, folder, *, stop, progress=None):
        if plan.purpose == "diagnostic":
            self.beside = all(self.dithered.acquire(timeout=20) for _ in range(FEWEST_BASE_BOOTS - 1))
        elif plan.system.clock.seed != SYSTEM.clock.seed:
            self.dithered.release()
        return super().boot(plan, folder, stop=stop, progress=progress)


def test_the_other_machine_does_not_wait_for_the_diagnosis(tmp_path, monkeypatch):
    monkeypatch.setattr(base_module, "diagnostic_system", lambda system, timing: system)
    monkeypatch.setattr(base_module, "diagnose", lambda recording: None)
    target = Diagnosed()
    with Bench(target, tmp_path, jobs=2) as bench:
        base = establish(bench, SYSTEM, dithers=FEWEST_BASE_BOOTS)
        assert target.beside
        with_dithers(bench, base, design(FEWEST_BASE_BOOTS))
    # The diagnosis, and each of them once.
    assert len(target.booted) == 1 + FEWEST_BASE_BOOTS


def test_every_rule_takes_the_boots_that_are_begun_ahead():
    assert all(cheapest(variants).base_boots >= FEWEST_BASE_BOOTS for variants in range(1, 200))
