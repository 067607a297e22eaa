# SPDX-License-Identifier: MIT
"""A gate as a comment on a pull request: the answer, before and after of each stage, budgets, what was odd."""

from __future__ import annotations

from bootlab.history.gate import GateAnswer, GateResult
from bootlab.history.revisions import Origin, Revision
from bootlab.model import figures
from bootlab.views.gate.text import difference_line, made_line, quantities, rule_line, sentence
from bootlab.views.markdown_text import code, plain

_SIGNS = {GateAnswer.PASSED: "✅", GateAnswer.FAILED: "❌", GateAnswer.UNDECIDED: "❔"}


def render(found: GateResult, *, report: str = "") -> str:
    """Return the comment. `report`: the address of the whole report."""
    parts = [f"### {_SIGNS[found.answer]} boot time {plain(sentence(found), 600)}"]
    if (moved := _most(found)) is not None:
        parts.append(moved)
    parts += _commits(found.origin)
    if found.differences:
        parts.append("What differs, and what the boots show of it:")
        parts.append("\n".join(f"* {plain(difference_line(one), 600)}" for one in found.differences))
    if found.compared:
        parts.append(quantities(found).markdown())
        parts.append(plain("; ".join([rule_line(found), *made_line(found)]), 400))
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


def _commits(origin: Origin | None) -> list[str]:
    """Name the commit of a request, or list its commits: nobody has booted them one by one."""
    if origin is None or not origin.count:
        return []
    if origin.count == 1:
        return [f"The one commit: {_commit(origin.commits[0])}"]
    more = [f"* and {origin.count - len(origin.commits)} more"] if origin.count > len(origin.commits) else []
    listed = "\n".join([*(f"* {_commit(one)}" for one in origin.commits), *more])
    search = code(f"bootlab bisect {origin.base.name[:12]}..{origin.commits[0].name[:12]} --system-file SYSTEM.toml")
    return [f"{origin.count} commits, the newest first; {search} finds which of them:", listed]


def _commit(commit: Revision) -> str:
    by = f" ({plain(commit.author, 60)})" if commit.author else ""
    return f"{commit.name[:12]} {plain(commit.subject, 120)}{by}"


def _most(found: GateResult) -> str | None:
    """Name the stage that grew most, where the whole boot is slower."""
    if found.answer is not GateAnswer.FAILED:
        return None
    grown = [one for one in found.stages if one.judged is not None and one.judged.verdict == "slower"]
    most = min(grown, key=lambda one: one.judged.saved_ns if one.judged else 0, default=None)
    if most is None or most.judged is None:
        return None
    return f"The stage **{plain(most.name)}** grew most: {figures.signed_ms(-most.judged.saved_ns, most.unsure_ns)} ms."
