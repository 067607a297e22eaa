# SPDX-License-Identifier: MIT
"""The page of the difference of two traces: a differential flame graph, the functions, the call tree."""

from __future__ import annotations

from bootlab.analysis.forest_difference import ForestDifference
from bootlab.views.functions.calls_data import calls_data, weights
from bootlab.views.functions.difference_text import signed, weight
from bootlab.views.page_model import PageData
from bootlab.views.page_parts import page, part, show
from bootlab.views.shown_text import one_line


def render(difference: ForestDifference, names: tuple[str, str], *, floor: int = 0) -> str:
    """Make the page; paths below `floor` on both sides are left out."""
    before, after = difference.before, difference.after
    calls = calls_data(
        after,
        floor=floor,
        before=weights(before),
        functions=[(row.after, row.before) for row in difference.functions if row.change != "same"],
    )
    was, now = int(before.total[0]), int(after.total[0])
    idle_was, idle_now = int(before.wait[0]), int(after.wait[0])
    facts = [
        ["base", show(names[0])],
        ["new", show(names[1])],
        ["work, base", weight(was, after.unit)],
        ["work, new", weight(now, after.unit)],
        ["difference of work", signed(now - was, after.unit)],
    ]
    if idle_was or idle_now:
        facts.append(["difference of waiting", signed(idle_now - idle_was, after.unit)])
    facts += [
        [f"functions {kind}", str(sum(row.change == kind for row in difference.functions))]
        for kind in ("new", "vanished", "slower", "faster", "same")
    ]
    lead = "Every path of either trace. The differences of all paths add up to the difference of the totals."
    data: PageData = {
        "name": show(f"{names[1]} against {names[0]}"),
        "kind": f"Difference of two traces, {after.clock} clock",
        "facts": facts,
        "parts": [part("What changed", lead, calls=calls)],
    }
    title = f"{one_line(names[1], 60)} against {one_line(names[0], 60)} · bootlab trace"
    return page(title, data)
