# SPDX-License-Identifier: MIT
"""What the terminal shows of comparisons and of budgets."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.analysis import Analysis
from bootlab.logs.compared import LogComparison
from bootlab.logs.rows import LogRow, LogSample, Threshold
from bootlab.model import figures
from bootlab.views.log.comparison_sentence import bounds, sentence
from bootlab.views.text_table import cell, spaced, text_table

_STYLES = {"slower": "red", "faster": "green", "new": "magenta", "gone": "cyan", "unclear": "yellow", "same": "dim"}
_ORDER = ("slower", "faster", "new", "gone", "unclear")


_WHOLE = ("stage:", "startup:", "target:", "mark:")


def is_whole(row: LogRow) -> bool:
    """Whether a row is a stage of the boot, which is shown whatever it did."""
    return row.quantity == "kernel" or row.quantity.startswith(_WHOLE)


def summary(comparison: LogComparison) -> str:
    """Say how many runs were compared, and how many quantities did what."""
    count = {name: sum(row.change == name for row in comparison.rows) for name in (*_ORDER, "same")}
    said = ", ".join(f"{number} {change}" for change, number in count.items() if number)
    what = "boot" if any(row.quantity == "kernel" or ".." in row.quantity for row in comparison.rows) else "run"
    what += "s" if comparison.new_runs != 1 else ""
    return f"{comparison.new_runs} {what} against {comparison.base_runs} of the base: {said or 'nothing in common'}"


def rule(comparison: LogComparison) -> str:
    """Say what is called slower or faster."""

    def one(threshold: Threshold) -> str:
        return f"{figures.ms(threshold.ns)} ms and {threshold.percent:g} %"

    traced = any(row.quantity.startswith(("self:", "total:")) for row in comparison.rows)
    kinds = [kind for kind in comparison.thresholds.kinds if kind[0] != "function" or traced]
    own = ", ".join(f"{kind}: {one(threshold)}" for kind, threshold in kinds)
    return (
        f"slower or faster: medians differ by more than {one(comparison.thresholds.general)}"
        f"{f' ({own})' if own else ''}, and the values of both sides do not mix; unclear: they differ but overlap"
    )


def comparison_view(comparison: LogComparison, analyses: Sequence[Analysis], *, top: int) -> RenderableType:
    """Show what is slower, faster, new and gone, then the stages whatever they did, then the budgets."""
    parts: list[RenderableType] = []
    if comparison.base_runs:
        said = sentence(comparison)
        if said:
            word = next((word for word in ("slower", "faster") if f" {word} (" in said), "same")
            parts.append(cell(f"{said}.", f"bold {_STYLES[word]}", 400))
        unsure = bounds(analyses)
        if unsure:
            parts.append(cell(f"{unsure[:1].upper()}{unsure[1:]}.", "bold yellow", 600))
        parts.append(cell(summary(comparison), "bold", 400))
        whole = [row for row in comparison.rows if is_whole(row)]
        if whole:
            parts.append(_table("Whole stages", whole, comparison))
        for change in _ORDER:
            rows = [row for row in comparison.rows if row.change == change and not is_whole(row)]
            if rows:
                parts.append(_table(f"{change}: {len(rows)}", rows[:top], comparison))
        parts.append(cell(rule(comparison), "dim", 400))
    else:
        parts += [
            cell(f"{analysis.name}: {figures.counted(len(analysis.boots), 'boot')}", "dim", 300)
            for analysis in analyses
        ]
    parts += budget_lines(comparison)
    return Group(*spaced(parts))


def budget_lines(comparison: LogComparison, name: str = "") -> list[RenderableType]:
    """Say of each budget whether it was kept."""
    out: list[RenderableType] = []
    for budget in comparison.budgets:
        measured = f"{figures.ms(budget.median_ns)} ms" if budget.median_ns is not None else not_measured(
            comparison, budget.budget.quantity
        )  # fmt: skip
        verdict = "kept" if budget.kept else "NOT KEPT"
        limit = figures.ms(budget.budget.limit_ns)
        text = f"{name}budget {budget.budget.quantity}: {measured}, limit {limit} ms: {verdict}"
        out.append(cell(text, "green" if budget.kept else "bold red", 300))
    return out


STAGES = ("boot-loader", "decompression", "kernel", "user-space", "whole-boot")
"""Stages that a budget can name, as the core calls them; a log need not show each."""


def not_measured(comparison: LogComparison, quantity: str) -> str:
    """Say that a budget's quantity is in no run, and which ones of like names are."""
    names = [row.quantity for row in comparison.rows if row.new is not None]
    short = {name.split(":", 1)[-1]: name for name in reversed(names)} | {name: name for name in names}
    known = short | {name: name for name in STAGES if name not in short}
    near = difflib.get_close_matches(quantity.split(":", 1)[-1], list(known), n=3, cutoff=0.5)
    if near:
        return f"not measured (nearest: {', '.join(dict.fromkeys(known[name] for name in near))})"
    return f"not measured (stages are called {', '.join(STAGES)})"


