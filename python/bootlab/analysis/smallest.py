# SPDX-License-Identifier: MIT
"""Which differences between boots are too small to matter."""

from __future__ import annotations

NOISY_SHARE, NOISY_NS = 0.01, 5_000_000
EXACT_SHARE, EXACT_NS = 0.001, 50_000
"""Of exact boots: reading and printing a longer command line costs as much."""


def smallest_that_matters(whole_ns: float, *, exact: bool) -> int:
    """Return the smallest difference that matters in a boot of this length, nanoseconds.

    1 % of it and at least 5 ms on a noisy clock; 0.1 % and at least 50 us of boots that repeat to the nanosecond.
    """
    share, least = (EXACT_SHARE, EXACT_NS) if exact else (NOISY_SHARE, NOISY_NS)
    return max(least, round(whole_ns * share))
