"""What a page of an analysis says first: how long the boot took, its longest stage, its largest cost.

A figure is `[text, unit, what it is]`; the page shows it large. A bar is `[stage, length, words]`.
"""

from __future__ import annotations

import itertools
from typing import Any

from bootlab.logs.boot import Boot
from bootlab.model import figures
from bootlab.views.log.boot_end import END_WORDS, Sureness, sureness, timed_marks
from bootlab.views.shown_text import visible

STAGE_OF = {
    "power-on": "firmware",
    "firmware": "firmware",
    "decompression": "decompression",
    "kernel-start": "kernel",
    "user-space-start": "user space",
    "initramfs": "initramfs",
    "switch-root": "user space",
    "rc-scripts": "RC scripts",
    "application-start": "application",
}
"""The stage that begins with an event, by the names that the pages colour."""


def stage_lengths(boot: Boot) -> list[tuple[str, str, str, int, int]]:
    """Return the stages whose both ends have a time: name, first event, last event, start and length.

    The end of a boot that broke off is such an event too.
    """
    out: list[tuple[str, str, str, int, int]] = []
    for (first, at), (last, to) in itertools.pairwise(timed_marks(boot)):
        name = STAGE_OF.get(first, first)
        # Two events of one line are no stage; that a time is not known is.
        sure = _sureness(boot, first, last)
        if to < at or sure == "unknown" or (to == at and sure == "exact"):
            continue
        begin, start = first, at
        if out and out[-1][0] == name and out[-1][2] == first:
            _, begin, _, start, _ = out.pop()
        out.append((name, begin, last, start, to - start))
    return out


def boot_figures(boot: Boot) -> list[list[str]]:
    """Say how long a boot took as far as its events tell, which stage is the longest, and which cost the largest."""
    stages = stage_lengths(boot)
    said: list[list[str]] = []
    if stages:
        whole = stages[-1][3] + stages[-1][4] - stages[0][3]
        first, last = stages[0][1], stages[-1][2]
        unsure = bounds_of(boot, first, last)
        said.append([unsure + figures.grouped_ms(whole), "ms", f"{first} to {last}, {boot.axis.clock} clock"])
        name, begin, end, _, length = max(stages, key=lambda stage: stage[4])
        if len(stages) > 1:
            share = figures.percent(length, whole)
            said.append([share, "", f"of it in the longest stage, {name} ({begin} to {end})"])
    else:
        said.append([boot.outcome.replace("-", " "), "", "no two events of this boot have a time"])
    costs = [cost for cost in boot.costs if cost.cost_ns]
    if costs:
        largest = max(costs, key=lambda cost: cost.cost_ns or 0)
        said.append([figures.grouped_ms(largest.cost_ns), "ms", f"the largest cost found: {largest.title}"])
    return [[visible(text, 200) for text in figure] for figure in said]


def bounds_of(boot: Boot, first: str, last: str) -> str:
    """Return the sign of a time between two events that is known only as a bound."""
    return {"least": "≥ ", "most": "≤ "}.get(_sureness(boot, first, last), "")


def _sureness(boot: Boot, first: str, last: str) -> Sureness:
    broke_off = boot.end is not None and END_WORDS[boot.end.what] == last and boot.end.at_least
    return sureness(boot.stage(first), boot.stage(last), broke_off=broke_off)


def boot_bars(boot: Boot) -> list[list[Any]]:
    """Return the bar of a boot's stages: stage, start, length, from which event to which, and the sign of a bound."""
    return [
        [visible(n, 80), at, length, visible(f"{a} to {b}", 80), bounds_of(boot, a, b)]
        for n, a, b, at, length in stage_lengths(boot)
        if length
    ]
