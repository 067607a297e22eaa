# SPDX-License-Identifier: MIT
"""A run on the terminal: tables first, the answer last. Renderables only: the command line decides where they go.

Text from logs goes through :func:`cell`, so it is neither markup nor a terminal's control sequence.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.model import figures
from bootlab.model.timeline import SERVICES
from bootlab.results.document import BootSummary, RunDocument
from bootlab.techniques.base import Answer
from bootlab.views.run import floor, side_tables, tables
from bootlab.views.run.headline import by_what, headline, modelled_lines
from bootlab.views.table import terminal as table_terminal
from bootlab.views.text_table import cell, spaced, text_table

_SERVICES_SHOWN = 12


def boot_table(boot: BootSummary, *, title: str = "Stages") -> RenderableType:
    """Stages of one boot: from which mark, how long, which share, how many instructions."""
    table = text_table(title, "stage", "from mark", f">{boot.clock} ms", ">share", ">instructions")
    names = {m.ns: m.name for m in reversed(boot.marks)}
    unsure_ns = boot.unsure_ns
    for stage in boot.stages:
        table.add_row(
            cell(stage.name),
            cell(names.get(stage.start_ns, "")),
            figures.ms(stage.duration_ns, unsure_ns),
            figures.percent(stage.duration_ns, boot.goal_ns),
            figures.count(boot.stage_insns(stage)),
        )
    table.add_section()
    total = boot.whole if boot.goal_ns is not None else f"no goal: {boot.outcome.value}"
    share = "100.0 %" if boot.goal_ns else figures.ABSENT
    table.add_row(cell(total, "bold"), "", figures.ms(boot.goal_ns, unsure_ns), share, figures.count(boot.goal_insns))
    notes = [cell(f"not recorded: {lack}", "yellow", 400) for lack in boot.lacks]
    notes += [cell(f"note: {note}", "dim", 400) for note in boot.notes]
    if boot.timeline and boot.timeline.missing:
        notes.append(cell(f"marks not seen: {', '.join(boot.timeline.missing)}", "dim", 400))
    return Group(table, *notes)


def chain_table(boot: BootSummary) -> RenderableType | None:
    """Show the units that the goal waited for, the last one first; None where a boot shows no units."""
    chain = boot.timeline.chain if boot.timeline is not None else ()
    if not chain:
        return None
    table = text_table("Critical chain of units", "unit", ">done at ms", ">took", ">began after the one below")
    unsure_ns = boot.unsure_ns
    for span, below in zip(chain, (*chain[1:], None), strict=True):
        done_ns = span.start_ns + span.duration_ns
        gap_ns = None if below is None else span.start_ns - below.start_ns - below.duration_ns
        times = (figures.ms(ns, unsure_ns) for ns in (done_ns, span.duration_ns, gap_ns))
        table.add_row(cell(span.name), *times)
    return table


def services_table(boot: BootSummary) -> RenderableType | None:
    """Show what an init other than systemd started, the longest first; None where a boot shows no services."""
    spans = boot.timeline.spans if boot.timeline is not None else ()
    found = sorted((s for s in spans if s.lane == SERVICES), key=lambda s: (-s.duration_ns, s.start_ns))
    if not found:
        return None
    title = f"Longest starts of {figures.counted(len(found), 'service')}"
    table = text_table(title, "service", ">start at ms", ">took", "started by")
    for span in found[:_SERVICES_SHOWN]:
        start, took = (figures.ms(ns, boot.unsure_ns) for ns in (span.start_ns, span.duration_ns or None))
        table.add_row(cell(span.name), start, took, cell(span.detail, "dim"))
    return table


def results_view(results: RunDocument, *, everything: bool = False, named: tuple[str, ...] = ()) -> RenderableType:
    """Show a run: its tables, what to keep in mind, and the answer as the last lines.

    `everything`: also trials that made no difference, what was not booted, and every technique of the catalogue.
    `named`: techniques that the user asked for; why one of them was not tried is always shown.
    """
    if results.comparison is not None:
        return table_terminal.view(results.comparison, everything=everything)
    title = "Stages" if results.kind == "boot" else "Stages of the base"
    title += f", {results.processors.text}" if results.processors.text else ""
    parts: list[RenderableType] = [boot_table(results.base, title=title)]
    parts += [table for of in (chain_table, services_table) if (table := of(results.base)) is not None]
    loads = side_tables.loads(results)
    parts += table_terminal.tables(loads) if loads is not None else []
    found = tables.comparison(results, everything=everything)
    if found is not None:
        parts += [*table_terminal.tables(found), *(cell(line, "dim", 400) for line in found.footnote.splitlines())]
    if results.stack:
        parts.append(boot_table(results.stack.final, title="Stages stacked"))
        parts += [table for of in (chain_table, services_table) if (table := of(results.stack.final)) is not None]
    if everything and results.techniques:
        parts += table_terminal.tables(side_tables.techniques(results))
    if not everything:
        parts += [cell(line, "yellow", 400) for line in _not_tried(results, named)]
    parts += [cell(f"note: {note}", "dim", 400) for note in results.notes]
    if results.mode == "exact":
        said = "exact mode counts instructions and emulated devices; it does not model caches, DRAM, flash or baud rate"
        parts.append(Text(said, style="dim"))
    if not everything and (hidden := _hidden(results, named)):
        parts.append(cell(f"not shown: {hidden} (--all shows them, and the page)", "dim", 400))
    if results.stack:
        parts += [Text(), Text("Faster command line", style="bold"), cell(results.stack.system.cmdline, limit=8192)]
    return Group(*spaced([*parts, Text(), *_answer(results)]))


def _answer(results: RunDocument) -> list[Text]:
    failed = results.base.goal_ns is None or (results.final is not None and results.final.goal_ns is None)
    lines = [cell(line, "yellow", 600) for line in modelled_lines(results)]
    lines += [cell(said, limit=600) for said in (by_what(results), floor.said(results)) if said]
    return [*lines, cell(headline(results), "bold red" if failed else "bold", 600)]


def _not_tried(results: RunDocument, named: tuple[str, ...]) -> list[str]:
    tried = {trial.change.technique for trial in results.trials}
    asked = {name.partition(":")[0] for name in named} - tried
    return [
        f"{one.id} was not tried: {one.reason}" + (f" ({one.evidence})" if one.evidence else "")
        for one in results.techniques
        if one.id in asked and one.answer is Answer.NO
    ]


def _hidden(results: RunDocument, named: tuple[str, ...] = ()) -> str:
    said = []
    trials = len(results.trials) - len(tables.shown_trials(results, everything=False))
    if trials:
        said.append(f"{figures.counted(trials, 'trial')} without a difference or without a boot")
    rejected = results.stack.rejected if results.stack else ()
    if skipped := sum(row.verdict in tables.UNTRIED for row in rejected):
        said.append(f"{figures.counted(skipped, 'change')} that the stack left out without a boot")
    asked = {name.partition(":")[0] for name in named}
    if no := sum(one.answer is Answer.NO and one.id not in asked for one in results.techniques):
        said.append(f"{figures.counted(no, 'technique')} that {'does' if no == 1 else 'do'} not apply")
    return ", ".join(said)
