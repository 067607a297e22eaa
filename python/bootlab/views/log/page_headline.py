"""What a page of an analysis says first: how long the boot took, its longest stage, its largest cost.

A figure is `[text, unit, what it is]`; the page shows it large. A bar is `[stage, length, words]`.
"""

from __future__ import annotations

import itertools
from typing import Any

from bootlab.logs.boot import Boot
from bootlab.model import figures
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
    """Return the stages whose both ends have a time: name, first event, last event, start and length."""
    marks = [(stage.event, stage.ns) for stage in boot.stages if stage.ns is not None]
    return [
        (STAGE_OF.get(first, first), first, last, at, to - at)
        for (first, at), (last, to) in itertools.pairwise(marks)
        if to >= at
    ]


def boot_figures(boot: Boot) -> list[list[str]]:
    """Say how long a boot took as far as its events tell, which stage is the longest, and which cost the largest."""
    stages = stage_lengths(boot)
    said: list[list[str]] = []
    if stages:
        whole = sum(length for *_, length in stages)
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
    ends = [stage for stage in boot.stages if stage.event in {first, last}]
    if any(stage.at_least for stage in ends):
        return "≥ "
    return "≤ " if any(stage.at_most for stage in ends) else ""


def boot_bars(boot: Boot) -> list[list[Any]]:
    """Return the bar of a boot's stages: stage, start, length, and from which event to which."""
    return [[visible(n, 80), at, length, visible(f"{a} to {b}", 80)] for n, a, b, at, length in stage_lengths(boot)]
