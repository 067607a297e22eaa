"""How many examples hypothesis tries: as many as a test asks for, a part of them under `make check` (conftest.py)."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

OF_THE_WHOLE = 100
"""What the profile of `make test` has: hypothesis' own number."""


def examples(number: int, **others: Any) -> settings:
    """Return settings with this many examples in `make test`, and as much fewer elsewhere as the profile has."""
    return settings(max_examples=max(1, number * settings().max_examples // OF_THE_WHOLE), **others)
