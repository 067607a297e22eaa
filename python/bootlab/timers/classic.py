# SPDX-License-Identifier: MIT
"""The run of 2003, and the model that explains it.

`timerstress` 1.0 (Randy Dunlap, OSDL) gave every timer an interval of 10 to 70 s, every second one half of it, and
counted signals for 60 s. Its table was printed in the review of the high-resolution timer patches (linux-kernel,
March 2003); load is the share of system calls in the kernel's profile.
"""

from __future__ import annotations

import msgspec

EXPECTED = 2.411544
"""Expirations of one timer in the run: the mean of floor(60/T) over T in U(10, 70) and U(5, 35)."""
DEVIATION = 1.875
"""Standard deviation of the expirations of one timer."""


class Row2003(msgspec.Struct, frozen=True):
    """One row of the table of 2003: timers, expirations in 60 s, the same a second, load in per cent."""

    timers: int
    expirations: int
    per_second: float
    load_percent: float


TABLE_2003 = tuple(
    Row2003(*row)
    for row in (
        (1000, 2505, 41.75, 5.20),
        (2000, 4852, 80.87, 5.18),
        (3000, 7175, 119.58, 5.68),
        (4000, 9588, 159.8, 8.66),
        (5000, 12026, 200.43, 9.68),
        (6000, 14284, 238.07, 8.89),
        (7000, 16669, 277.82, 12.59),
        (8000, 19134, 318.9, 9.84),
        (9000, 21597, 359.95, 14.41),
        (10000, 24288, 404.8, 11.55),
        (12000, 28812, 480.2, 11.41),
        (14000, 33606, 560.1, 28.16),
        (16000, 38680, 644.67, 18.11),
    )
)

POPULATIONS = tuple(row.timers for row in TABLE_2003)


def row_2003(timers: int) -> Row2003 | None:
    """Return the row of 2003 with this population, or None."""
    return next((row for row in TABLE_2003 if row.timers == timers), None)


def expected(timers: int) -> float:
    """Return the expirations that the model gives for a population in the classic run."""
    return EXPECTED * timers


def z_score(timers: int, expirations: int) -> float:
    """Return how many standard deviations a count lies from the model."""
    return (expirations - expected(timers)) / (DEVIATION * timers**0.5) if timers else 0.0
