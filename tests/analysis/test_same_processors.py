# SPDX-License-Identifier: MIT
"""Boots of other numbers of processors, modes and quanta are never compared."""

from __future__ import annotations

import itertools

import pytest

from bootlab.analysis.equality import compare_boots
from bootlab.analysis.same_processors import processors_of, require_same_processors
from bootlab.errors import MeasurementError
from bootlab.experiments.judged_sample import judge_sample
from bootlab.model.processors import Processors, why_not_compared
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.sample import Sample
from bootlab.model.system import Goal, Kernel, SystemDescription
from tests.launches import launch

SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="g"))
CLOCKS = (
    Processors(),
    Processors(count=2, mode="parallel", quantum_ns=5000),
    Processors(count=4, mode="parallel", quantum_ns=5000),
    Processors(count=4, mode="parallel", quantum_ns=20000),
    Processors(count=4, mode="shared"),
)
ALONE = Processors(count=4, mode="shared", alone=True)


def boot(processors: Processors, **meta: object) -> Recording:
    facts = {"outcome": Outcome.GOAL, "goal_ns": 10**9, "goal_insns": 5, "processors": processors} | meta
    return Recording(meta=Meta(**facts), lines=(), marks=())


@pytest.mark.parametrize(("first", "other"), list(itertools.permutations(CLOCKS, 2)))
def test_each_pair_is_refused_by_name_of_both(first, other):
    said = why_not_compared(first, other)
    assert (first.text or "1 processor") in said
    assert (other.text or "1 processor") in said
    sample = Sample(base=(boot(first),), variant=(boot(other),), dithers=("as it is",))
    with pytest.raises(MeasurementError, match="boots on different processors are not compared") as caught:
        judge_sample(sample, None)
    assert "--quantum" in caught.value.hint
    with pytest.raises(MeasurementError, match="not compared"):
        compare_boots(SYSTEM, (boot(first), boot(other)), {})


@pytest.mark.parametrize("clock", CLOCKS)
def test_equal_clocks_are_compared(clock):
    require_same_processors((boot(clock), boot(clock)))


@pytest.mark.parametrize("clock", CLOCKS[2:])
def test_one_that_runs_alone_has_the_clock_of_every_mode(clock):
    require_same_processors((boot(clock), boot(ALONE)))
    require_same_processors((boot(ALONE), boot(clock)))
    with pytest.raises(MeasurementError, match="2 processors"):
        require_same_processors((boot(CLOCKS[1]), boot(ALONE)))


def test_old_recordings_of_several_had_one_running():
    old = boot(Processors(), launch=launch(processors=4))
    assert processors_of(old) == ALONE
    assert processors_of(boot(Processors(), launch=launch())) == Processors()


def test_what_a_report_says_of_one_alone():
    assert ALONE.text == "4 processors, one brought up"
    assert "3 processors that the command line leaves off" in ALONE.not_modelled


@pytest.mark.parametrize(
    ("clock", "others"),
    [
        (CLOCKS[2], (2000, 20000)),
        (Processors(count=2, mode="parallel", quantum_ns=100), (400,)),
        (Processors(count=2, mode="parallel", quantum_ns=10**9), (4 * 10**8,)),
        *((clock, ()) for clock in (CLOCKS[0], CLOCKS[4], ALONE)),
    ],
)
def test_quanta_to_look_at_besides(clock, others):
    assert clock.other_quanta_ns() == others
