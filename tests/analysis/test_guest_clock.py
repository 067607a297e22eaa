# SPDX-License-Identifier: MIT
"""A guest whose clock or sleeps do not agree with virtual time is named; one that prints late is not."""

from __future__ import annotations

import pytest

from bootlab.analysis.guest_clock import clock_notes, kernel_rate, slept
from bootlab.model.processors import Processors
from bootlab.model.recording import Diagnosis, Line, Meta, Recording

MS = 1_000_000


def boot(lines, **meta):
    """Return a boot of lines (virtual ms, printk ms or None, text)."""
    return Recording(
        meta=Meta(stamped=True, **meta),
        lines=tuple(
            Line(number=n, text=text, offset_bytes=n, first_ns=round(at * MS), printk_ns=own and round(own * MS))
            for n, (at, own, text) in enumerate(lines)
        ),
        marks=(),
    )


def kernel(rate, *, late=0.0, until=4000):
    """Return a kernel that begins at 80 ms, gets its console at 400 ms, and then prints each 50 ms."""
    waited = [(400 + n / 10, 1 + n * 30, "early") for n in range(10)]
    own = [400 + 50 * n for n in range((until - 400) // 50)]
    return boot([*waited, *((80 + rate * ms + (late if n % 3 else 0), ms, "later") for n, ms in enumerate(own))])


@pytest.mark.parametrize("rate", [0.5, 1.0, 3.05])
def test_the_rate_of_the_kernels_clock_is_read_off_its_stamps(rate):
    assert kernel_rate(kernel(rate)) == pytest.approx(rate, rel=0.001)
    assert bool(clock_notes(kernel(rate))) is (rate != 1.0)


def test_lines_that_come_out_late_are_no_wrong_clock():
    assert kernel_rate(kernel(1.0, late=40)) == pytest.approx(1.0, abs=0.001)
    assert clock_notes(kernel(1.0, late=40)) == ()


def test_too_little_says_nothing():
    assert kernel_rate(kernel(1.0, until=600)) is None
    assert kernel_rate(boot([])) is None
    assert kernel_rate(boot([(5, None, "x"), (6, None, "y")])) is None


def diagnostic(took_ms, **more):
    said = [(300, None, "hello"), (1000, None, "@BL1 waits"), (1000 + took_ms, None, "@BL1 begin")]
    asked = {"cmdline": "quiet BOOTLAB_WAIT_MS=8000 x", "purpose": "diagnostic", **more}
    return boot(said, **asked)


def test_a_sleep_that_takes_too_long_is_named():
    assert slept(diagnostic(8031)) == (8000 * MS, 8031 * MS)
    assert clock_notes(kernel(1.0), Diagnosis(recording=diagnostic(8031))) == ()
    (said,) = clock_notes(kernel(1.0), Diagnosis(recording=diagnostic(24_400)))
    assert said.startswith("a sleep of 8.000 s took 24.400 s of virtual time in the diagnostic boot")
    assert len(clock_notes(kernel(1.0), Diagnosis(recording=diagnostic(7900)))) == 1


@pytest.mark.parametrize(
    "more",
    [{"mode": "free"}, {"processors": Processors(count=4)}, {"cmdline": "quiet"}, {"cmdline": "BOOTLAB_WAIT_MS=0"}],
)
def test_no_sleep_of_a_known_length_says_nothing(more):
    assert slept(diagnostic(24_400, **more)) is None
