# SPDX-License-Identifier: MIT
"""What a run's notes say when none, one or all of its boots failed."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.sequential_test import design
from bootlab.experiments.base import with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.stacked import Stacked
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.results import assemble
from tests.experiments.fake_bench import FakeTarget, additive, base_of

WORKS = Recording(meta=Meta(goal_ns=1), lines=(), marks=())
HANGS = Recording(meta=Meta(outcome=Outcome.HANG), lines=(), marks=())
PANICS = Recording(meta=Meta(outcome=Outcome.PANIC), lines=(), marks=())


@pytest.mark.parametrize(
    ("boots", "said"),
    [
        ((WORKS, WORKS), ""),
        ((), ""),
        ((WORKS, HANGS), "1 of 2 boots of the stacked system failed (1 hang): do not rely on it"),
        (
            (HANGS, PANICS, HANGS),
            "3 of 3 boots of the stacked system failed (2 hang, 1 panic): do not rely on it",
        ),
    ],
)
def test_a_stack_of_which_boots_fail_says_so(boots: tuple[Recording, ...], said: str):
    stacked = Stacked(changes=(), steps=(), left_out=(), recording=WORKS, boots=boots)
    assert assemble.failed_stack_note(stacked) == said


@pytest.mark.parametrize(("failing", "said"), [((), 0), ((3,), 1), ((2, 3, 4), 3)])
def test_a_base_says_with_how_many_neutral_changes_it_fails(tmp_path, failing: tuple[int, ...], said: int):
    class Dated(FakeTarget):
        def boot(self, plan, folder, **rest):
            self.cost = lambda _params: Outcome.PANIC if plan.system.clock.seed in failing else 100
            return super().boot(plan, folder, **rest)

    with Bench(Dated(additive(100)), tmp_path, jobs=1) as bench:
        base = with_dithers(bench, base_of(bench), design(5))
    notes = [note for note in assemble.notes(base) if "the base itself fails" in note]
    assert [note.split(" neutral")[0] for note in notes] == ([f"with {said}"] if said else [])


def test_a_noisy_base_takes_the_most_boots_of_it_that_a_trial_had():
    noisy = assemble.BootSummary(clock="wall", goal_ns=5)
    trials = [
        msgspec.convert(
            {"change": {"technique": "t", "ops": []}, "verdict": "same", "base_key": "b", "base_samples_ns": samples},
            assemble.Trial,
        )
        for samples in ((1, 2), (1, 2, 3), ())
    ]
    assert assemble.with_samples(noisy, trials).samples_ns == (1, 2, 3)
    assert assemble.with_samples(noisy, ()) == noisy
