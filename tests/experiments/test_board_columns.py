# SPDX-License-Identifier: MIT
"""Rows of a comparison by the time of a board: reading that may hide, and the rate from which on a row pays."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.costs.named import costs_of
from bootlab.experiments.board_columns import BoardBoot, best, said, with_board
from bootlab.model.comparison import Row
from bootlab.model.costs import Amounts, Between, BoardMedium

MS = 1_000_000
MB = 1_000_000


def exactly(words):
    """A board without a console; a rate that is named is that rate."""
    costs = costs_of(words)
    if not words.startswith("card-"):
        return costs
    rate = float(words.split("MB")[0].removeprefix("card-")) * MB
    return msgspec.structs.replace(costs, medium=BoardMedium(name="card", bytes_per_s=Between(rate, rate)))


def row(name, goal_ms, *, ok=True):
    return Row(id=name, title=name.upper(), ok=ok, values={"goal_ns": goal_ms * MS})


def boot(goal_ms, loaded_mb, root_mb=(0, 0), window_ms=0):
    amounts = Amounts(exact_ns=goal_ms * MS, image_bytes=round(loaded_mb * MB), images=1)
    root = tuple(round(size * MB) for size in root_mb)
    return BoardBoot(amounts=amounts, root_bytes=root, window_ns=window_ms * MS)


def judged(words, **boots):
    rows = sorted((row(name, one.amounts.exact_ns // MS) for name, one in boots.items()), key=lambda r: r.ns("goal_ns"))
    return {one.id: one for one in with_board(exactly(words), rows, boots)}


def test_what_is_loaded_is_waited_for_and_what_is_read_may_hide():
    found = judged("card-20MB,no-console", ram=boot(1000, 10), disk=boot(1100, 2, (4, 4), 150))
    assert (found["ram"].ns("board_least_ns"), found["ram"].ns("board_most_ns")) == (1500 * MS, 1500 * MS)
    # 4 MB take 200 ms, of which the 150 ms of computing may hide all but 50.
    assert (found["disk"].ns("board_least_ns"), found["disk"].ns("board_most_ns")) == (1250 * MS, 1400 * MS)
    assert found["ram"].values["board_verdict"] == "first"
    assert found["disk"].values["board_verdict"] == "faster"


def test_what_was_not_counted_lies_between_nothing_and_the_whole_image():
    found = judged("card-20MB,no-console", ram=boot(1000, 10), disk=boot(1100, 2, (0, 10), 100))
    assert (found["disk"].ns("board_least_ns"), found["disk"].ns("board_most_ns")) == (1200 * MS, 1700 * MS)
    assert found["disk"].values["board_verdict"] == "depends on the board"


@pytest.mark.parametrize(("rate", "verdict"), [(1, "faster"), (50, "slower"), (200, "slower")])
def test_the_rate_from_which_on_a_row_pays(rate, verdict):
    found = judged(f"card-{rate}MB,no-console", large=boot(1000, 10), small=boot(1500, 1))
    assert found["small"].values["board_verdict"] == verdict
    # 9 MB less for 500 ms more.
    assert found["small"].values["board_turns"] == "small wins below 18 MB/s"


def test_an_interval_across_that_rate_depends():
    boots = {"large": boot(1000, 10), "small": boot(1500, 1)}
    found = judged("sd-hs,no-console", **boots)
    assert found["small"].values["board_verdict"] == "depends on the board"
    costs = costs_of("sd-hs,no-console")
    text = said(costs, list(found.values()), boots)
    assert text.startswith(f"on the board ({costs.name}): ")
    assert "1 other may be faster there: small wins below" in text


def test_a_row_that_failed_has_no_time_and_is_no_measure():
    boots = {"good": boot(1000, 1)}
    rows = with_board(exactly("card-20MB,no-console"), [row("bad", 10, ok=False), row("good", 1000)], boots)
    assert [one.ns("board_most_ns") for one in rows] == [None, 1050 * MS]
    assert rows[1].values["board_verdict"] == "first"
    assert best(rows) is rows[1]
    assert said(costs_of("card-20MB"), rows[:1], boots) == ""


def test_what_is_slower_at_the_same_prices_may_not_be_faster():
    boots = {"large": boot(1000, 20), "small": boot(1010, 19.5)}
    costs = costs_of("sd-card-20MB,115200")
    found = {one.id: one for one in with_board(costs, [row("large", 1000), row("small", 1010)], boots)}
    # One medium gives both, as slow for the one as for the other, so that crossing ends mean nothing.
    assert found["large"].ns("board_least_ns") < found["small"].ns("board_most_ns")
    assert found["small"].values["board_verdict"] == "faster"
    assert "may be faster" not in said(costs, list(found.values()), boots)
