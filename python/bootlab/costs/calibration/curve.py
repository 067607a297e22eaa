# SPDX-License-Identifier: MIT
"""Where a curve of latencies rises: sizes of caches and TLBs, instructions in flight."""

from __future__ import annotations

from collections.abc import Mapping

from bootlab.model.costs import Between

Curve = Mapping[int, Between]


def up_to(curve: Curve, limit: float) -> tuple[int, int] | None:
    """Return the last size whose least latency is within a limit, and the first beyond it, if there is one.

    None: the curve is empty or begins beyond. One point above the limit that the next ones do not confirm is noise.
    """
    sizes = sorted(curve)
    low = [curve[size].low for size in sizes]
    beyond = next((i for i in range(len(sizes)) if min(low[i:]) > limit), len(sizes))
    if not beyond or not sizes:
        return None
    return sizes[beyond - 1], sizes[min(beyond, len(sizes) - 1)]


def between(curve: Curve, least: float, most: float) -> Between | None:
    """Return the lowest and the highest latency of sizes within a range; None: there is none."""
    found = [value for size, value in curve.items() if least <= size <= most]
    return Between(min(one.low for one in found), max(one.high for one in found)) if found else None


def difference(curve: Curve, base: Curve) -> dict[int, Between]:
    """Return by how much one curve lies above another, where both have a point; no less than nothing."""
    return {
        size: Between(max(0.0, value.low - base[size].low), max(0.0, value.high - base[size].low))
        for size, value in curve.items()
        if size in base
    }
