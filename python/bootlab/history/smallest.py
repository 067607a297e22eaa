# SPDX-License-Identifier: MIT
"""Which differences are too small to matter beside boots that are there."""

from __future__ import annotations

from statistics import median_high

from bootlab.analysis.smallest import smallest_that_matters
from bootlab.history.boot_times import TOTAL, Side


def smallest_of(base: Side) -> int:
    """Return the smallest difference that matters beside a base, nanoseconds."""
    if totals := base.values_ns(TOTAL):
        return smallest_that_matters(median_high(totals), exact=base.exact)
    # Without a total, beside the longest of what was measured.
    longest = max((median_high(values) for name in base.names() if (values := base.values_ns(name))), default=0)
    return smallest_that_matters(longest, exact=base.exact)
