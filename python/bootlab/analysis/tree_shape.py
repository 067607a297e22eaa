# SPDX-License-Identifier: MIT
"""Sums over trees that are stored as a parent a node; parents stand before their children, node 0 is its own parent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class TreeShape:
    """Who is whose parent, and the nodes of each level."""

    def __init__(self, parent: Numbers) -> None:
        """Take parents that stand before their children."""
        self.parent = parent
        self.depth = _depths(parent)
        order = np.argsort(self.depth, kind="stable")
        self.levels: list[Numbers] = np.split(order, np.flatnonzero(np.diff(self.depth[order])) + 1)

    def rolled_up(self, own: Numbers) -> Numbers:
        """Return each node's value with those of all nodes below it."""
        total = own.copy()
        for at in reversed(self.levels[1:]):
            np.add.at(total, self.parent[at], total[at])
        return total

    def under(self, chosen: Flags) -> Flags:
        """Return the chosen nodes and all nodes below them."""
        found = chosen.copy()
        for at in self.levels[1:]:
            found[at] |= found[self.parent[at]]
        return found

    def first_of(self, function: Numbers) -> Flags:
        """Tell which nodes have no caller of the same function: only those count towards a function's total."""
        first = np.ones(len(function), dtype=bool)
        above = self.parent.copy()
        while above.any():
            first &= (function[above] != function) | (above == 0)
            above = self.parent[above]
        return first


def _depths(parent: Numbers) -> Numbers:
    depth = np.zeros(len(parent), dtype=np.int64)
    above = parent.copy()
    while above.any():
        depth += above > 0
        above = parent[above]
    # The children of node 0 are a level of their own: walking up cannot tell them from it.
    depth[1:] += 1
    return depth
