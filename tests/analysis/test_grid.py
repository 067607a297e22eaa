# SPDX-License-Identifier: MIT
"""A goal that waits for the clock: the wait is found, and what comes before it is judged."""

from __future__ import annotations

import itertools
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.analysis.grid import clusters, holding_wait, period_ns
from bootlab.model.processors import Processors
from bootlab.model.recording import Meta, Recording
from bootlab.model.verdict import Verdict
from tests.analysis.boots_of_events import MS, boot

DITHERS = (0.0, 0.4, -0.3, 0.7, -0.6)


def held(work_ms, period_ms=1000.0, phase_ms=0.0, behind_ms=2.0):
    """Boot an application that waits for the next point of a grid once its work is done."""
    point = math.floor((work_ms - phase_ms) / period_ms + 1) * period_ms + phase_ms
    return boot(("start", 100, 0), ("waiting", work_ms - 100, 0), ("goal", behind_ms, point - work_ms))


def clocked(before_ms, after_ms):
    """Boot one whose clock is set half a second into a second, after `before_ms`; then work, then the wait."""
    wait = math.floor((after_ms - 500) / 1000 + 1) * 1000 + 500 - after_ms
    return boot(("clock set", before_ms, 0), ("waiting", after_ms, 0), ("goal", 2, wait))


def test_the_wait_absorbs_what_was_lost_before_it():
    base, variant = ([held(work + d) for d in DITHERS] for work in (1005, 1018))
    assert base[0].meta.goal_ns == variant[0].meta.goal_ns
    hold = holding_wait(base, variant)
    assert hold is not None
    assert (hold.after, hold.before, hold.kind) == ("waiting", "goal", "absorbs")
    assert (hold.verdict, hold.saved_ns) == (Verdict.SLOWER, -13 * MS)


@pytest.mark.parametrize("dithers", [DITHERS, DITHERS[:1]])
def test_985_ms_earlier_that_are_13_ms_later(dithers):
    # 18 ms slower up to the setting of the clock, 5 ms faster behind it: just in time for an earlier second.
    base = [clocked(300, 503 + d) for d in dithers]
    variant = [clocked(318, 498 + d) for d in dithers]
    assert (base[0].meta.goal_ns or 0) - (variant[0].meta.goal_ns or 0) == 982 * MS
    hold = holding_wait(base, variant)
    assert hold is not None
    assert (hold.kind, hold.saved_ns, hold.decides) == ("turns", -13 * MS, True)
    assert hold.verdict is (Verdict.SLOWER if len(dithers) > 1 else Verdict.UNKNOWN)


def test_dithers_show_the_jump_and_the_work_before_it_is_judged():
    # 999.7 ms of work, dithered over the turn of the second: some boots take a second more.
    base = [held(999.7 + d) for d in DITHERS]
    variant = [held(999.7 - 12 + d) for d in DITHERS]
    goals = {round((r.meta.goal_ns or 0) / MS) for r in base}
    assert goals == {1002, 2002}
    hold = holding_wait(base, variant)
    assert hold is not None
    assert (hold.kind, hold.period_ns, hold.verdict, hold.saved_ns) == ("jumps", 1000 * MS, Verdict.FASTER, 12 * MS)
    assert hold.idle_ns[1] > 999 * MS


def test_a_wait_holds_no_minute_that_is_saved_behind_it():
    # A link comes up on a grid of 17 ms; behind it, user space waits for a minute, and in the variant it does not.
    links = (427, 444, 461, 444, 461)
    base, variant = (
        [boot(("probe", 500, 0), ("link", 2, link), ("goal", 50, still)) for link in links] for still in (61_000, 0)
    )
    hold = holding_wait(base, variant)
    assert hold is not None
    assert (hold.after, hold.before, hold.kind) == ("link", "goal", "shorter")
    assert not hold.decides
    # Where what comes behind the link is the same, the link decides.
    held_by_link = holding_wait(base, base)
    assert held_by_link is not None
    assert (held_by_link.before, held_by_link.decides) == ("link", True)


