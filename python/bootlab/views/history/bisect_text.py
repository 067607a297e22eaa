# SPDX-License-Identifier: MIT
"""What the terminal shows of a bisection."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType

from bootlab.analysis.forest_difference import FunctionChange
from bootlab.history.bisection import Bisection, BisectionStep
from bootlab.model import figures
from bootlab.views.history.text import short
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import cell, text_table

_MOST_ROWS = 12


def plan_line(count: int) -> str:
    """Say how many boots it takes at most."""
    boots = 1 + math.ceil(math.log2(max(count, 2)))
    return f"{figures.counted(count, 'revision')}: at most {figures.counted(boots, 'boot')}"


def step_line(step: BisectionStep) -> str:
    """Say what one revision took."""
    what = f"{figures.ms(step.goal_ns)} ms" if step.goal_ns is not None else f"skipped: {one_line(step.why, 300)}"
    return f"{short(step.revision.name)}  {what}  {one_line(step.revision.subject, 80)}".rstrip()


def view(found: Bisection, grown: Sequence[FunctionChange]) -> RenderableType:
    """Show the revision, the stages and functions that grew, and say the answer last."""
    parts: list[RenderableType] = []
    moved = [(name, ns) for name, ns in found.stages_grew_ns().items() if ns]
    if moved:
        table = text_table("Stages", "stage", ">change ms")
        for name, ns in moved:
            table.add_row(cell(name), cell(figures.signed_ms(ns)))
        parts.append(table)
    if grown:
        table = text_table("Functions of the kernel that grew", "function", ">own ms", ">with callees ms", ">calls")
        for row in grown[:_MOST_ROWS]:
            calls = f"{row.count:+d}" if row.count else "0"
            table.add_row(
                cell(row.function), cell(figures.signed_ms(row.own)), cell(figures.signed_ms(row.total)), cell(calls)
            )
        parts.append(table)
    parts.append(cell(sentence(found), _style(found), 400))
    return Group(*parts)


def _style(found: Bisection) -> str:
    if found.found.first_slow is not None:
        return "bold red"
    return "bold green" if found.found.compared else "bold yellow"


def _without_step(found: Bisection, many: str, boots: str) -> str:
    if not found.found.compared:
        return f"of {many} only the newest boots: there is nothing to compare"
    count = len(found.found.skipped)
    but = f"; {figures.counted(count, 'revision')} skipped: no boot tells of them" if count else ""
    return f"none of {many} made the boot slower ({boots}{but})"


def sentence(found: Bisection) -> str:
    """Say the answer."""
    boots = figures.counted(found.found.boots, "boot")
    many = figures.counted(len(found.revisions), "revision")
    place = found.found.first_slow
    if place is None:
        return _without_step(found, many, boots)
    cost, newest = found.found.cost_ns or 0, found.revisions[place]
    before = found.found.goals_ns[found.found.suspects[0] - 1]
    by = f"{figures.signed_ms(cost)} ms ({figures.percent(cost, before)})"
    name = f"{short(newest.name)} {one_line(newest.subject, 100)}".rstrip()
    if found.found.spread:
        return f"no single revision of {many} made the boot slower: the rise is made of several; {name}: {by} ({boots})"
    if len(found.found.suspects) > 1:
        several = ", ".join(short(found.revisions[suspect].name) for suspect in found.found.suspects[:10])
        return f"one of {several} made the boot slower by {by}; those between do not boot ({boots})"
    seemed = f"{name} seemed to make the boot slower by {by} ({boots} of {many})"
    if found.disturbed is None:
        return f"{seemed}, but one of the two cannot be booted under dithers: no revision is blamed"
    again = f"{figures.counted(found.disturbed.boots, 'further boot')} of the two under dithers"
    if found.disturbed.stands:
        return f"{name} made the boot slower by {by} ({boots} of {many}); {again} agree"
    return f"{seemed}, but {again} do not agree: no revision is blamed"
