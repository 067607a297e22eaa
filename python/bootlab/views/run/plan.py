"""A plan on the terminal: phases from cheap to dear, what each technique may save, what stays out and why."""

from __future__ import annotations

from rich.console import Group, RenderableType

from bootlab.model import figures
from bootlab.model.plan import Plan, PlannedPhase, PlannedTechnique
from bootlab.results.plan_file import estimate
from bootlab.views.run.tables import RISK_FLAGS, RISK_LEGEND
from bootlab.views.text_table import cell, spaced, text_table


def plan_view(plan: Plan, *, everything: bool = False) -> RenderableType:
    """Show a plan. `everything`: also the techniques that it leaves out."""
    parts: list[RenderableType] = [
        _phase(phase, everything=everything) for phase in plan.phases if phase.taken or everything
    ]
    out = sum(not technique.take for phase in plan.phases for technique in phase.techniques)
    notes = [RISK_LEGEND, "may save: from the log of a diagnostic boot; it orders the search and promises nothing"]
    if out and not everything:
        notes.append(
            f"left out for what they cost: {figures.counted(out, 'technique')} (--all shows them, --allow lets in)"
        )
    if plan.shrink:
        notes.append("then: kernel options whose code never ran up to the goal, in groups; a build and a boot each")
    if plan.budget_s is not None:
        notes.append(f"nothing new is tried after {plan.budget_s / 60:g} minutes of machine time")
    parts += [cell(note, "dim", 400) for note in notes]
    parts.append(cell(f"base: goal after {figures.ms(plan.base_ns)} virtual ms. {estimate(plan)}", "bold", 600))
    return Group(*spaced(parts))


def _phase(phase: PlannedPhase, *, everything: bool) -> RenderableType:
    title = f"{phase.name}: up to {figures.counted(phase.boots, 'boot')}"
    title += f", {figures.counted(phase.builds, 'kernel build')}" if phase.builds else ""
    table = text_table(title, "technique", ">may save ms", "risk", "excludes", "evidence")
    for technique in phase.techniques:
        if technique.take or everything:
            table.add_row(*_cells(technique))
    return table


def _cells(technique: PlannedTechnique) -> list[RenderableType]:
    name = technique.id + (f" ({len(technique.variants)} variants)" if technique.variants else "")
    gain = figures.ms(technique.gain_ns) if technique.gain_ns is not None else ""
    said = technique.reason if technique.take else f"left out: {technique.why_not}"
    flags = "".join(RISK_FLAGS[kind] for kind in technique.risk if kind in RISK_FLAGS)
    return [cell(name), cell(gain), cell(flags), cell(", ".join(technique.conflicts)), cell(said, limit=160)]
