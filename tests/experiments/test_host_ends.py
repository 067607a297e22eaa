# SPDX-License-Identifier: MIT
"""Whose doing an end was: the host's, or the system's after all."""

from __future__ import annotations

import pytest

from bootlab.errors import MeasurementError
from bootlab.experiments.base import BaseFailedError, require_goal
from bootlab.experiments.host_ends import ATTEMPTS, Attempts
from bootlab.model.recording import Meta, Outcome, Recording


def ended(outcome=Outcome.HANG, *, console=b"x\n", end_ns=5, reason="still", mode="exact", waited=False, **fields):
    fields = {"host_limit": True, **fields}
    meta = Meta(outcome=outcome, end_ns=end_ns, reason=reason, mode=mode, emulator_waited=waited, **fields)
    return Recording(meta=meta, lines=(), marks=(), console=console)


def taken(*recordings):
    attempts = Attempts()
    return [attempts.settles(one) for one in recordings], attempts.said(recordings[-1])


@pytest.mark.parametrize(
    "one",
    [
        ended(host_limit=False),
        ended(Outcome.GOAL, host_limit=False),
        ended(mode="free"),
        ended(Outcome.TIME_LIMIT, mode="free"),
    ],
)
def test_what_the_system_ended_is_over(one):
    assert taken(one) == ([True], one.meta)


def test_a_machine_that_stands_still_twice_at_the_same_instruction_is_stuck_by_itself():
    settled, said = taken(ended(), ended(end_ns=6), ended())
    assert settled == [False, False, True]
    assert not said.host_limit
    assert "two of them stopped at the very same place" in said.reason


def test_a_crash_that_comes_again_is_the_guests():
    crash = ended(Outcome.EMULATOR_DIED, reason="QEMU ended with signal 11.", end_ns=3)
    settled, said = taken(crash, ended(Outcome.EMULATOR_DIED, reason=crash.meta.reason, end_ns=4))
    assert settled == [False, True]
    assert not said.host_limit


@pytest.mark.parametrize(
    "others",
    [
        (ended(end_ns=6), ended(end_ns=7)),
        (ended(console=b"y\n"), ended(console=b"z\n")),
        (ended(Outcome.NO_CONSOLE), ended(Outcome.EMULATOR_DIED)),
    ],
)
def test_different_ends_stay_the_hosts(others):
    settled, said = taken(ended(), *others)
    assert settled == [False, False, True]
    assert said.host_limit
    assert f"{ATTEMPTS} boots" in said.reason


@pytest.mark.parametrize(
    ("same", "boots"),
    [
        (ended(end_ns=None), 3),
        (ended(Outcome.EMULATOR_DIED, ended_by="outside", end_ns=5), 3),
        (ended(Outcome.TIME_LIMIT), 2),
        (ended(waited=True), 3),
    ],
)
def test_who_is_killed_from_outside_or_merely_slow_is_not_stuck_by_that(same, boots):
    settled, said = taken(*[same] * boots)
    assert settled == [False] * (boots - 1) + [True]
    assert said.host_limit


def test_an_emulator_killed_in_free_mode_says_nothing_either():
    assert ended(Outcome.EMULATOR_DIED, mode="free").by_host


def test_a_boot_that_the_host_ended_is_no_failed_base():
    require_goal(ended(Outcome.GOAL, host_limit=False))
    with pytest.raises(MeasurementError, match="the host ended a boot") as caught:
        require_goal(ended(Outcome.EMULATOR_DIED))
    assert caught.value.exit_code == 5
    with pytest.raises(BaseFailedError):
        require_goal(ended(host_limit=False))
