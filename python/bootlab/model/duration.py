# SPDX-License-Identifier: MIT
"""Times as people write them: `500ms`, `1.5 s`; ages: `90d`, `6 weeks`, `1 year`."""

from __future__ import annotations

import re

UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)\s*(ns|us|ms|s)")


def duration_ns(text: str) -> int | None:
    """Return nanoseconds; None for what is no time."""
    found = _DURATION.fullmatch(text.strip())
    return round(float(found[1]) * UNITS_NS[found[2]]) if found else None


_DAY_S = 86_400.0
_AGES_S = {
    ("s", "sec", "second"): 1.0,
    ("min", "minute"): 60.0,
    ("h", "hour"): 3600.0,
    ("d", "day", ""): _DAY_S,
    ("w", "week"): 7 * _DAY_S,
    ("month",): 30 * _DAY_S,
    ("y", "year"): 365 * _DAY_S,
}
_AGE = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([a-z]*?)(s?)", re.IGNORECASE)


def age_s(text: str) -> float | None:
    """Return the seconds of an age; None for what is none. A number alone is days, a month 30 days, a year 365.

    >>> age_s("90d") == age_s("90") == age_s("90 days") == 90 * 86400
    True
    """
    found = _AGE.fullmatch(text.strip())
    if found is None:
        return None
    unit, plural = found[2].lower(), found[3].lower()
    for words, seconds in _AGES_S.items():
        # `s` alone is seconds, and `ds` is nothing.
        if (unit in words and (not plural or len(unit) > 2)) or unit + plural in words:
            return float(found[1]) * seconds
    return None
