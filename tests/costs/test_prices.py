# SPDX-License-Identifier: MIT
"""The model of what a board adds: sums by hand, intervals of differences, points where a sign turns."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.costs.named import LINE_TIMES, READ_TIMES, RawConsole, RawCosts, costs_of, costs_of_table, media
from bootlab.costs.prices import board_row, corners, saving_ends, times_as_fast, turning_points
from bootlab.model.costs import Amounts, Between, BoardConsole, BoardMedium, Costs
from tests.examples import examples

MS = 1_000_000
BASE = Amounts(exact_ns=1000 * MS, instructions=400 * MS, instruction_ns=2, characters=11520, image_bytes=8_000_000)


EXACT = Costs(
    name="exactly",
    console=BoardConsole(baud=Between(115200, 115200)),
    medium=BoardMedium(name="card", bytes_per_s=Between(20e6, 20e6)),
)


def test_a_sum_by_hand():
    row = board_row(EXACT, "base", BASE)
    assert (row.console_ns.low, row.load_ns.low) == (pytest.approx(1000 * MS), pytest.approx(400 * MS))
    assert row.board_ns.low == row.board_ns.high == pytest.approx(2400 * MS)
    slow = board_row(msgspec.structs.replace(EXACT, core=costs_of("3ns").core), "base", BASE)
    assert slow.board_ns.low == pytest.approx(2800 * MS), "400 million instructions take 1 ns more each"


def test_a_rate_that_was_given_is_as_wide_as_the_model_was_off_at_known_rates():
    row = board_row(costs_of("sd-card-20MB,115200"), "base", BASE)
    for term, times, ms in ((row.console_ns, LINE_TIMES, 1000), (row.load_ns, READ_TIMES, 400)):
        assert (term.low, term.high) == pytest.approx((ms * MS * times.low, ms * MS * times.high))
    # One that was given as a range is taken at its word.
    ranges = costs_of_table(RawCosts(console=RawConsole(baud=(9600, 115200))), "board")
    assert ranges.console is not None
    assert ranges.console.baud == Between(9600, 115200)


def test_what_user_space_prints_may_overlap_and_what_was_loaded_is_not_counted_twice():
    late = msgspec.structs.replace(BASE, late_characters=11520, loaded_ns=100 * MS)
    row = board_row(EXACT, "base", late)
    assert row.console_ns == Between(0, pytest.approx(1000 * MS))
    assert row.load_ns == Between(pytest.approx(300 * MS), pytest.approx(400 * MS))


@pytest.mark.parametrize("words", ["1ns", "8ns", "12ns"])
def test_a_load_that_the_board_makes_itself_costs_no_instructions_either(words):
    # All of the boot is the load: where the board's own reading replaces it, nothing else remains.
    loaded = Amounts(
        exact_ns=800 * MS, instructions=100 * MS, instruction_ns=8, image_bytes=8_000_000, loaded_ns=800 * MS,
        loaded_instructions=100 * MS,
    )  # fmt: skip
    core = costs_of(words).core
    assert core is not None
    row = board_row(msgspec.structs.replace(EXACT, core=core), "base", loaded)
    assert row.board_ns.low == pytest.approx(400 * MS)
    assert row.board_ns.high == pytest.approx(400 * MS + 100 * MS * core.instruction_ns.high)


def test_requests():
    nand = board_row(costs_of("nand,no-console"), "base", BASE)
    requests = -(-BASE.image_bytes // 2048)
    assert nand.load_ns.low == pytest.approx(8_000_000 / 27e6 * 1e9 + requests * 20_000, rel=1e-6)


def test_the_interval_of_a_difference_is_not_the_difference_of_intervals():
    smaller = msgspec.structs.replace(BASE, image_bytes=7_000_000)
    costs = costs_of("emmc-hs200,115200")
    savings = [prices.added_ns(BASE) - prices.added_ns(smaller) for prices in saving_ends(costs, BASE, smaller)]
    assert 0 < savings[0] < savings[1], "a smaller image is faster on each such board"
    assert savings[1] <= 1e15 / 80e6 + 500_000


def test_break_even_of_a_larger_image():
    larger = msgspec.structs.replace(BASE, exact_ns=900 * MS, image_bytes=11_100_000)
    costs = EXACT
    (point,) = turning_points(costs, BASE, larger)
    assert (point.of, point.faster) == ("medium", "above")
    assert point.at.low == pytest.approx(31e6)
    assert point.text("lz4") == "lz4 wins above 31 MB/s"


def test_break_even_of_more_characters_and_of_instructions():
    chatty = msgspec.structs.replace(BASE, exact_ns=950 * MS, characters=11520 + 1152)
    (point,) = turning_points(EXACT, BASE, chatty)
    assert (point.of, point.faster) == ("console", "above")
    assert point.at.low == pytest.approx(230_400)
    lean = msgspec.structs.replace(BASE, exact_ns=800 * MS, instructions=300 * MS, image_bytes=18_000_000)
    points = {one.of: one for one in turning_points(EXACT, BASE, lean)}
    assert points["processor"].at.low == pytest.approx(5.0), "500 ms more to load, 100 million instructions less"
    assert points["processor"].faster == "above"


def test_what_is_not_known_widens():
    narrow, wide = (board_row(costs_of(words), "base", BASE).board_ns for words in ("sd-hs,115200", "115200"))
    assert wide.low < narrow.low
    assert narrow.high < wide.high


amounts = st.builds(
    Amounts,
    exact_ns=st.integers(0, 10**12),
    instructions=st.none() | st.integers(0, 10**11),
    characters=st.integers(0, 10**6),
    image_bytes=st.integers(0, 10**10),
    images=st.integers(0, 9),
)


@examples(300)
@given(amounts, amounts, st.sampled_from(("115200", "emmc-hs400,9600,1-3ns", "no-console,nvme", "nand")))
def test_the_ends_hold_every_board(base, new, words):
    costs = costs_of(words)
    least, most = saving_ends(costs, base, new)
    for prices in corners(costs):
        saved = prices.added_ns(base) - prices.added_ns(new)
        assert least.added_ns(base) - least.added_ns(new) <= saved <= most.added_ns(base) - most.added_ns(new)
    for point in turning_points(costs, base, new):
        assert 0 < point.at.low <= point.at.high
    assert times_as_fast(costs, base, base) == Between(1.0, 1.0) or base.exact_ns == 0
    assert media()


def test_an_interval_is_written_in_plain_figures():
    assert Between(-19_530e6, 2e6).text(1e6) == "-19,530 to 2"
    assert Between(115200, 115200).text() == "115,200"
    assert Between(0.85, 1.7).text() == "0.85 to 1.7"
