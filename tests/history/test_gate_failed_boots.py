# SPDX-License-Identifier: MIT
"""Boots that failed, of the base and of the candidate, and those that the host ended."""

from __future__ import annotations

import pytest

from bootlab.history import budget as budgets
from bootlab.history.boot_times import BootTimes, Side
from bootlab.history.gate import GateAnswer, gate
from bootlab.model.recording import Outcome
from bootlab.views.gate.text import gate_view, sentence
from tests.history.gate_sides import noisy
from tests.rendered import to_text


def failed(key: str, outcome: Outcome = Outcome.HANG, *, by_host: bool = False) -> BootTimes:
    return BootTimes(key=key, outcome=outcome, clock="virtual", by_host=by_host, not_measured={"total": "never"})


def test_a_failed_boot_of_the_base_is_left_out_and_counted() -> None:
    """One of thirty made the answer undecided, for a clock and a limit that had nothing to do with it."""
    good = noisy(29, seed=1, name="history")
    base = Side(name="history", boots=(*good.boots[:7], failed("bad"), *good.boots[7:]))
    found = gate(noisy(30, seed=2), base, [budgets.parse("kernel=+5%")])
    assert found.answer is GateAnswer.PASSED, sentence(found)
    assert found.boots == (29, 30)
    assert found.odd[0] == "history: 1 of 30 boots failed (1 hang) and are left out"
    assert found.odd[0] in to_text(gate_view(found))
    assert gate(noisy(30, seed=2, total_ms=3200), base, []).answer is GateAnswer.FAILED


def test_a_base_in_which_every_boot_failed_says_so() -> None:
    found = gate(noisy(30, seed=2), Side(name="history", boots=(failed("a"), failed("b"))), [])
    assert found.answer is GateAnswer.UNDECIDED
    assert "a boot ended as hang" in sentence(found)
    assert "clock" not in sentence(found)
    assert "0.000 ms" not in to_text(gate_view(found))


@pytest.mark.parametrize(
    ("rate", "answer"),
    [(0.0, GateAnswer.FAILED), (0.05, GateAnswer.FAILED), (0.1, GateAnswer.PASSED), (1.0, GateAnswer.PASSED)],
)
def test_failed_boots_of_the_candidate_are_judged_by_a_rate(rate: float, answer: GateAnswer) -> None:
    good = noisy(27, seed=2)
    new = Side(
        name="new", boots=(failed("x"), *good.boots[:20], failed("y", Outcome.PANIC), *good.boots[20:], failed("z"))
    )
    found = gate(new, noisy(30, seed=1, name="base"), [budgets.parse("total=4s")], failure_rate=rate)
    assert found.answer is answer, sentence(found)
    assert found.total is not None
    assert len(found.total.new_ns) == 27
    if answer is GateAnswer.PASSED:
        assert found.odd[0] == "new: 3 of 30 boots failed (2 hang, 1 panic) and are left out"
    else:
        assert found.failures.count("a boot ended as hang") == 2


def test_boots_that_the_host_ended_fail_nothing_and_pass_nothing() -> None:
    good = noisy(29, seed=2)
    new = Side(name="new", boots=(*good.boots, failed("x", Outcome.POWER_FAILED, by_host=True)))
    found = gate(new, noisy(30, seed=1, name="base"), [], failure_rate=1.0)
    assert found.answer is GateAnswer.UNDECIDED
    assert found.total is not None
    assert found.total.judged is not None


def test_pairs_stay_pairs_where_a_boot_of_one_failed() -> None:
    """Both boots of that block are left out: those behind it would be paired with others."""
    base, new = noisy(12, seed=1, name="base"), noisy(12, seed=2)
    base = Side(name="base", boots=(failed("x"), *base.boots[1:]))
    new = Side(name="new", boots=(*new.boots[:11], failed("y")))
    found = gate(new, base, [], paired=True, failure_rate=0.5)
    assert found.total is not None
    assert found.total.base_ns == tuple(b.values["total"] for b in base.boots[1:11])
    assert found.total.new_ns == tuple(b.values["total"] for b in new.boots[1:11])
