# SPDX-License-Identifier: MIT
"""What the page's flame graph, call tree and function table are given: one forest as arrays of numbers.

Paths below a share of the whole are left out and their weight is kept beside their caller (`rest`), so every total
the page shows is that of the whole trace. With a base (`calls_difference`), each number has a second one beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from bootlab.analysis.call_forest import WAITS, CallForest, FunctionTotal
from bootlab.analysis.tree_shape import Numbers
from bootlab.views.page_model import CallsData, SideData
from bootlab.views.shown_text import visible

NODES_LIMIT = 60_000
SMALL = 5000
"""Paths that are shown whatever they weigh."""
MIN_SHARE = 1e-6
FUNCTIONS_LIMIT = 4000


class Weights(msgspec.Struct, frozen=True):
    """The numbers of each node of one side: calls, own weight, and work and waiting with all below."""

    count: Numbers
    own: Numbers
    total: Numbers
    wait: Numbers


def weights(forest: CallForest) -> Weights:
    """Return the numbers of a forest."""
    return Weights(forest.count, forest.own, forest.total, forest.wait)


def calls_data(
    forest: CallForest,
    *,
    floor: int = 0,
    before: Weights | None = None,
    functions: Sequence[tuple[FunctionTotal, FunctionTotal | None]] | None = None,
    sides: tuple[str, str] = ("base", "new"),
) -> CallsData:
    """Collect a forest for the page; what is below `floor` (in the forest's unit) is left out too."""
    now = weights(forest)
    largest = now.total + now.wait
    if before is not None:
        largest = np.maximum(largest, before.total + before.wait)
    whole = int(largest[0])
    kept, least = _kept(largest, max(floor, round(whole * MIN_SHARE) if len(forest) > SMALL else 0))
    number = np.zeros(len(forest), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    parent = number[forest.parent[kept]]
    used, function = np.unique(forest.function[kept], return_inverse=True)
    pairs = functions if functions is not None else [(f, None) for f in forest.functions().values()]
    rows = sorted(pairs, key=_heaviest)[:FUNCTIONS_LIMIT]
    names = [visible(forest.names[f], 200) for f in used]
    place = {forest.names[f]: i for i, f in enumerate(used)}
    for pair in rows:
        for side in pair:
            if side is not None and side.function not in place:
                place[side.function] = len(names)
                names.append(visible(side.function, 200))
    data: CallsData = {
        "unit": forest.unit,
        "clock": forest.clock,
        "names": names,
        "waits": [i for i, f in enumerate(used) if forest.names[f] in WAITS],
        "up": (np.arange(len(kept)) - parent).tolist(),
        "fn": function.tolist(),
        "now": _side(forest, now, kept, parent),
        "functions": [place[pair[0].function] for pair in rows],
        "functionsNow": [_numbers(pair[0]) for pair in rows],
        "functionsLeft": len(pairs) - len(rows),
        "left": {"paths": len(forest) - len(kept), "of": len(forest), "least": least, "share": least / max(1, whole)},
    }
    if before is not None:
        data["was"] = _side(forest, before, kept, parent)
        data["functionsWas"] = [_numbers(pair[1]) for pair in rows]
        data["sides"] = [visible(side, 120) for side in sides]
    return data


def _kept(largest: Numbers, least: int) -> tuple[Numbers, int]:
    """Return the nodes to keep, in their order, and the weight below which none is kept.

    No node weighs more than its parent, and a parent stands before it: what is kept is a tree.
    """
    order = np.argsort(-largest, kind="stable")
    order = order[: max(1, int(np.count_nonzero(largest >= least)))]
    if len(order) > NODES_LIMIT:
        order = order[:NODES_LIMIT]
        least = int(largest[order[-1]])
    return np.sort(np.union1d(order, np.zeros(1, dtype=np.int64))), least


def _side(forest: CallForest, side: Weights, kept: Numbers, parent: Numbers) -> SideData:
    is_wait = forest.is_wait[kept]

    def rest(total: Numbers, own: Numbers) -> list[int]:
        """Return what is in the total of a node, and neither its own nor in the children that were kept."""
        left = total[kept] - own
        np.add.at(left, parent[1:], -total[kept][1:])
        return left.tolist()  # type: ignore[no-any-return]

    own = side.own[kept]
    return {
        "count": side.count[kept].tolist(),
        "own": own.tolist(),
        "rest": rest(side.total, np.where(is_wait, 0, own)),
        "restWait": rest(side.wait, np.where(is_wait, own, 0)),
    }


def _heaviest(pair: tuple[FunctionTotal, FunctionTotal | None]) -> tuple[int, str]:
    now, was = pair
    if was is None:
        return -(now.total + now.wait), now.function
    return -max(abs(now.own - was.own), abs(now.total - was.total)), now.function


def _numbers(row: FunctionTotal | None) -> list[int]:
    return [row.count, row.own, row.total, row.wait] if row is not None else [0, 0, 0, 0]
