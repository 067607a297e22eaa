# SPDX-License-Identifier: MIT
"""A change that is faster up to a wait for the clock is told so: the goal's time is no gain of it."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.model.change import Change
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Effect, Hold, Trial, Verdict
from bootlab.results.document import BootSummary, RunDocument
from bootlab.views.run import headline, page_data, tables
from tests.views import report_sample as sample

MS = 1_000_000
HOLD = Hold(
    after="waits for the second",
    before="second turned",
    kind="absorbs",
    idle_ns=(10 * MS, 500 * MS),
    base_ns=(400 * MS,) * 3,
    variant_ns=(360 * MS,) * 3,
    verdict=Verdict.FASTER,
)


def trial(name: str, goal_ms: int, hold: Hold | None = None, verdict: Verdict = Verdict.FASTER) -> Trial:
    return Trial(
        change=Change(technique=name, ops=()),
        verdict=verdict,
        base_key="k",
        key=name,
        base_ns=1000 * MS,
        goal_ns=goal_ms * MS,
        effect=Effect(shown=True, evidence="seen"),
        reason="the goal waits for the clock" if hold else "",
        hold=hold,
    )


def results(*trials: Trial) -> RunDocument:
    base = BootSummary(key="k", outcome=Outcome.GOAL, goal_ns=1000 * MS)
    return msgspec.structs.replace(sample.results("try", initcalls=0), base=base, trials=trials, modelled=None)


@pytest.mark.parametrize("goal_ms", [1002, 700])
def test_the_headline_claims_no_gain_of_the_goal(goal_ms):
    """Whether the wait ended later or a whole period sooner: neither is the change's doing."""
    run = results(trial("held", goal_ms, HOLD), trial("dull", 1000, verdict=Verdict.SAME))
    said = headline.answer(run)
    assert said.endswith("1 of 2 changes makes it faster, only up to a wait that decides when the goal comes")
    assert headline.by_what(run) == "largest gains: held \u221240.000 ms before the wait"
    assert page_data._answer(run)["times"] == page_data._answer(results())["times"]


def test_the_best_is_one_whose_goal_comes_sooner():
    run = results(trial("held", 700, HOLD), trial("sure", 900))
    said = headline.answer(run)
    assert "2 of 2 changes make it faster, 1 of them only up to a wait" in said
    assert ", the best, sure, to 900.000 ms" in said
    assert "sure \u2212100.000 ms" in headline.by_what(run)


def test_the_row_says_first_why_its_verdict_is_not_its_figures():
    assert tables.proof(trial("held", 1002, HOLD)) == "the goal waits for the clock; seen"
    assert tables.proof(trial("sure", 900)) == "seen"


def test_a_wait_that_is_only_shorter_holds_nothing():
    shorter = msgspec.structs.replace(HOLD, kind="shorter")
    assert not trial("t", 900, shorter).before_wait
    assert headline.answer(results(trial("t", 900, shorter))).endswith(
        "the best, t, to 900.000 ms: 1.1 times as fast, \u221210.0 %"
    )
