# SPDX-License-Identifier: MIT
"""The order of the boots: blocks in which each side is booted once, in random order.

What changes slowly (a board that warms up, a host that gets busy) then hits both sides alike, and which side came first
in a block is chance: that chance alone is what the test of :mod:`bootlab.analysis.noisy.signed_rank` rests on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def orders(sides: int, *, seed: int) -> Iterator[tuple[int, ...]]:
    """Give the order of each block for ever: the numbers of the sides, shuffled. A seed gives the same orders again."""
    random = np.random.default_rng(seed)
    while True:
        yield tuple(int(side) for side in random.permutation(sides))
