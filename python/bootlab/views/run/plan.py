# SPDX-License-Identifier: MIT
"""A plan on the terminal: phases from cheap to dear, what each technique may save, what stays out and why."""

from __future__ import annotations

from rich.console import Group, RenderableType

from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, Row, Table
from bootlab.model.plan import Plan, PlannedPhase, PlannedTechnique
from bootlab.results.plan_file import estimate
from bootlab.views.run.tables import RISK_FLAGS, RISK_LEGEND
from bootlab.views.table import terminal
from bootlab.views.text_table import cell, spaced

_COLUMNS = (
    Column(key="title", title="technique"),
    Column(key="gain_ns", title="may save", kind="ms", under="ms"),
    Column(key="risk", title="risk"),
    Column(key="words", title="evidence"),
)
_OUT = "left out"
_NAMED_MOST = 12


def plan_view(plan: Plan, *, everything: bool = False) -> RenderableType:
    """Show a plan. `everything`: also the techniques that it leaves out."""
    parts = terminal.tables(plan_tables(plan, everything=everything))
    out = sum(not technique.take for phase in plan.phases for technique in phase.techniques)
    notes = [RISK_LEGEND, "may save: from the log of a diagnostic boot; it orders the search and promises nothing"]
    if out and not everything:
        notes.append(
            f"left out for what they cost: {figures.counted(out, 'technique')} (--all shows, --allow includes them)"
        )
    if plan.unbuilt:
        named = ", ".join(plan.unbuilt[:_NAMED_MOST]) + (", …" if len(plan.unbuilt) > _NAMED_MOST else "")
        notes.append(
            f"apply too, but build the kernel, and the system names no source ([kernel] source, config): {named}"
        )
    if plan.shrink:
        notes.append("then: kernel options whose code never ran up to the goal, in groups; a build and a boot each")
    if plan.budget_s is not None:
        notes.append(f"nothing new is tried after {plan.budget_s / 60:g} minutes of machine time")
    parts += [cell(note, "dim", 400) for note in notes]
    parts.append(cell(f"base: goal after {figures.ms(plan.base_ns)} virtual ms. {estimate(plan)}", "bold", 600))
    return Group(*spaced(parts))


def plan_tables(plan: Plan, *, everything: bool) -> Comparison:
    """Return a table a phase, and one of what is left out."""
    rows: list[Row] = []
    tables: list[Table] = []
    for phase in plan.phases:
        if phase.taken:
            tables.append(_table(_title(phase), phase.name, phase.techniques))
        rows += [_row(one, phase.name) for one in phase.techniques if one.take]
    out = [one for phase in plan.phases for one in phase.techniques if not one.take]
    if out and everything:
        tables.append(_table("Left out for what they cost: --also ID or --allow KIND includes them", _OUT, tuple(out)))
        rows += [_row(one, _OUT) for one in out]
    return Comparison(
        kind="optimize", system=plan.system, clock="virtual", headline="", columns=_COLUMNS, tables=tuple(tables),
        rows=tuple(rows),
    )  # fmt: skip


def _title(phase: PlannedPhase) -> str:
    builds = f", {figures.counted(phase.builds, 'kernel build')}" if phase.builds else ""
    return f"{phase.name}: about {figures.counted(phase.boots, 'boot')}{builds}"


def _table(title: str, group: str, techniques: tuple[PlannedTechnique, ...]) -> Table:
    gains = ("gain_ns",) if any(one.gain_ns is not None for one in techniques) else ()
    risks = ("risk",) if any(RISK_FLAGS.keys() & set(one.risk) for one in techniques) else ()
    return Table(title=title, columns=("title", *gains, *risks, "words"), group=group)


def _row(technique: PlannedTechnique, group: str) -> Row:
    name = technique.id + (f" ({len(technique.variants)} variants)" if technique.variants else "")
    words = [technique.reason] if technique.reason else []
    if technique.why_not and not technique.risk:
        words.append(technique.why_not)
    if technique.conflicts:
        words.append(f"excludes {', '.join(technique.conflicts)}")
    return Row(
        id=technique.id,
        title=name,
        values={
            "group": group,
            "gain_ns": technique.gain_ns,
            "risk": "".join(RISK_FLAGS[kind] for kind in technique.risk if kind in RISK_FLAGS),
            "words": "; ".join(words),
        },
    )
