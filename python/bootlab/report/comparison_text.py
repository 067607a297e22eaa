"""What the terminal shows of a comparison of boots and of budgets."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType

from bootlab.logs.analysis import Analysis
from bootlab.logs.comparison import Comparison, Row, Sample
from bootlab.report import figures
from bootlab.report.text_table import cell, spaced, text_table

_STYLES = {"slower": "red", "faster": "green", "new": "magenta", "gone": "cyan", "unclear": "yellow", "same": "dim"}
_ORDER = ("slower", "faster", "new", "gone", "unclear")


def comparison_view(comparison: Comparison, analyses: Sequence[Analysis], *, top: int) -> RenderableType:
    """Show what is slower, faster, new and gone, then the stages whatever they did, then the budgets."""
    parts: list[RenderableType] = []
    count = {name: sum(row.change == name for row in comparison.rows) for name in (*_ORDER, "same")}
    if comparison.base_boots:
        said = ", ".join(f"{number} {change}" for change, number in count.items() if number)
        head = (
            f"{comparison.new_boots} boots against {comparison.base_boots} of the base: {said or 'nothing in common'}"
        )
        parts.append(cell(head, "bold", 400))
        whole = [row for row in comparison.rows if row.quantity == "kernel" or row.quantity.startswith("stage:")]
        if whole:
            parts.append(_table("Whole stages", whole, comparison))
        for change in _ORDER:
            rows = [row for row in comparison.rows if row.change == change and row not in whole]
            if rows:
                parts.append(_table(f"{change}: {len(rows)}", rows[:top], comparison))
        limit = figures.ms(comparison.threshold_ns)
        parts.append(
            cell(
                f"slower or faster: medians differ by more than {limit} ms and 5 %, and the values of both sides "
                "do not mix; unclear: they differ but overlap",
                "dim", 300,
            )
        )  # fmt: skip
    else:
        parts += [cell(f"{analysis.name}: {len(analysis.boots)} boots", "dim", 300) for analysis in analyses]
    for budget in comparison.budgets:
        measured = "not measured" if budget.median_ns is None else f"{figures.ms(budget.median_ns)} ms"
        verdict = "kept" if budget.kept else "NOT KEPT"
        text = f"budget {budget.budget.quantity}: {measured}, limit {figures.ms(budget.budget.limit_ns)} ms: {verdict}"
        parts.append(cell(text, "green" if budget.kept else "bold red", 300))
    return Group(*spaced(parts))


def _spread(sample: Sample | None) -> str:
    if sample is None:
        return figures.ABSENT
    if sample.count == 1:
        return figures.ms(sample.median_ns)
    return f"{figures.ms(sample.median_ns)} ({figures.ms(sample.min_ns)}..{figures.ms(sample.max_ns)})"


def _table(title: str, rows: Sequence[Row], comparison: Comparison) -> RenderableType:
    spread = " median (min..max), ms" if max(comparison.base_boots, comparison.new_boots) > 1 else ", ms"
    table = text_table(title, "quantity", f">base{spread}", f">new{spread}", ">difference, ms", "verdict")
    for row in rows:
        table.add_row(
            cell(row.quantity), _spread(row.base), _spread(row.new), figures.signed_ms(row.difference_ns),
            cell(row.change, _STYLES.get(row.change, "")),
        )  # fmt: skip
    return table
