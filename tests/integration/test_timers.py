"""Timers inside booted kernels: the same table twice, configurations beside each other, every assertion."""

from __future__ import annotations

import pytest

from bootlab.api import System
from bootlab.timers.comparison import Configuration, change_of, compare
from bootlab.timers.conform import ASSERTIONS
from bootlab.timers.request import StressRequest

pytestmark = pytest.mark.qemu

REQUEST = StressRequest(populations=(300,), scale=60)


@pytest.fixture(scope="module")
def system(small, tmp_path_factory):
    return System(small, store=tmp_path_factory.mktemp("store"))


def test_two_exact_runs_give_the_same_table_and_high_resolution_shows(system):
    sides = []
    for name, one in (("base", system), ("coarse", system.changed(change_of("highres=off clocksource=acpi_pm")))):
        results, equality = one.repeat_timers(REQUEST, 2)
        assert equality.equal, equality.difference
        assert results[0].rows == results[1].rows
        assert results[0].faults == ()
        assert results[0].place.clock == "virtual"
        assert results[0].place.facts["clocksource"].startswith("tsc" if name == "base" else "acpi_pm")
        sides.append(Configuration(name=name, results=results, equal=True))
    lines = {line.quantity: line.values for line in compare(sides).lines}
    assert lines["expirations"][0] == lines["expirations"][1]
    fine, coarse = lines["lateness p50, ns"]
    assert fine < 100_000, "hrtimers with an interrupt of their own"
    assert coarse > 500_000, "at the next tick"


def test_every_assertion_in_a_guest_with_its_clock_set(system):
    result = system.check_timers()
    assert len(result.checks) == ASSERTIONS
    assert result.wrong == ()
    verdicts = {c.number: c.verdict for c in result.checks}
    assert [verdicts[n] for n in (37, 67, 70, 88)] == ["pass"] * 4
    assert "untested" not in verdicts.values()


def test_bugs_against_those_that_set_the_clock_are_caught(system):
    for check in system.check_timers(plants=True).checks:
        # 66 needs a 32-bit time_t, 20 Linux 6.15.
        assert check.verdict == ("unsupported" if check.number in {20, 66} else "fail"), check
