# SPDX-License-Identifier: MIT
"""A sample pairs boots by their dither, and counts only those that reached their goal."""

from __future__ import annotations

from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.sample import Sample, Spread


def _boot(goal_ns: int | None, outcome: Outcome = Outcome.GOAL) -> Recording:
    return Recording(meta=Meta(goal_ns=goal_ns, outcome=outcome), lines=(), marks=())


def test_pairs_are_those_dithers_that_both_were_booted_under() -> None:
    base, variant = (_boot(10), _boot(20), _boot(30)), (_boot(11), _boot(21))
    sample = Sample(base=base, variant=variant, dithers=("as it is", "1", "2"))
    assert [(b.meta.goal_ns, v.meta.goal_ns) for b, v in sample.pairs] == [(10, 11), (20, 21)]


def test_a_boot_without_its_goal_has_no_time() -> None:
    sample = Sample(base=(_boot(10),), variant=(_boot(11), _boot(5, Outcome.PANIC)), dithers=("as it is", "1"))
    assert sample.variant_goals_ns == (11,)


def test_the_spread_is_median_and_range() -> None:
    spread = Spread.of((30, 10, 20, 15))
    assert spread is not None
    assert (spread.boots, spread.median_ns, spread.first_ns, spread.last_ns, spread.range_ns) == (4, 18, 10, 30, 20)
    assert Spread.of(()) is None
