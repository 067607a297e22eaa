# SPDX-License-Identifier: MIT
"""The 90 assertions on this machine, and a planted bug against each."""

from __future__ import annotations

import pytest

from bootlab.timers.conform import ASSERTIONS
from bootlab.timers.here import conform_here

# Timers of this machine: their seconds are real ones.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result():
    return conform_here()


def test_every_assertion_is_judged_and_no_rule_is_broken(result):
    assert [c.number for c in result.checks] == list(range(1, ASSERTIONS + 1))
    assert result.wrong == ()
    assert result.damaged_lines == 0


def test_the_clock_is_left_alone(result):
    assert [c.number for c in result.checks if c.verdict == "untested"] == [37, 67, 70, 88] + (
        [66] if result.head.time_bits == 32 else []
    )


def test_a_bug_against_each_assertion_is_caught():
    for check in conform_here(plants=True).checks:
        assert check.plant == check.number
        # 66 needs a 32-bit time_t, 20 Linux 6.15; those that set the clock run in a guest (tests/integration).
        assert check.verdict in {"fail", "unsupported", "untested"}, check
