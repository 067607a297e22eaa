"""Dithers are the same for the same number, differ from each other, and leave what a system does alone."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.sequential_test import design
from bootlab.experiments import dither
from bootlab.experiments.base import with_dithers
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
