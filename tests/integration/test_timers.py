# SPDX-License-Identifier: MIT
"""Timers inside booted kernels: the same table twice, configurations side by side, every assertion."""

from __future__ import annotations

import pytest

from bootlab.api import System
from bootlab.timers import booted
from bootlab.timers.comparison import change_of, compare
from bootlab.timers.conform import ASSERTIONS
from bootlab.timers.request import StressRequest

pytestmark = pytest.mark.qemu

REQUEST = StressRequest(populations=(200,), scale=200)


@pytest.fixture(scope="module")
def system(small, tmp_path_factory):
    return System(small, store=tmp_path_factory.mktemp("store"))


@pytest.mark.telling("timers")
def test_two_exact_runs_give_the_same_table_and_high_resolution_shows(system):
    said: list[str] = []
    coarse = system.changed(change_of("highres=off clocksource=acpi_pm"))
    sides = booted.configurations(
        [[("base", system), ("coarse", coarse)]], REQUEST, 2, unequal=said.append, sink=lambda _made: None
    )
    assert all(side.equal for side in sides), said
    for side in sides:
        first, again = side.results
        assert first.rows == again.rows
        assert first.faults == ()
        assert first.place.clock == "virtual"
        assert first.place.facts["clocksource"].startswith("tsc" if side.name == "base" else "acpi_pm")
    lines = {row.title: (row.values["c0"], row.values["c1"]) for row in compare(sides).rows}
    assert lines["expirations"][0] == lines["expirations"][1]
    fine, rough = lines["lateness p50, ns"]
    assert fine < 100_000, "hrtimers with an interrupt of their own"
    assert rough > 500_000, "at the next tick"


def test_every_assertion_in_a_guest_with_its_clock_set(system):
    result = booted.conform(system)
    assert len(result.checks) == ASSERTIONS
    assert result.wrong == ()
    verdicts = {c.number: c.verdict for c in result.checks}
    assert [verdicts[n] for n in (37, 67, 70, 88)] == ["pass"] * 4
    assert "untested" not in verdicts.values()


def test_bugs_against_those_that_set_the_clock_are_caught(system):
    # All others are proved on the host (tests/timers/test_conform_here.py).
    checks = booted.conform(system, plants=True, only=(37, 67, 70, 88)).checks
    assert [(check.number, check.plant, check.verdict) for check in checks] == [
        (number, number, "fail") for number in (37, 67, 70, 88)
    ]


def test_the_kernels_share_adds_up_to_every_instruction(system):
    """The trace counts each instruction once: with the halts they are the whole window on the virtual clock."""
    (one,) = booted.stress(system, REQUEST, count_instructions=True).instructions
    executed = one.user + one.kernel + one.interrupts + one.idle_loop
    assert executed * one.instruction_ns + one.idle_ns == one.window_ns
    assert one.window_ns > 300_000_000, "a minute divided by 200"
    assert one.user > 0 < one.idle_loop
    # Each expiration takes an interrupt, a signal and a system call.
    assert one.kernel > 1000 * one.expirations
    assert one.interrupts > 500 * one.expirations
