# SPDX-License-Identifier: MIT
"""Sides of a gate: noisy boots, and exact ones under dithers."""

from __future__ import annotations

import msgspec
import numpy as np

from bootlab.history.boot_times import BootTimes, Side
from tests.history.boots import times


def side(*boots: BootTimes, name: str = "new") -> Side:
    return Side(name=name, boots=boots)


def noisy(count: int, *, seed: int, total_ms: float = 3000, noise_ms: float = 5, name: str = "new") -> Side:
    random = np.random.default_rng(seed)
    values = [total_ms + random.normal(0, noise_ms) for _ in range(count)]
    return side(*(times(value, key=str(place), kernel=value / 2) for place, value in enumerate(values)), name=name)


def dithered(
    later_ms: float, total_ms: float = 3000, *, count: int = 5, step_ms: float = 0.1, name: str = "new"
) -> Side:
    """Return exact boots under dithers, each a little later than the one before it."""
    boots = (times(total_ms + later_ms + step_ms * n, key=f"{name}{later_ms}-{n}", exact=True) for n in range(count))
    return Side(
        name=name,
        boots=tuple(
            msgspec.structs.replace(boot, facts={"dither": str(n)} if n else {}) for n, boot in enumerate(boots)
        ),
    )
