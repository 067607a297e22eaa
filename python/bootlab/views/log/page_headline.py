"""What a page of an analysis says first: how long a boot or a trace took, its longest stage, its largest cost.

A figure is `[text, unit, what it is]`; the page shows it large. A bar is `[stage, length, words]`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.boot import Boot, Cost
from bootlab.logs.trace import CallTrace, Chart, DeltaReport, KdReport, UnitReport
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


_STAGE_OF_SYSTEMD = {"loader": "boot loader", "initrd": "initramfs", "userspace": "user space", "systemd": "user space"}
"""What systemd calls stages, where the pages have another name."""


def stage_of(name: str) -> str:
    """Return the stage that the pages colour for one that systemd names."""
    return _STAGE_OF_SYSTEMD.get(name, name)


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


def figures_of(parts: Sequence[Any]) -> list[list[str]]:
    """Say what a person asks first: of the last boot, as the terminal does, or of the first other part."""
    boots = [part for part in parts if isinstance(part, Boot)]
    if boots:
        which = f"boot {boots[-1].number}, the last of {len(boots)}: " if len(boots) > 1 else ""
        return _boot_figures(boots[-1], which)
    return next((said for part in parts if (said := _part_figures(part))), [])


def _part_figures(part: Any) -> list[list[str]]:
    said: list[list[str]] = []
    if isinstance(part, UnitReport):
        said = _unit_figures(part)
    elif isinstance(part, CallTrace):
        number, what = part.counted
        said = [[figures.count(number), "", f"{what} of {figures.counted(part.functions, 'function')}"]]
        if part.weight == "ns" and part.length_ns:
            said.insert(0, [figures.grouped_ms(part.length_ns), "ms", f"traced, {part.clock} clock"])
            if part.top_self:
                most = part.top_self[0]
                said.append([figures.grouped_ms(most.self_ns), "ms", f"in {most.function} itself, the most of all"])
    elif isinstance(part, ApplicationProfile):
        said = [[figures.count(part.calls_total), "", f"system calls of {_processes(len(part.processes))}"]]
        if part.length_ns:
            said.insert(0, [figures.grouped_ms(part.length_ns), "ms", "from the first call to the last"])
    elif isinstance(part, Chart):
        if part.bounds_ns is not None:
            length_ns = part.bounds_ns[1] - part.bounds_ns[0]
            said.append([figures.grouped_ms(length_ns), "ms", f"recorded, {_processes(part.processes_total)}"])
        if part.busy_share is not None:
            said.append([f"{100 * part.busy_share:.0f} %", "", "of the processors' time at work"])
    elif isinstance(part, KdReport) and part.rows:
        local_us, function = max((row.local_us or 0, row.function) for row in part.rows)
        said = [[figures.grouped_ms(local_us * 1000), "ms", f"in {function} itself, the most of all"]]
    elif isinstance(part, DeltaReport) and part.longest:
        gap = part.longest[0]
        said = [[figures.grouped_ms(gap.delta_ns), "ms", f"the longest gap, before “{gap.text[:80]}”"]]
    return _shown(said)


def _processes(number: int) -> str:
    return f"{figures.count(number)} process{'' if number == 1 else 'es'}"


def _unit_figures(report: UnitReport) -> list[list[str]]:
    said: list[list[str]] = []
    startup = report.startup
    if startup is not None and startup.parts:
        total_ns = startup.total_ns if startup.total_ns is not None else sum(ns for _, ns in startup.parts)
        said.append([figures.grouped_ms(total_ns), "ms", "until systemd had started everything, by its own account"])
        name, length = max(startup.parts, key=lambda pair: pair[1])
        said.append([figures.percent(length, total_ns), "", f"of it in the longest stage, {stage_of(name)}"])
    return said + _largest_cost(report.costs)


def unit_bars(report: UnitReport) -> list[list[Any]]:
    """Return the bar of the stages that systemd tells."""
    parts = [(stage_of(name), name, ns) for name, ns in report.startup.parts] if report.startup else []
    starts = itertools.accumulate((ns for _, _, ns in parts), initial=0)
    return [
        [visible(stage, 80), at, ns, visible(name, 80), ""]
        for at, (stage, name, ns) in zip(starts, parts, strict=False)
        if ns
    ]


def _boot_figures(boot: Boot, which: str) -> list[list[str]]:
    """Say how long a boot took as far as its events tell, which stage is the longest, and which cost the largest."""
    stages = stage_lengths(boot)
    said: list[list[str]] = []
    if stages:
        whole = stages[-1][3] + stages[-1][4] - stages[0][3]
        first, last = stages[0][1], stages[-1][2]
        unsure = bounds_of(boot, first, last)
        said.append([unsure + figures.grouped_ms(whole), "ms", f"{which}{first} to {last}, {boot.axis.clock} clock"])
        name, begin, end, _, length = max(stages, key=lambda stage: stage[4])
        if len(stages) > 1:
            share = figures.percent(length, whole)
            said.append([share, "", f"of it in the longest stage, {name} ({begin} to {end})"])
    else:
        said.append([boot.outcome.replace("-", " "), "", f"{which}no two events of this boot have a time"])
    return _shown([*said, *_largest_cost(boot.costs)])


def _largest_cost(costs: Sequence[Cost]) -> list[list[str]]:
    largest = max((cost for cost in costs if cost.cost_ns), key=lambda cost: cost.cost_ns or 0, default=None)
    if largest is None:
        return []
    return [[figures.grouped_ms(largest.cost_ns), "ms", f"the largest cost found: {largest.title}"]]


def _shown(said: list[list[str]]) -> list[list[str]]:
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
