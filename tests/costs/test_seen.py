# SPDX-License-Identifier: MIT
"""An interval's width comes from programs that it is not tried on, and the file in the package is what was measured."""

from __future__ import annotations

import importlib.util
import random
import sys

import msgspec
import pytest

from bootlab.costs.seen import seen
from bootlab.model.costing import MEASURED
from bootlab.model.costs import Between
from tests.conftest import REPOSITORY

BENCHMARKS = REPOSITORY / "benchmarks"
BESIDE = ("calibrated-before.json", "published-figures-epyc.json", "published-figures.json")
KEPT = BENCHMARKS / "program-times" / "published-figures.json"


def module(name):
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def widths():
    return module("program_widths")


class Program(msgspec.Struct):
    native_ns: float
    low_ns: float = 1.0
    high_ns: float = 2.0


def test_one_that_lies_far_out_does_not_make_its_own_interval_wide(widths):
    rows = [Program(1.5) for _ in range(8)] + [Program(20.0)]
    assert [one.native_ns for one in widths.inside(rows)] == [1.5] * 8
    # For another program it counts: of nine, one in ten is less than one.
    assert widths.width(rows) == (1.0, 10.0)


def test_an_interval_that_holds_all_is_not_made_narrower(widths):
    rows = [Program(1.5) for _ in range(20)]
    assert widths.width(rows) == (1.0, 1.0)
    assert len(widths.inside(rows)) == 20


def test_of_programs_of_one_kind_four_in_five_lie_inside_at_least(widths):
    """Each side leaves out one in ten on average: split conformal prediction."""
    lots = random.Random(7)
    shares = []
    for _ in range(60):
        rows = [Program(1.5 * lots.lognormvariate(0, 0.6)) for _ in range(38)]
        shares.append(len(widths.inside(rows)) / len(rows))
    assert 0.8 <= sum(shares) / len(shares) <= 0.92


def test_the_package_s_file_is_what_was_measured(widths):
    sys.modules.setdefault("program_widths", widths)
    kept = msgspec.json.decode(KEPT.read_bytes(), type=module("program_rows").Kept)
    rows = [one for one in kept.rows if not one.differs]
    assert seen() == widths.seen_of(kept.core, kept.processor, rows)
    assert seen().inside / seen().programs >= 0.8


def test_the_words_say_the_share_and_on_what(widths):
    del widths
    text = seen().text("x86-large@3GHz")
    assert f"{seen().inside} of {seen().programs} programs" in text
    assert "held against no hardware" not in text
    assert "cortex-a53@1GHz was held against no hardware" in seen().text("cortex-a53@1GHz")
    assert seen().widened(Between(10, 20)) == Between(10 * seen().below, 20 * seen().above)


def test_figures_that_were_measured_have_an_interval_of_their_own():
    found = seen(measured=True)
    assert found.core == MEASURED
    assert found.inside > found.bare
    said = found.text("camera-costs.toml")
    assert said.endswith("by its own calibration; no other processor was held against it")
    rows, widths = module("program_rows"), module("program_widths")
    kept = msgspec.json.decode((BENCHMARKS / "program-times" / "calibrated.json").read_bytes(), type=rows.Kept)
    right = [row for row in kept.rows if not row.differs]
    assert widths.seen_of(kept.core, kept.processor, right) == found
    others = [
        msgspec.json.decode((BENCHMARKS / "program-times" / name).read_bytes(), type=rows.Kept) for name in BESIDE
    ]
    page = (REPOSITORY / "docs" / "explanation" / "board-time.md").read_text(encoding="utf-8")
    assert rows.page(kept, others) in page
