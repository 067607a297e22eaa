# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.collectors.costing import CLASSES, EVENTS, RECORD_EVERY, CostSums, costed, load, up_to
from bootlab.data import source_folder
from bootlab.errors import MeasurementError
from bootlab.model.costing import Seen
from bootlab.model.costs import Between
from bootlab.model.timeline import Stage
from tests.examples import examples

MAGIC = 0x31747363626C7462
EXACT = Seen(core="x", processor="x", programs=1, inside=1, bare=1, below=1.0, above=1.0)


def record(insns, ns, low, high):
    counts = [insns] + [0] * (len(CLASSES) - 1) + [insns // 10] + [0] * (len(EVENTS) - 1)
    return struct.pack(f"<{5 + len(counts)}Q", MAGIC, insns, ns, low, high, *counts)


def boot(tmp_path):
    """An instruction takes 2 ns on the exact clock, 1 to 3 cycles on the core; 500 ns are waited at the end."""
    path = tmp_path / "cost.bin"
    path.write_bytes(record(0, 0, 0, 0) + record(1000, 2000, 60_000, 180_000) + record(2000, 4500, 120_000, 360_000))
    return load(path)


def test_a_stage_takes_what_its_instructions_take_and_what_it_waited(tmp_path):
    stage = costed(boot(tmp_path), Stage("whole", 0, 4500), Between(1, 1), 2, EXACT)
    assert (stage.instructions, stage.waited_ns) == (2000, 500)
    assert stage.computed_ns == Between(2000, 6000)
    assert stage.forecast_ns == Between(2500, 6500)
    assert stage.instruction_ns == Between(1, 3)
    assert (stage.classes, stage.events) == ({"alu": 2000}, {"accesses": 200})


def test_a_clock_that_is_not_known_widens_both_ends(tmp_path):
    stage = costed(boot(tmp_path), Stage("whole", 0, 4500), Between(0.5, 2), 2, EXACT)
    assert stage.computed_ns == Between(1000, 12000)


def test_a_forecast_is_as_wide_as_the_model_was_off(tmp_path):
    off = Seen(core="x", processor="x", programs=9, inside=8, bare=3, below=0.5, above=2.0)
    stage = costed(boot(tmp_path), Stage("whole", 0, 4500), Between(1, 1), 2, off)
    assert stage.modelled_ns == Between(2000, 6000)
    assert stage.computed_ns == Between(1000, 12000)
    # What was waited is not the model's.
    assert (stage.forecast_ns, stage.bare_ns) == (Between(1500, 12500), Between(2500, 6500))
    assert stage.instruction_ns == Between(0.5, 6)


@examples(100)
@given(st.integers(0, 4500))
def test_stages_add_up(tmp_path_factory, cut):
    records = boot(tmp_path_factory.mktemp("boot"))
    parts = [costed(records, Stage("part", a, b - a), Between(1, 1), 2, EXACT) for a, b in ((0, cut), (cut, 4500))]
    assert sum(part.instructions for part in parts) == 2000
    assert sum(part.computed_ns.low for part in parts) == pytest.approx(2000)
    assert sum(part.waited_ns for part in parts) == pytest.approx(500, abs=4)


@examples(200)
@given(st.binary(max_size=700))
def test_any_bytes_are_read_or_refused(tmp_path_factory, raw):
    path = tmp_path_factory.mktemp("boot") / "cost.bin"
    path.write_bytes(raw)
    with pytest.raises(MeasurementError):
        load(path)


def test_a_record_that_was_cut_off_is_left_out(tmp_path):
    path = tmp_path / "cost.bin"
    path.write_bytes(record(1000, 2000, 1, 2) + record(2000, 4500, 3, 4)[:-1])
    assert [one.insns for one in load(path)] == [1000]


def sums(insns, ns, ticks):
    return CostSums(insns, ns, (ticks, 3 * ticks), (insns, insns // 10))


def test_what_came_after_the_last_record_went_on_as_before_it():
    half = RECORD_EVERY // 2
    records = up_to([sums(0, 0, 0), sums(RECORD_EVERY, 100, 600)], RECORD_EVERY + half, 180)
    assert records[-1] == CostSums(RECORD_EVERY + half, 180, (900, 2700), (RECORD_EVERY + half, records[-1].counts[1]))
    assert up_to(records, 7, 90) == records


def test_records_that_do_not_reach_the_goal_are_no_forecast():
    with pytest.raises(MeasurementError, match="end after 10 of 1,000,000 instructions"):
        up_to([sums(0, 0, 0), sums(10, 100, 600)], 1_000_000, 2_000_000)


def test_a_boot_of_a_few_instructions_is_no_forecast():
    with pytest.raises(MeasurementError, match="ends after 900 instructions: too few"):
        up_to([sums(0, 0, 0)], 900, 2000)


def test_records_of_two_boots_are_no_forecast():
    with pytest.raises(MeasurementError, match="more than one boot"):
        up_to([sums(0, 0, 0), sums(10, 100, 600), sums(0, 0, 0), sums(20, 200, 900)], 20, 200)


def test_the_names_are_those_of_the_plugin():
    folder = source_folder("", "cost-insn.h", top="qemu-plugin")
    classes = re.findall(r"\bCOST_(\w+),", (folder / "cost-insn.h").read_text())
    assert [name.lower() for name in classes if name != "CLASSES"] == [name.removesuffix("ed") for name in CLASSES]
    events = re.findall(r"\bEVENT_(\w+),", (folder / "cost-file.h").read_text())
    assert len(events) == len(EVENTS)
    assert f"{MAGIC:#x}" in (folder / "cost-file.h").read_text()
    every = re.search(r"every = 1 << (\d+)", (folder / "bootlab-cost.c").read_text())
    assert every is not None
    assert 1 << int(every[1]) == RECORD_EVERY
