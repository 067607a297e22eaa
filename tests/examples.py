# SPDX-License-Identifier: MIT
"""How many examples hypothesis tries: as many as a test asks for, a part of them under `make check` (conftest.py)."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

OF_THE_WHOLE = 100
"""What the profile of `make test` has: hypothesis' own number."""


def examples(number: int, **others: Any) -> settings:
    """Return settings with this many examples in `make test`, and as much fewer elsewhere as the profile has."""
    # What the profile says of a slow machine holds beside what a test says of itself.
    checks = {*settings().suppress_health_check, *others.pop("suppress_health_check", ())}
    return settings(
        suppress_health_check=tuple(checks),
        max_examples=max(1, number * settings().max_examples // OF_THE_WHOLE),
        **others,
    )
