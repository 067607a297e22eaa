# SPDX-License-Identifier: MIT
"""An interval's width comes from programs that it is not tried on, and the file in the package is what was measured."""

from __future__ import annotations

import importlib.util
import random
import sys

import msgspec
import pytest

from bootlab.costs.seen import seen
from bootlab.model.costs import Between
from tests.conftest import REPOSITORY

BENCHMARKS = REPOSITORY / "benchmarks"
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
    page = (REPOSITORY / "docs" / "explanation" / "board-time.md").read_text(encoding="utf-8")
    assert module("program_rows").page(kept) in page


def test_the_words_say_the_share_and_on_what(widths):
    del widths
    text = seen().text("x86-large@3GHz")
    assert f"{seen().inside} of {seen().programs} programs" in text
    assert "held against no hardware" not in text
    assert "cortex-a53@1GHz was held against no hardware" in seen().text("cortex-a53@1GHz")
    assert seen().widened(Between(10, 20)) == Between(10 * seen().below, 20 * seen().above)