def series_view(comparisons: Sequence[LogComparison], analyses: Sequence[Analysis], *, top: int) -> RenderableType:
    """Show several files beside the first: a column each, the stages first, then what moved in any of them."""
    base, others = analyses[0].name, [analysis.name for analysis in analyses[1:]]
    parts: list[RenderableType] = [cell(f"{len(others)} files against {base}", "bold", 400)]
    for name, comparison in zip(others, comparisons, strict=True):
        said = sentence(comparison)
        parts.append(cell(f"{name}: {said + '; ' if said else ''}{summary(comparison)}", "", 400))
    unsure = bounds(analyses)
    if unsure:
        parts.append(cell(f"{unsure[:1].upper()}{unsure[1:]}.", "bold yellow", 600))
    names = dict.fromkeys(row.quantity for comparison in comparisons for row in comparison.rows)
    found = [{row.quantity: row for row in comparison.rows} for comparison in comparisons]

    def moved(quantity: str) -> int:
        rows = [rows[quantity] for rows in found if quantity in rows]
        return max((abs(row.difference_ns or 0) for row in rows if row.change != "same"), default=-1)

    whole = [n for n in names if any(n in rows and is_whole(rows[n]) for rows in found)]
    rest = sorted((n for n in names if n not in set(whole) and moved(n) >= 0), key=lambda n: (-moved(n), n))
    for title, chosen in (("Whole stages", whole), (f"Moved in any file: {len(rest)}", rest[:top])):
        if not chosen:
            continue
        short = [name.rsplit("/", 1)[-1] for name in (base, *others)]
        table = text_table(f"{title}, ms (difference from the first)", "quantity", *(f">{name}" for name in short))
        for quantity in chosen:
            rows = [rows.get(quantity) for rows in found]
            base_sample = next((row.base for row in rows if row and row.base), None)
            table.add_row(cell(quantity), _spread(base_sample), *(_moved_cell(row) for row in rows))
        parts.append(table)
    parts.append(cell(rule(comparisons[0]), "dim", 400))
    for name, comparison in zip(others, comparisons, strict=True):
        parts += budget_lines(comparison, f"{name}: ")
    return Group(*spaced(parts))


def _moved_cell(row: LogRow | None) -> Text:
    if row is None:
        return cell(figures.ABSENT, "dim")
    if row.new is None:
        return cell("gone", _STYLES["gone"])
    if row.difference_ns is None:
        return cell(f"{figures.ms(row.new.median_ns)} new", _STYLES["new"])
    text = f"{figures.ms(row.new.median_ns)} ({figures.signed_ms(row.difference_ns)})"
    return cell(text, _STYLES.get(row.change, ""))


def _spread(sample: LogSample | None) -> str:
    if sample is None:
        return figures.ABSENT
    if sample.count == 1:
        return figures.ms(sample.median_ns)
    return f"{figures.ms(sample.median_ns)} ({_short(sample.min_ns)}..{_short(sample.max_ns)})"


def _short(ns: int) -> str:
    """Return milliseconds as exactly as a spread is read: a line has no room for more."""
    places = 0 if abs(ns) >= 100_000_000 else 1 if abs(ns) >= 1_000_000 else 3
    return f"{ns / 1e6:.{places}f}"


def _table(title: str, rows: Sequence[LogRow], comparison: LogComparison) -> RenderableType:
    title += ", ms: medians (min..max)" if max(comparison.base_runs, comparison.new_runs) > 1 else ", ms"
    called = any(row.base_calls is not None or row.new_calls is not None for row in rows)
    calls = [">calls"] if called else []
    table = text_table(title, "~quantity", ">base", ">new", ">difference", *calls, "verdict")
    for row in rows:
        table.add_row(
            cell(row.quantity), _spread(row.base), _spread(row.new), figures.signed_ms(row.difference_ns),
            *([calls_text(row)] if called else []), cell(row.change, _STYLES.get(row.change, "")),
        )  # fmt: skip
    return table


def calls_text(row: LogRow) -> str:
    """Say how often a function was called: one number, or two where they differ."""
    if row.base_calls == row.new_calls or row.base_calls is None or row.new_calls is None:
        return figures.count(row.new_calls if row.base_calls is None else row.base_calls)
    return f"{figures.count(row.base_calls)} to {figures.count(row.new_calls)}"
