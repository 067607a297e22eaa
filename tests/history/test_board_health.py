# SPDX-License-Identifier: MIT
"""Boards that fail more than they should are said to be ill; images that never work say nothing of a board."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from bootlab.history.board_health import ALLOWED, LOOKED_AT, at_least, boards
from bootlab.history.boot_times import BOARD_BOOTED
from bootlab.history.entry import HistoryEntry
from bootlab.model.recording import Outcome
from tests.history.boots import entry


def boot(number: int, *, board: str = "camera-1", ends: Outcome = Outcome.GOAL, revision: str = "r1") -> HistoryEntry:
    made = entry(3000 if ends is Outcome.GOAL else None, number=number, revision=revision)
    times = msgspec.structs.replace(made.times, outcome=ends, facts={BOARD_BOOTED: board} if board else {})
    return msgspec.structs.replace(made, times=times, id=number)


def test_a_board_that_fails_often_is_ill_and_its_neighbour_is_not() -> None:
    bad = {3, 7, 11, 12, 18}
    made = [boot(n, ends=Outcome.HANG if n in bad else Outcome.GOAL) for n in range(20)]
    made += [boot(100 + n, board="camera-2", ends=Outcome.HANG if n == 4 else Outcome.GOAL) for n in range(20)]
    ill, well = boards(made)
    assert (ill.name, len(ill.failed), ill.judged, ill.ill) == ("camera-1", 5, 20, True)
    assert (well.name, len(well.failed), well.judged, well.ill) == ("camera-2", 1, 20, False)


def test_an_image_that_never_works_says_nothing_of_the_board() -> None:
    made = [boot(n) for n in range(6)] + [boot(6 + n, ends=Outcome.PANIC, revision="broken") for n in range(6)]
    (board,) = boards(made)
    assert (len(board.failed), board.judged, board.unjudged, board.ill) == (0, 6, 6, False)
    assert board.last_good is made[5]
    # The same image works elsewhere: then it is the board's.
    ill, _ = boards([*made, boot(40, board="camera-2", revision="broken")])
    assert (len(ill.failed), ill.ill) == (6, True)


def test_a_switch_that_fails_counts_whatever_is_booted() -> None:
    made = [boot(n, ends=Outcome.POWER_FAILED, revision="never") for n in range(2)]
    (board,) = boards(made)
    assert board.ill
    assert board.last_good is None


def test_one_failure_is_no_illness_and_no_board_is_none() -> None:
    made = [boot(0), boot(1, ends=Outcome.HANG)]
    (board,) = boards(made)
    assert len(board.failed) == 1
    assert not board.ill
    assert boards([boot(0, board="")]) == []


def test_only_the_newest_boots_count() -> None:
    made = [boot(n, ends=Outcome.HANG if n < 30 else Outcome.GOAL) for n in range(30 + LOOKED_AT)]
    (board,) = boards(reversed(made))
    assert (len(board.failed), board.judged, board.ill) == (0, LOOKED_AT, False)


def test_a_board_that_fails_as_often_as_it_may_is_rarely_called_ill() -> None:
    random = np.random.default_rng(7)
    called = sum(
        at_least(int(random.binomial(n, ALLOWED)), n, ALLOWED) < 0.025 for n in (5, 20, 60) for _ in range(1000)
    )
    assert called <= 0.03 * 3000
    assert at_least(0, 10, ALLOWED) == pytest.approx(1)
