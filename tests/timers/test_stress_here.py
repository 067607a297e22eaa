# SPDX-License-Identifier: MIT
"""timerstress on this machine, its times divided so that a run takes a second."""

from __future__ import annotations

import pytest

from bootlab.errors import EnvironmentFault, MeasurementError
from bootlab.timers import classic
from bootlab.timers.here import stress_here, to_limit
from bootlab.timers.request import StressRequest

# Timers of this machine: their seconds are real ones.
pytestmark = pytest.mark.slow


def test_every_row_of_2003_is_near_the_model_and_nothing_is_lost():
    result = stress_here(StressRequest(populations=classic.POPULATIONS, scale=120))
    assert [row.timers for row in result.rows] == list(classic.POPULATIONS)
    for row in result.rows:
        assert row.created == row.timers, row.refused
        # Relative timers: the moment of arming is known to within the call.
        assert row.due_least <= row.expirations <= row.due_most
        assert abs(classic.z_score(row.timers, row.expirations)) < 3
    assert result.faults == ()


def test_the_same_seed_gives_the_same_expirations():
    counts = {
        stress_here(StressRequest(populations=(500,), scale=120, absolute=True, seed=7)).rows[0].expirations
        for _ in range(2)
    }
    assert len(counts) == 1


@pytest.mark.parametrize("receiver", ["sigwait", "signalfd", "timerfd", "thread-id"])
def test_tens_of_thousands_a_second_are_accounted_for(receiver):
    request = StressRequest(populations=(1000,), seconds=1, interval_s=(0.005, 0.065), absolute=True, receiver=receiver)
    row = stress_here(request).rows[0]
    assert row.exact
    assert row.in_flight == 0
    assert row.expirations == row.due_most == row.due_least
    assert row.expirations > 30_000


@pytest.mark.parametrize("receiver", ["sigwait", "signalfd", "timerfd"])
def test_planted_faults_are_found_to_the_last_one(receiver):
    request = StressRequest(
        populations=(200,), seconds=1, interval_s=(0.02, 0.05), absolute=True, receiver=receiver,
        plants=("drop=40", "copy=50", "delay=60:0.3"), late_s=0.3,
    )  # fmt: skip
    row = stress_here(request).rows[0]
    assert row.lost == row.planted_dropped > 0
    assert row.duplicated == row.planted_copied > 0
    assert row.late >= row.planted_delayed > 0
    assert row.early == 0


def test_bursts_curves_churn_and_the_limit():
    burst = stress_here(StressRequest(mode="burst", populations=(300,))).bursts[0]
    assert (burst.taken, burst.lost, burst.early) == (300, 0, 0)
    curve = stress_here(StressRequest(mode="curves", populations=(300,))).curves[0]
    assert curve.create_ns > 0
    churn = stress_here(StressRequest(mode="churn", populations=(50,), scale=120)).churns[0]
    assert (churn.lost, churn.early) == (0, 0)
    assert churn.expired > 0
    limit = stress_here(StressRequest(mode="limit"))
    assert limit.limits[0].timers >= 32
    assert to_limit(limit, StressRequest(mode="limit")).populations == (limit.limits[0].timers,)


def test_a_refusal_says_what_to_do():
    with pytest.raises(EnvironmentFault, match="--receiver: ear is not"):
        stress_here(StressRequest(receiver="ear"))


def test_no_timer_at_all_is_an_error():
    limit = stress_here(StressRequest(populations=(10,), scale=600))
    with pytest.raises(MeasurementError, match="no timer"):
        to_limit(limit, StressRequest())
