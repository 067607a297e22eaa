"""Tables for the terminal. Renderables only: the command line decides where they are printed.

Text from logs goes through :func:`cell`, so it is neither markup nor a terminal's control sequence.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.model import figures
from bootlab.model.change_text import change_text
from bootlab.model.verdict import Trial, Verdict
from bootlab.results.document import BootSummary, Results, StackResult
from bootlab.techniques.base import Answer, Risk
from bootlab.views.table import terminal as table_terminal
from bootlab.views.text_table import Fitted, cell, spaced, text_table

VERDICT_STYLES: dict[Verdict, str] = {
    Verdict.FASTER: "bold green",
    Verdict.SLOWER: "red",
    Verdict.SAME: "dim",
    Verdict.UNKNOWN: "yellow",
    Verdict.NO_EFFECT: "magenta",
    Verdict.BROKEN: "bold red",
    Verdict.NOT_BOOTED: "dim",
    Verdict.NOT_APPLICABLE: "dim",
}

ANSWER_STYLES: dict[Answer, str] = {Answer.YES: "green", Answer.NO: "dim", Answer.UNKNOWN: "yellow"}

RISK_FLAGS = {"security": "S", "function": "F", "runtime": "R", "debuggability": "d"}
RISK_LEGEND = "risk: S security, F function, R run time, d debugging"

BAR_WIDTH = 24


def risk_flags(risk: Risk) -> str:
    """`SFR` for a risk to security, function and run time; `d` when only debugging suffers."""
    return "".join(RISK_FLAGS[kind] for kind in risk.kinds)


def boot_table(boot: BootSummary, *, title: str = "Stages") -> RenderableType:
    """Stages of one boot: from which mark, how long, which share, how many instructions."""
    table = text_table(title, "stage", "from mark", f">{boot.clock} ms", ">share", ">instructions")
    names = {m.ns: m.name for m in reversed(boot.marks)}
    for stage in boot.stages:
        table.add_row(
            cell(stage.name),
            cell(names.get(stage.start_ns, "")),
            figures.ms(stage.duration_ns),
            figures.percent(stage.duration_ns, boot.goal_ns),
            figures.count(boot.stage_insns(stage)),
        )
    table.add_section()
    total = "power-on to goal" if boot.goal_ns is not None else f"no goal: {boot.outcome.value}"
    share = "100.0 %" if boot.goal_ns else figures.ABSENT
    table.add_row(cell(total, "bold"), "", figures.ms(boot.goal_ns), share, figures.count(boot.goal_insns))
    notes = [cell(f"not recorded: {lack}", "yellow", 400) for lack in boot.lacks]
    if boot.timeline and boot.timeline.missing:
        notes.append(cell(f"marks not seen: {', '.join(boot.timeline.missing)}", "dim", 400))
    if not boot.outcome.exit_code:
        return Group(table, *notes)
    return Group(table, cell(f"{boot.outcome.value}: {boot.reason}", "bold red", 400), *notes)


def trial_table(results: Results) -> RenderableType:
    """Every trial, most time saved first: verdict, proof, risk."""
    sampled = any(t.p_value is not None for t in results.trials)
    columns = ["change", "verdict", f">saved {results.base.clock} ms", ">of base"]
    columns += [">p"] if sampled else [">range ms", ">boots"]
    columns += ["risk", "proof or reason"]
    base = figures.spread_ms(results.base.goal_ns, results.base.spread)
    table = text_table(f"Trials against {results.base.clock} base {base} ms", *columns)
    for trial in results.trials_by_saved():
        row: list[RenderableType] = [
            cell(trial.change.id),
            cell(trial.verdict.value, VERDICT_STYLES[trial.verdict]),
            figures.signed_ms(trial.saved_ns),
            figures.percent(trial.goal_ns, trial.base_ns),
        ]
        if sampled:
            row.append(figures.ABSENT if trial.p_value is None else f"{trial.p_value:.3g}")
        else:
            row += [figures.range_ms(trial.spread), _boots(trial)]
        row += [cell(risk_flags(results.risk_of(trial.change.technique)), "yellow"), cell(proof(trial))]
        table.add_row(*row)
    return Group(Fitted(table), Text(RISK_LEGEND, style="dim"))


def _boots(trial: Trial) -> str:
    if trial.spread is None or trial.base_spread is None:
        return "1" if trial.key else figures.ABSENT
    return f"{trial.spread.boots} of {trial.spread.boots + trial.base_spread.boots}"


def proof(trial: Trial) -> str:
    """One line that carries the verdict: the proof of effect, or why there is none."""
    failure = trial.outcome.value if trial.outcome is not None and trial.outcome.exit_code else ""
    words = [trial.reason, trial.effect.evidence if trial.effect else "", failure]
    return "; ".join(dict.fromkeys(w for w in words if w)) or change_text(trial.change)


def waterfall_table(results: Results, stack: StackResult) -> RenderableType:
    """Show the stack step by step: what each change saved on top of those before it."""
    base_ns = results.base.middle_ns if results.comparable else None
    table = text_table("Stack", "change", ">saved ms", ">goal ms", ">range ms", ">boots", ">of base", "remaining", "")
    of_base, bar = figures.percent(base_ns, base_ns), _bar(base_ns, base_ns)
    spread = results.base.spread
    table.add_row("base", "", figures.ms(base_ns), figures.range_ms(spread), figures.boots(spread), of_base, bar, "")
    for step in stack.steps:
        late = "late" if step.retried else ""
        table.add_row(
            cell(step.change_id),
            figures.signed_ms(step.saved_ns),
            figures.ms(step.after_ns),
            figures.range_ms(step.after),
            figures.boots(step.after),
            figures.percent(step.after_ns, base_ns),
            _bar(step.after_ns, base_ns),
            cell(late, "dim"),
        )
    table.add_section()
    goal_ns = stack.final.middle_ns
    table.add_row(
        cell("stacked", "bold"),
        figures.signed_ms(base_ns - goal_ns if base_ns is not None and goal_ns is not None else None),
        figures.ms(goal_ns),
        figures.range_ms(stack.final.spread),
        figures.boots(stack.final.spread),
        figures.percent(goal_ns, base_ns),
        _bar(goal_ns, base_ns),
        cell("" if not stack.final.outcome.exit_code else stack.final.outcome.value, "bold red"),
    )
    parts: list[RenderableType] = [table]
    rejected = [r for r in stack.rejected if r.verdict not in {Verdict.NOT_APPLICABLE, Verdict.NOT_BOOTED}]
    if rejected:
        left = text_table("Tried on the stack and left out", "change", "verdict", ">saved ms", "again", "why")
        for r in rejected:
            saved = None if r.stack_ns is None or r.goal_ns is None else r.stack_ns - r.goal_ns
            style = VERDICT_STYLES[r.verdict]
            again = "yes" if r.retried else ""
            left.add_row(
                cell(r.change_id), cell(r.verdict.value, style), figures.signed_ms(saved), again, cell(r.reason)
            )
        parts.append(Fitted(left))
    skipped = len(stack.rejected) - len(rejected)
    if skipped:
        why = "costs of security, function or run time, exclusions, or too much lost alone"
        said = f"{skipped} more were not booted: {why}"
        parts.append(Text(said, style="dim"))
    return Group(*parts)


def leave_one_out_table(stack: StackResult) -> RenderableType:
    """Show what the final stack loses when one change is left out."""
    table = text_table("Leave one out", "change", ">cost when left out, ms", ">range ms", ">boots", "kept", "why")
    rows = sorted(stack.leave_one_out, key=lambda r: (r.cost_ns is not None, -(r.cost_ns or 0)))
    for row in rows:
        cost = "goal not reached" if row.cost_ns is None else figures.signed_ms(row.cost_ns)
        scatter = (figures.range_ms(row.spread), figures.boots(row.spread))
        table.add_row(cell(row.change_id), cost, *scatter, "yes" if row.kept else "no", cell(row.reason))
    return Fitted(table)


def technique_table(results: Results) -> RenderableType:
    """Every technique of the catalogue: does it apply here, and why."""
    table = text_table("Techniques", "technique", "applies", "risk", "reason", "evidence")
    order = {Answer.YES: 0, Answer.UNKNOWN: 1, Answer.NO: 2}
    for t in sorted(results.techniques, key=lambda t: (order[t.answer], t.id)):
        table.add_row(
            cell(t.id),
            cell(t.answer.value, ANSWER_STYLES[t.answer]),
            cell(risk_flags(t.risk), "yellow"),
            cell(t.reason),
            cell(t.evidence, "dim", 80),
        )
    return Fitted(table)


def headline(results: Results) -> Text:
    """One line: what was booted, from which time to which."""
    base, final = results.base, results.final
    text = cell(f"{results.system_name}: ", "bold")
    if base.goal_ns is None:
        return text.append_text(cell(f"{base.outcome.value}: {base.reason}", "bold red", 400))
    if final is None:
        return text.append(f"goal after {figures.spread_ms(base.goal_ns, base.spread)} {base.clock} ms")
    if final.goal_ns is None:
        return text.append_text(cell(f"the stack failed: {final.outcome.value}: {final.reason}", "bold red", 400))
    if not results.comparable:
        said = f"{figures.ms(base.goal_ns)} {base.clock} ms; stack {figures.ms(final.goal_ns)} {final.clock} ms"
        return text.append(f"{said}: two clocks, not comparable")
    before, after = (figures.spread_ms(boot.goal_ns, boot.spread) for boot in (base, final))
    text.append(f"{before} to {after} {base.clock} ms, ")
    return text.append(f"{figures.percent(final.middle_ns, base.middle_ns)} of the base", style="bold green")


def results_view(results: Results) -> RenderableType:
    """Everything that the terminal shows of a run."""
    if results.comparison is not None:
        return table_terminal.view(results.comparison)
    parts: list[RenderableType] = [
        headline(results),
        boot_table(results.base, title="Stages" if results.kind == "boot" else "Stages of the base"),
    ]
    if results.trials:
        parts.append(trial_table(results))
    if results.stack:
        parts += [waterfall_table(results, results.stack), boot_table(results.stack.final, title="Stages stacked")]
        if results.stack.leave_one_out:
            parts.append(leave_one_out_table(results.stack))
        parts += [Text("Faster command line", style="bold"), cell(results.stack.system.cmdline, limit=8192)]
    if results.techniques:
        parts.append(technique_table(results))
    parts += [cell(f"note: {note}", "dim", 400) for note in results.notes]
    if results.mode == "exact":
        said = "exact mode counts instructions and emulated devices; it does not model caches, DRAM, flash or baud rate"
        parts.append(Text(said, style="dim"))
    return Group(*spaced(parts))


def _bar(part_ns: int | None, whole_ns: int | None) -> Text:
    filled = round(BAR_WIDTH * part_ns / whole_ns) if part_ns is not None and whole_ns else 0
    return Text("█" * min(filled, BAR_WIDTH * 2), style="blue")
