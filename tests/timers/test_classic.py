# SPDX-License-Identifier: MIT
"""The table of 2003 and the model."""

from __future__ import annotations

import pytest

from bootlab.timers import classic


def test_the_model_explains_every_row_of_2003():
    assert max(abs(classic.z_score(row.timers, row.expirations)) for row in classic.TABLE_2003) < 1.6


def test_avg_per_second_of_2003_is_expirations_over_a_minute():
    for row in classic.TABLE_2003:
        assert row.per_second == pytest.approx(row.expirations / 60, abs=0.01)


def test_the_model_is_the_mean_of_both_halves():
    steps = 200_000
    even = sum(int(60 / (10 + 60 * (i + 0.5) / steps)) for i in range(steps)) / steps
    odd = sum(int(120 / (10 + 60 * (i + 0.5) / steps)) for i in range(steps)) / steps
    assert (even + odd) / 2 == pytest.approx(classic.EXPECTED, abs=1e-4)


def test_no_timers_deviate_from_nothing():
    assert classic.z_score(0, 0) == 0.0
    assert classic.row_2003(1500) is None