def test_short_sleeps_that_the_goal_does_not_follow_hold_nothing():
    # An initrd sleeps 330 to 342 ms in all; what comes behind it scatters by as much, whatever the sleeps were.
    sleeps, behind = (341, 338, 338, 330, 341), (25, 37, 40, 38, 22)
    base = [
        boot(("start", 100, 0), ("root", 3000, s), ("goal", 6000 + b, 0)) for s, b in zip(sleeps, behind, strict=True)
    ]
    assert holding_wait(base, ()) is None
    # The same sleeps decide where nothing else differs.
    quiet = [boot(("start", 100, 0), ("root", 3000, s), ("goal", 6000, 0)) for s in sleeps]
    hold = holding_wait(quiet, ())
    assert hold is not None
    assert (hold.after, hold.kind) == ("start", "jumps")


def test_of_processors_that_run_at_once_no_wait_is_told():
    def on_four(recording, **settings):
        there = Processors(count=4, mode="parallel", quantum_ns=5000, **settings)
        return msgspec.structs.replace(recording, meta=msgspec.structs.replace(recording.meta, processors=there))

    base, variant = ([held(work + d) for d in DITHERS] for work in (1005, 1018))
    assert holding_wait([on_four(b) for b in base], [on_four(v) for v in variant]) is None
    assert holding_wait([on_four(b, alone=True) for b in base], [on_four(v, alone=True) for v in variant]) is not None


def test_the_base_alone_shows_a_jump():
    hold = holding_wait([held(999.7 + d) for d in DITHERS], ())
    assert hold is not None
    assert hold.saved_ns is None
    assert hold.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("saved", [0, 40])
def test_a_wait_of_a_fixed_length_holds_nothing(saved):
    def slept(work):
        return boot(("waiting", work, 0), ("woken", 1, 500), ("goal", 3, 0))

    assert holding_wait([slept(100 + d) for d in DITHERS], [slept(100 - saved + d) for d in DITHERS]) is None


def test_a_change_that_removes_a_wait_is_no_grid():
    def probed(work, wait):
        return boot(("probing", work, 0), ("found", 1, wait), ("goal", 3, 0))

    hold = holding_wait([probed(100 + d, 5000) for d in DITHERS], [probed(113 + d, 40) for d in DITHERS])
    assert hold is not None
    assert (hold.kind, hold.decides, hold.idle_saved_ns, hold.saved_ns) == ("shorter", False, 4960 * MS, -13 * MS)


def test_the_kernels_own_tick_is_no_grid():
    def ticked(work):
        return held(work, period_ms=4)

    assert holding_wait([ticked(103 + 5 * d) for d in DITHERS], [ticked(99 + 5 * d) for d in DITHERS]) is None


def test_work_is_no_wait():
    def worked(work):
        return boot(("start", 100, 0), ("goal", work, 0))

    assert holding_wait([worked(500 + 100 * d) for d in DITHERS], [worked(300 + d) for d in DITHERS]) is None


def test_boots_that_ended_before_the_goal_are_not_judged():
    no_goal = Recording(meta=Meta(shift=1), lines=(), marks=())
    assert holding_wait([no_goal], [no_goal]) is None
    assert holding_wait([], []) is None


@given(
    period=st.sampled_from([100, 250, 500, 1000]),
    points=st.lists(st.integers(1, 12), min_size=2, max_size=8, unique=True).filter(
        lambda p: any(b - a == 1 for a, b in zip(sorted(p), sorted(p)[1:], strict=False))
    ),
    jitter=st.lists(st.floats(-1, 1), min_size=8, max_size=8),
)
def test_a_grid_has_its_period(period, points, jitter):
    ends = [round((n * period + j) * MS) for n, j in zip(points, jitter, strict=False)]
    assert period_ns(ends) == pytest.approx(period * MS, rel=0.05)


@given(st.lists(st.integers(0, 10**10), min_size=1, max_size=20), st.integers(1, 10**9))
def test_clusters_hold_every_value_once_and_lie_apart(values, gap):
    heaps = clusters(values, gap)
    assert sorted(v for heap in heaps for v in heap) == sorted(values)
    assert all(b[0] - a[-1] > gap for a, b in itertools.pairwise(heaps))


def test_one_heap_is_no_grid():
    assert period_ns([5 * MS, 5 * MS + 10]) is None
    assert period_ns([]) is None
