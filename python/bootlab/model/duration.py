# SPDX-License-Identifier: MIT
"""Times as people write them: `500ms`, `1.5 s`."""

from __future__ import annotations

import re

UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)\s*(ns|us|ms|s)")


def duration_ns(text: str) -> int | None:
    """Return nanoseconds; None for what is no time."""
    found = _DURATION.fullmatch(text.strip())
    return round(float(found[1]) * UNITS_NS[found[2]]) if found else None
