# SPDX-License-Identifier: MIT
"""What techniques say that they end: stages and functions by their names, and nothing where they are in use."""

from __future__ import annotations

import re

import msgspec
import pytest

from bootlab.analysis.floor_items import _STAGES as STAGES
from bootlab.model.recording import Meta, Recording
from bootlab.model.shared_cost import SharedCost
from bootlab.model.system import Initramfs
from bootlab.model.tree import FileTree
from bootlab.techniques import get, registry
from bootlab.techniques.base import STAGES_BEFORE, Context
from bootlab.techniques.scope import levers
from tests.experiments.fake_bench import SYSTEM

CONTEXT = Context(system=SYSTEM, recording=Recording(meta=Meta(), lines=(), marks=()), arch="x86_64")


def ended(technique_id: str, **facts: object) -> set[str]:
    return set(levers([get(technique_id)], msgspec.structs.replace(CONTEXT, **facts)))


def packed(compression: str) -> Context:
    return msgspec.structs.replace(SYSTEM, initramfs=Initramfs(tree=FileTree(), compression=compression))


def test_stages_are_named_as_the_floor_names_them():
    assert set(STAGES_BEFORE) == set(STAGES.values())


@pytest.mark.parametrize("technique", [t for t in registry.BUILT_IN if t.ends], ids=lambda t: t.id)
def test_what_ends_is_a_stage_or_a_function(technique):
    assert all(name in STAGES_BEFORE or re.fullmatch(r"[A-Za-z_]\w*_\w+", name) for name in technique.ends)


def test_costs_that_initcalls_share_are_those_of_their_payer_or_their_work():
    shared = (
        SharedCost(kind="once", function="btf_parse_vmlinux", cost_ns=10**8, initcalls=("cubic_register", "bpf_init")),
        SharedCost(kind="work", function="check_work_func", cost_ns=10**7, initcalls=("check_init",)),
    )
    assert ended("initcall-groups", shared_costs=shared) == {"cubic_register", "check_work_func"}
    assert ended("initcall-groups", shared_costs=()) == set()


@pytest.mark.parametrize(("compression", "found"), [("gzip", True), ("lz4", True), ("none", False)])
def test_an_archive_that_is_not_packed_cannot_be_unpacked_faster(compression, found):
    config = {"CONFIG_RD_GZIP": "y", "CONFIG_RD_LZ4": "y"}
    assert ("populate_rootfs" in ended("initramfs-compression", system=packed(compression), config=config)) == found


@pytest.mark.parametrize(("now", "found"), [("XZ", True), ("GZIP", True), ("LZ4", False)])
def test_what_unpacks_fastest_is_not_packed_in_another_way(now, found):
    assert ("decompressor" in ended("kernel-compression", config={f"CONFIG_KERNEL_{now}": "y"})) == found


@pytest.mark.parametrize(("option", "found"), [("DEBUG_WX", True), ("KFENCE", False)])
def test_an_option_ends_what_hangs_on_it_alone(option, found):
    assert ("mark_rodata_ro" in ended("hardening-checks-off", config={f"CONFIG_{option}": "y"})) == found
