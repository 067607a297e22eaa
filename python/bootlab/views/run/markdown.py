"""The hand-over text in Markdown: the faster command line, the images, and the evidence for each change."""

from __future__ import annotations

import re
import shlex

from bootlab.model import figures
from bootlab.model.verdict import Verdict
from bootlab.results.document import FinalSystem, Results, StackResult
from bootlab.views.markdown_text import code, code_cell, plain
from bootlab.views.run.terminal import RISK_LEGEND, proof, risk_flags
from bootlab.views.shown_text import one_line


def render(results: Results) -> str:
    """Write the summary of a run."""
    base = results.base
    parts = [f"# Boot time of {plain(results.system_name)}", _headline(results), _instrument(results)]
    if results.stack:
        parts += _hand_over(results.stack.system)
        parts += ["## What each change gave", _steps(results, results.stack)]
        if results.stack.leave_one_out:
            parts += ["## Leave one out", _left_out(results.stack)]
    if results.trials:
        parts += ["## Trials", _trials(results)]
    if base.stages:
        parts += ["## Stages", _stages(results)]
    if results.not_modelled and results.mode == "exact":
        parts += ["## What exact mode does not model", "\n".join(f"* {plain(s)}" for s in results.not_modelled)]
    if results.reproduce:
        parts += ["## Again", _block("\n".join(results.reproduce))]
    return "\n\n".join(parts) + "\n"


def _headline(results: Results) -> str:
    base, final = results.base, results.final
    if base.goal_ns is None:
        return f"The boot failed: **{plain(base.outcome.value)}**. {plain(base.reason)}"
    if final is None:
        return f"Goal after **{figures.spread_ms(base.goal_ns, base.spread)} {base.clock} ms** from power-on."
    if final.goal_ns is None:
        return f"The stacked system failed: **{plain(final.outcome.value)}**. {plain(final.reason)}"
    if not results.comparable:
        return (
            f"Base {figures.ms(base.goal_ns)} {base.clock} ms, stack {figures.ms(final.goal_ns)} {final.clock} ms: "
            "two clocks, not comparable."
        )
    before, after = base.middle_ns or 0, final.middle_ns or 0
    share = figures.percent(after, before)
    said = (
        f"Power-on to goal: {figures.ms(before)} → **{figures.ms(after)} {base.clock} ms** "
        f"({share} of the base, {figures.ms(before - after)} ms saved)."
    )
    if base.spread is not None and final.spread is not None:
        old, new = (figures.spread_ms(None, boot.spread) for boot in (base, final))
        said += f" Medians and ranges under dithers: {old}; {new}."
    return said


def _instrument(results: Results) -> str:
    shift = "" if results.shift is None else f", one instruction = {2**results.shift} ns (shift {results.shift})"
    emulator = f", {plain(results.emulator_version)}" if results.emulator_version else ""
    return f"Run {code(results.id)}, {plain(results.started)}. Mode: {results.mode}{shift}{emulator}."


def _hand_over(system: FinalSystem) -> list[str]:
    parts = ["## The faster system", "Kernel command line:", _block(system.cmdline)]
    if system.machine:
        parts += ["Machine:", _block(shlex.join(system.machine))]
    if system.artefacts:
        rows = ["| image | path | size | SHA-256 |", "|---|---|---:|---|"]
        rows += [
            f"| {plain(a.name)} | {code_cell(a.path)} | {figures.size(a.size_bytes)} | {code_cell(a.sha256)} |"
            for a in system.artefacts
        ]
        parts.append("\n".join(rows))
    if system.system_path:
        parts.append(f"System file: {code(system.system_path)}")
    return parts


def _steps(results: Results, stack: StackResult) -> str:
    rows = [
        "| # | change | saved ms | goal ms | range ms | boots | of base | proof |",
        "|---:|---|---:|---:|---:|---:|---:|---|",
    ]
    for number, step in enumerate(stack.steps, 1):
        name, of_base = code_cell(step.change_id), figures.percent(step.after_ns, results.base.middle_ns)
        rows.append(
            f"| {number} | {name} | {figures.signed_ms(step.saved_ns)} | {figures.ms(step.after_ns)} "
            f"| {figures.range_ms(step.after)} | {figures.boots(step.after)} | {of_base} | {plain(step.evidence)} |"
        )
    return "\n".join(rows)


def _left_out(stack: StackResult) -> str:
    rows = ["| change | cost when left out, ms | range ms | boots | kept | why |", "|---|---:|---:|---:|---|---|"]
    for row in stack.leave_one_out:
        cost = "goal not reached" if row.cost_ns is None else figures.signed_ms(row.cost_ns)
        scatter = f"{figures.range_ms(row.spread)} | {figures.boots(row.spread)}"
        kept = "yes" if row.kept else "no"
        rows.append(f"| {code_cell(row.change_id)} | {cost} | {scatter} | {kept} | {plain(row.reason)} |")
    return "\n".join(rows)


def _trials(results: Results) -> str:
    rows = [
        "| change | verdict | saved ms | goal ms | range ms | boots | risk | proof or reason |",
        "|---|---|---:|---:|---:|---:|---|---|",
    ]
    for t in results.trials_by_saved():
        verdict = f"**{t.verdict.value}**" if t.verdict in {Verdict.FASTER, Verdict.BROKEN} else t.verdict.value
        risk = risk_flags(results.risk_of(t.change.technique))
        rows.append(
            f"| {code_cell(t.change.id)} | {verdict} | {figures.signed_ms(t.saved_ns)} | {figures.ms(t.goal_ns)} "
            f"| {figures.range_ms(t.spread)} | {figures.boots(t.spread)} | {risk} | {plain(proof(t))} |"
        )
    return "\n".join(rows) + f"\n\nR{RISK_LEGEND[1:]}."


def _stages(results: Results) -> str:
    final = {s.name: s.duration_ns for s in results.final.stages} if results.final else {}
    stacked = results.final
    rows = [f"| stage | base, {results.base.clock} ms |", "|---|---:|"]
    if stacked:
        rows = [f"{rows[0]} stacked, {stacked.clock} ms |", f"{rows[1]}---:|"]
    for s in results.base.stages:
        row = f"| {plain(s.name)} | {figures.ms(s.duration_ns)} |"
        rows.append(f"{row} {figures.ms(final.get(s.name))} |" if stacked else row)
    return "\n".join(rows)


def _block(text: str) -> str:
    # A fence longer than any in the text: the text cannot end the block.
    lines = [one_line(line, 8192) for line in text.splitlines()]
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return "\n".join([f"{fence}sh", *lines, fence])
