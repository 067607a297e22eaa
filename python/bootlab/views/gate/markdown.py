# SPDX-License-Identifier: MIT
"""A gate as a comment on a pull request: the answer, before and after of each stage, budgets, what was odd."""

from __future__ import annotations

from bootlab.history.gate import GateAnswer, GateResult
from bootlab.model import figures
from bootlab.views.gate.text import quantities, rule_line, sentence
from bootlab.views.markdown_text import plain

_SIGNS = {GateAnswer.PASSED: "✅", GateAnswer.FAILED: "❌", GateAnswer.UNDECIDED: "❔"}


def render(found: GateResult, *, report: str = "") -> str:
    """Return the comment. `report`: the address of the whole report."""
    parts = [f"### {_SIGNS[found.answer]} boot time {plain(sentence(found), 600)}"]
    if (moved := _most(found)) is not None:
        parts.append(moved)
    if found.compared:
        parts.append(quantities(found).markdown())
        parts.append(plain(rule_line(found), 400))
    if found.budgets:
        rows = ["| budget | limit | measured | |", "|---|---:|---:|---|"]
        for result in found.budgets:
            measured = "" if result.median_ns is None else f"{figures.ms(result.median_ns, result.unsure_ns)} ms"
            rows.append(f"| {plain(result.budget.name)} | {plain(result.budget.limit)} | {measured} | {result.kept} |")
        parts.append("\n".join(rows))
    parts += [f"* {plain(said, 400)}" for said in (*found.failures, *found.ended_by_host, *found.odd)]
    if report.startswith(("https://", "http://")):
        parts.append(f"[The whole report](<{report.replace('>', '%3E')}>)")
    return "\n\n".join(parts) + "\n"


def _most(found: GateResult) -> str | None:
    """Name the stage that grew most, where the whole boot is slower."""
    if found.answer is not GateAnswer.FAILED:
        return None
    stages = [one for one in found.compared if one is not found.total and one.judged is not None]
    grown = [one for one in stages if one.judged is not None and one.judged.verdict == "slower"]
    most = min(grown, key=lambda one: one.judged.saved_ns if one.judged else 0, default=None)
    if most is None or most.judged is None:
        return None
    return f"The stage **{plain(most.name)}** grew most: {figures.signed_ms(-most.judged.saved_ns, most.unsure_ns)} ms."
