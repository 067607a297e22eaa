# SPDX-License-Identifier: MIT
"""Advice for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bootlab.advice.finding import Finding, Gain
from bootlab.advice.ways import Ways
from bootlab.logs.costs import Cost
from bootlab.model import figures
from bootlab.model.change_text import change_text
from bootlab.techniques.base import Answer
from bootlab.views.shown_text import one_line


def show(
    console: Console, findings: Sequence[Finding], *, largest: Cost | None = None, everything: bool = False
) -> None:
    """Print the log's largest cost, and what applies in full; `everything`: also what is open or does not apply."""
    applying = [f for f in findings if f.answer is Answer.YES]
    if largest is not None:
        console.print(Text(one_line(f"largest cost in the log: {_spent(largest)} ms: {largest.title}", 300), "bold"))
        console.print(Text(one_line(f"  {largest.evidence}", 400), "dim"))
    for finding in applying:
        _show_one(console, finding)
    unknown = [f for f in findings if f.answer is Answer.UNKNOWN]
    if everything:
        _list(console, "unknown from what was given", unknown)
        _list(console, "do not apply", [f for f in findings if f.answer is Answer.NO])
    elif unknown:
        reason, often = Counter(f.reason for f in unknown).most_common(1)[0]
        console.print(
            Text(one_line(f"{len(unknown)} unknown, {often} of them: {reason} (--all lists them)", 300), "dim")
        )
    if applying:
        console.print(Text(f"apply: {', '.join(f.technique for f in applying)}"))
    count = Counter(f.answer for f in findings)
    console.print(
        f"{len(findings)} techniques: {count[Answer.YES]} apply, {count[Answer.UNKNOWN]} are unknown, "
        f"{count[Answer.NO]} do not apply. Only a boot decides: bootlab try SYSTEM.toml"
    )


def ways_table(found: Sequence[Ways]) -> Table:
    """Show where each technique can be tried, in the order of the expected gain."""
    table = Table(box=None, padding=(0, 2, 0, 2), title="Where it can be tried", title_justify="left")
    for head in ("technique", "QEMU", "board"):
        table.add_column(head)
    for way in found:
        table.add_row(
            Text(way.technique),
            Text(one_line(way.not_in_qemu or "yes", 200)),
            Text(one_line(way.not_on_board or "yes", 200)),
        )
    return table


def _show_one(console: Console, finding: Finding) -> None:
    console.print(Text.assemble((finding.technique, "bold"), f"  {finding.title}"))
    rows = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    place = f" ({finding.place})" if finding.place else ""
    evidence = f": {finding.evidence}" if finding.evidence and finding.evidence != finding.reason else ""
    rows.add_row(Text("why", "dim"), Text(one_line(f"{finding.reason}{evidence}{place}", 400)))
    ways = [f"{c.label}: {change_text(c)}" if c.label else change_text(c) for c in finding.changes]
    for number, way in enumerate(ways[:4]):
        rows.add_row(Text("" if number else "how", "dim"), Text(one_line(way, 300)))
    if len(ways) > 4:
        rows.add_row("", Text(f"and {len(ways) - 4} more"))
    rows.add_row(Text("expect", "dim"), Text(finding.sign))
    for gain in finding.gains:
        rows.add_row("", Text(one_line(_gain(gain), 300), "dim"))
    rows.add_row(Text("not when", "dim"), Text(finding.when_not))
    rows.add_row(Text("cost", "dim"), Text(finding.cost))
    for kind in finding.risk.kinds:
        text = f"{kind}: {getattr(finding.risk, kind)}"
        rows.add_row(Text("risk", "dim"), Text(text, "yellow" if kind in finding.risk.costs else ""))
    console.print(rows)


def _spent(cost: Cost) -> str:
    return f"{'at least ' if cost.at_least else ''}{figures.ms(cost.cost_ns or 0)}"


def _gain(gain: Gain) -> str:
    amount = f"{figures.ms(gain.ns)} ms: " if gain.ns is not None else ""
    source = f" ({gain.source})" if gain.source else ""
    return f"{gain.basis}: {amount}{gain.text}{source}"


def _list(console: Console, title: str, findings: Sequence[Finding]) -> None:
    """Print techniques by reason: most have the same one when a file was not given."""
    if not findings:
        return
    console.print(Text(title, "bold"))
    by_reason: dict[str, list[str]] = {}
    for finding in findings:
        evidence = f": {finding.evidence}" if finding.evidence else ""
        by_reason.setdefault(one_line(f"{finding.reason}{evidence}", 300), []).append(finding.technique)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(ratio=2)
    table.add_column(ratio=3)
    for reason, ids in by_reason.items():
        table.add_row(Text(", ".join(ids)), Text(reason, "dim"))
    console.print(table)
