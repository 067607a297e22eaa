# SPDX-License-Identifier: MIT
"""The hand-over text in Markdown: the faster command line, the images, and the evidence for each change."""

from __future__ import annotations

import re
import shlex

import msgspec

from bootlab.model import figures
from bootlab.results.document import FinalSystem, RunDocument
from bootlab.views.markdown_text import code, code_cell, plain
from bootlab.views.run import floor, side_tables, tables
from bootlab.views.run.headline import answer, by_what, modelled_lines
from bootlab.views.shown_text import one_line
from bootlab.views.table import markdown as table_markdown


def render(results: RunDocument) -> str:
    """Write the summary of a run."""
    base = results.base
    parts = [f"# Boot time of {plain(results.system_name)}", _headline(results), _instrument(results)]
    if results.stack:
        parts += _hand_over(results.stack.system)
    found = tables.comparison(results)
    if found is not None:
        # The page says what was kept before all that was tried.
        ordered = tuple(sorted(found.tables, key=lambda table: table.group == "trial"))
        parts += table_markdown.body(msgspec.structs.replace(found, tables=ordered))
    if base.stages:
        parts += table_markdown.body(side_tables.stages(results))
    if (forecast := side_tables.forecast(results)) is not None:
        parts += table_markdown.body(forecast)
    if (loads := side_tables.loads(results)) is not None:
        parts += table_markdown.body(loads)
    if results.notes:
        parts += ["## Notes", "\n".join(f"* {plain(note, 600)}" for note in results.notes)]
    if results.not_modelled and results.mode == "exact":
        parts += ["## What exact mode does not model", "\n".join(f"* {plain(s)}" for s in results.not_modelled)]
    if results.reproduce:
        parts += ["## Again", _block("\n".join(results.reproduce))]
    return "\n\n".join(parts) + "\n"


def _headline(results: RunDocument) -> str:
    base, final = results.base, results.final
    failed = base.goal_ns is None or (final is not None and final.goal_ns is None)
    said = [f"{'The boot failed: ' if base.goal_ns is None else ''}**{plain(answer(results), 600)}**"]
    said += [plain(by_what(results), 600)] if by_what(results) and not failed else []
    said += [plain(floor.said(results), 600)] if floor.said(results) else []
    said += [plain(line, 600) for line in modelled_lines(results)]
    return "\n\n".join(said)


def _instrument(results: RunDocument) -> str:
    shift = "" if results.shift is None else f", one instruction = {2**results.shift} ns (shift {results.shift})"
    processors = f", {results.processors.text}" if results.processors.text else ""
    emulator = f", {plain(results.emulator_version)}" if results.emulator_version else ""
    return f"Run {code(results.id)}, {plain(results.started)}. Mode: {results.mode}{shift}{processors}{emulator}."


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


def _block(text: str) -> str:
    # A fence longer than any in the text: the text cannot end the block.
    lines = [one_line(line, 8192) for line in text.splitlines()]
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return "\n".join([f"{fence}sh", *lines, fence])
