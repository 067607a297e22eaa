# SPDX-License-Identifier: MIT
"""Nothing that comes later is kept or called faster, whatever the boots are, unless a wait explains it."""

from __future__ import annotations

import statistics

from hypothesis import given, settings
from hypothesis import strategies as st

from bootlab.analysis import parts
from bootlab.analysis.sequential_test import design, judge
from bootlab.experiments.on_top import OnTop
from bootlab.model.change import Change
from bootlab.model.recording import Meta, Recording
from bootlab.model.sample import Sample
from bootlab.model.verdict import Hold, Trial, Verdict

MS = 1_000_000
GOALS = st.lists(st.integers(90 * MS, 110 * MS), min_size=9, max_size=9).map(tuple)
RULE = design(5)


class Boots:
    """Boots of one system that are all made: `ask` shows more of them."""

    def __init__(self, goals_ns: tuple[int, ...]) -> None:
        self.all = tuple(Recording(meta=Meta(goal_ns=ns), lines=(), marks=()) for ns in goals_ns)
        self.asked = 0

    def ask(self, count: int) -> None:
        self.asked = max(self.asked, count)

    def wait(self, count: int) -> tuple[Recording, ...]:
        self.ask(count)
        return self.all[:count]

    def recordings(self) -> tuple[Recording, ...]:
        return self.all[: max(1, self.asked)]


def sample(here: Boots, there: Boots) -> Sample:
    return Sample(base=here.recordings(), variant=there.recordings(), dithers=())


@settings(max_examples=300)
@given(GOALS, GOALS, st.booleans(), st.integers(0, 5 * MS))
def test_a_step_is_kept_only_if_it_saves_time(old, new, full, range_ns):
    here, there = Boots(old), Boots(new)
    rule = OnTop(rule=RULE, full=full, range_ns=range_ns, sample=sample)
    verdict, _ = rule.compare(here, there)
    if verdict is Verdict.FASTER:
        seen = [tuple(boot.meta.goal_ns for boot in side.recordings()) for side in (here, there)]
        assert statistics.median(seen[0]) > statistics.median(seen[1])


def test_a_step_that_loses_2_ms_is_not_kept():
    here, there = Boots((100 * MS,) * 9), Boots((102_300_000,) * 9)
    verdict, why = OnTop(rule=RULE, full=True, range_ns=0, sample=sample).compare(here, there)
    assert (verdict, "comes to its goal later" in why) == (Verdict.UNKNOWN, True)
    there = Boots((97_700_000,) * 9)
    verdict, _ = OnTop(rule=RULE, full=True, range_ns=0, sample=sample).compare(here, there)
    assert verdict is Verdict.FASTER


@settings(max_examples=300)
@given(GOALS, GOALS, st.integers(1, 9))
def test_a_trial_is_faster_only_where_its_goals_are(old, new, count):
    judgement = judge(old[: RULE.base_boots], new[:count], RULE)
    if judgement.verdict is Verdict.FASTER:
        assert judgement.saved_ns > 0
    if judgement.verdict is Verdict.SLOWER:
        assert judgement.saved_ns < 0


def test_only_a_wait_that_holds_the_goal_turns_a_verdict():
    hold = Hold(
        after="a",
        before="b",
        kind="shorter",
        idle_ns=(1, 2),
        base_ns=(9 * MS,),
        variant_ns=(5 * MS,),
        verdict=Verdict.FASTER,
    )
    slower = Trial(
        change=Change(technique="t", ops=()), verdict=Verdict.SLOWER, base_key="k", base_ns=100, goal_ns=110, hold=hold
    )
    assert parts.judged(slower).verdict is Verdict.SLOWER
    held = Hold(**{name: getattr(hold, name) for name in hold.__struct_fields__} | {"kind": "absorbs"})
    turned = parts.judged(Trial(**{n: getattr(slower, n) for n in slower.__struct_fields__} | {"hold": held}))
    assert turned.verdict is Verdict.FASTER
    assert turned.reason.startswith("the goal waits for the clock between")
