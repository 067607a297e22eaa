# SPDX-License-Identifier: MIT
"""Both are said: what a change saves, and what reaches the goal; a goal that waits for the clock judges nothing."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.grid import holding_wait
from bootlab.analysis.parts import judged, own_saving, undecided
from bootlab.analysis.schedule import stage_verdicts, steady_part
from bootlab.model.change import Change
from bootlab.model.recording import Mark
from bootlab.model.verdict import Trial, Verdict
from tests.analysis.boots_of_events import MS, boot

DITHERS = (0.0, 0.4, -0.3, 0.7, -0.6)
WILD = (0, 90, -30, 160, 45)


def trial(base, variant, verdict, **more):
    goals = [tuple(r.meta.goal_ns for r in side) for side in (base, variant)]
    return Trial(
        change=Change(technique="t", ops=()),
        verdict=verdict,
        base_key="k",
        base_ns=goals[0][0],
        goal_ns=goals[1][0],
        base_samples_ns=goals[0],
        samples_ns=goals[1],
        stage_verdicts=stage_verdicts(base, variant),
        steady=steady_part(base, variant),
        hold=holding_wait(base, variant),
        **more,
    )


def unpacked(ms, dither, wild):
    made = boot(
        ("Linux version", 300 + ms, 0), ("Welcome", 800 + dither, 0), ("Started", 200 + wild, 0), ("goal", 900, 0)
    )
    marks = (
        *made.marks,
        Mark("decompression", 300 * MS, 150 * MS),
        Mark("kernel-image", (300 + ms) * MS, (300 + ms) * MS // 2),
    )
    return msgspec.structs.replace(made, marks=marks)


def side(ms, wild=WILD, boots=5):
    return [unpacked(ms, d, w) for d, w in list(zip(DITHERS, wild, strict=True))[:boots]]


def test_a_proved_saving_is_said_beside_a_goal_that_dithers_move():
    found = judged(trial(side(400), side(203, tuple(reversed(WILD))), Verdict.SAME, reason="not told apart"))
    assert found.verdict is Verdict.SAME
    assert found.reason == (
        "saves 197.0 ms of decompression; saves 197.0 ms up to “Welcome” (98.5 million instructions), after which "
        "dithers move “Started”; the goal moves within the dithers (\u221274.7 to +116.3 ms); not told apart"
    )


def test_nothing_proved_nothing_said():
    same = trial(side(400), side(400), Verdict.SAME, reason="not told apart")
    assert judged(same) == same
    assert own_saving(same) == ""


def test_what_the_change_itself_saves_is_said_of_a_faster_one_too():
    found = judged(trial(side(400), side(203), Verdict.FASTER))
    assert found.verdict is Verdict.FASTER
    itself = "saves 197.0 ms up to “Welcome” (98.5 million instructions), after which dithers move “Started”"
    assert own_saving(found) == itself
    assert found.reason == (
        f"saves 197.0 ms of decompression; {itself}; dithers alone move the goal (\u221274.7 to +116.3 ms)"
    )


def test_where_the_boots_agree_up_to_the_goal_its_time_says_it_all():
    calm = (0, 1, -1, 0.5, 0)
    found = judged(trial(side(400, calm), side(203, calm), Verdict.FASTER))
    assert found.steady.until == "goal"
    assert found.reason == ""
    assert own_saving(found) == ""


@pytest.mark.parametrize(("boots", "more"), [(1, True), (3, True), (5, False)])
def test_further_boots_are_asked_for_where_a_part_lies_apart(boots, more):
    assert undecided(trial(side(400), side(203, boots=boots), Verdict.SAME)) is more
    assert not undecided(trial(side(400), side(400, boots=boots), Verdict.SAME))
    assert not undecided(trial(side(400), side(203, boots=boots), Verdict.BROKEN))


def waited(work, wait):
    return boot(("waiting", work, 0), ("goal", 2, wait))


def test_a_wait_for_the_clock_takes_the_verdict_away():
    base = [waited(500 + d, 500 - d) for d in DITHERS]
    variant = [waited(487 + d, 513 - d) for d in DITHERS]
    found = judged(trial(base, variant, Verdict.SAME, reason="within 0.050 ms"))
    assert found.verdict is Verdict.FASTER
    assert "waits for the clock between “waiting” and “goal” (499.3 to 513.6 ms)" in found.reason
    assert found.reason.endswith("the wait begins 13.0 ms earlier")
    few = judged(trial(base[:1], variant[:1], Verdict.FASTER))
    assert few.verdict is Verdict.UNKNOWN
    assert few.reason.endswith("13.0 ms earlier, in too few boots to say so")


def test_a_shorter_wait_is_named_and_counts():
    base, variant = ([waited(500 + d, wait) for d in DITHERS] for wait in (5000, 0))
    found = judged(trial(base, variant, Verdict.FASTER))
    assert found.verdict is Verdict.FASTER
    assert found.reason == "5000.0 ms less idle between “waiting” and “goal”"


def test_what_is_broken_stays_broken():
    base, variant = ([waited(work, 1000 - work)] for work in (500, 480))
    broken = trial(base, variant, Verdict.BROKEN, reason="panic")
    assert judged(broken) == broken
