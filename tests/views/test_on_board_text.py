# SPDX-License-Identifier: MIT
"""A run that decided by a board's time: both answers, both columns, and nothing of a board where none was given."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.costs.named import costs_of
from bootlab.costs.prices import board_row
from bootlab.model.costs import Amounts, Between, TurningPoint
from bootlab.model.verdict import OnBoard, Verdict
from bootlab.views.run import markdown, on_board, terminal
from bootlab.views.run.headline import headline, modelled_lines
from bootlab.views.run.page_data import page_data
from tests.rendered import to_text
from tests.views import report_sample

MS = 1_000_000
COSTS = costs_of("emmc-hs200,115200")
BASE = Amounts(exact_ns=3000 * MS, characters=11520, image_bytes=20 * MS, images=2)
STACK = Amounts(exact_ns=1000 * MS, characters=1152, image_bytes=20 * MS, images=2)
TURN = TurningPoint(of="medium", at=Between(31e6, 31e6), faster="above")


@pytest.fixture
def results():
    whole = report_sample.results("stack")
    depends = OnBoard(
        verdict=Verdict.DEPENDS, saved_ns=(-9 * MS, 7 * MS), base_ns=(0, 0), goal_ns=(0, 0), turns=(TURN,)
    )
    faster = msgspec.structs.replace(depends, verdict=Verdict.FASTER, saved_ns=(5 * MS, 7 * MS), turns=())
    first, second, *others = whole.trials
    trials = (msgspec.structs.replace(first, board=depends), msgspec.structs.replace(second, board=faster), *others)
    rows = (board_row(COSTS, "base", BASE), board_row(COSTS, "stack", STACK))
    return msgspec.structs.replace(whole, costs=COSTS, board=rows, modelled=None, trials=trials)


def test_the_answer_says_both(results):
    said = headline(results)
    assert "virtual ms" in said
    assert "times as fast on this board (1,199 to 1,370 ms of 4,069 to 4,356 ms, by emmc-hs200,115200)" in said
    low, high = (float(word) for word in said.split("; ")[1].split(" times")[0].split(" to "))
    assert 4102 / 1360 - 0.01 <= low < high <= 4331 / 1202 + 0.01, "one board has both times"


def test_the_page_says_the_boards_answer_before_what_it_is_made_of(results):
    answer = page_data(results, {})["answer"]
    assert answer["by_board"]
    assert answer["modelled"][0] == on_board.answer(results)


def test_what_depends_says_from_where_on(results):
    first = results.trials[0].change.id
    assert f"depends on the board: {first} wins above 31 MB/s" in modelled_lines(results)
    assert any(line.startswith("base on the board (modelled): ") for line in modelled_lines(results))


def test_both_columns_stand_side_by_side(results):
    for text in (to_text(terminal.results_view(results, everything=True)), markdown.render(results)):
        assert "depends on the board" in text
        assert "saved there" in text
        assert "exact time and what it adds" in text


def test_an_unknown_medium_is_said(results):
    wide = msgspec.structs.replace(results, costs=costs_of("115200"))
    assert modelled_lines(wide)[-1] == "not known of the board, so its answers are wide: medium"


def test_without_a_stack_the_best_change_on_the_board_is_named(results):
    tried = msgspec.structs.replace(results, stack=None, board=results.board[:1])
    assert f"the best, {results.trials[1].change.id}, by 5 to 7 of 4,069 to 4,356 ms" in on_board.answer(tried)


def test_without_costs_nothing_is_said_of_a_board():
    exact = report_sample.results("stack")
    assert on_board.answer(exact) == ""
    assert on_board.lines(exact) == ()
