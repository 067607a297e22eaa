# SPDX-License-Identifier: MIT
"""The page of a comparison: one section for each group that was compared with the base, in the analysis page's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bootlab.logs.analysis import Analysis
from bootlab.logs.compared import LogComparison
from bootlab.logs.rows import LogRow, LogSample
from bootlab.model import figures
from bootlab.views.log.comparison_sentence import Total, bounds, sentence, total
from bootlab.views.log.comparison_text import calls_text, is_whole, not_measured, rule, summary
from bootlab.views.log.page_data import PARTS_LIMIT
from bootlab.views.page_model import PageData, PartData, TableData
from bootlab.views.page_parts import ms, part, show, table

_ORDER = ("slower", "faster", "new", "gone", "unclear", "same")


def comparison_data(comparisons: Sequence[LogComparison], analyses: Sequence[Analysis]) -> PageData:
    """Collect everything the page shows."""
    names = [analysis.name for analysis in analyses]
    several = len(comparisons) > 1
    titles = [f"{name} against {names[0]}" for name in names[1:]] if several else ["Comparison"]
    unsure = bounds(analyses)
    parts = [_part(c, title, unsure) for c, title in zip(comparisons, titles, strict=True)]
    files = table(
        "Files",
        ["name", "read as", ">lines", ">boots"],
        ([show(a.name), a.document.detected, [figures.count(a.document.lines), a.document.lines],
          [figures.count(len(a.boots)), len(a.boots)]] for a in analyses),
    )  # fmt: skip
    return {
        "name": show(f"{names[0]} and {len(names) - 1} more") if len(names) > 2 else show(" and ".join(names)),
        "detected": "comparison",
        "headline": _figures(comparisons),
        "lines": sum(a.document.lines for a in analyses),
        "bytes": sum(a.document.input.read_bytes for a in analyses),
        "packing": "",
        "parts": parts[:PARTS_LIMIT],
        "partsLeft": max(0, len(parts) - PARTS_LIMIT),
        "account": [files],
    }


def _figures(comparisons: Sequence[LogComparison]) -> list[list[str]]:
    """Say how many quantities became slower and faster, and how many budgets are not kept."""
    changes = [row.change for comparison in comparisons for row in comparison.rows]
    broken = sum(len(comparison.broken_budgets) for comparison in comparisons)
    said = [_whole(whole) for comparison in comparisons[:3] if (whole := total(comparison))]
    said += [[figures.count(changes.count(name)), "", name] for name in ("slower", "faster")]
    if broken:
        said.append([figures.count(broken), "", "budget not kept" if broken == 1 else "budgets not kept"])
    return said


def _whole(whole: Total) -> list[str]:
    """Return the total as a figure: difference, unit, what it is, verdict."""
    what = "in all" if whole.whole else "in what both sides time"
    if whole.word == "same":
        return ["same", "", f"{what} ({whole.span})", "same"]
    return [figures.signed_ms(whole.difference_ns), "ms", f"{whole.word} {what} ({whole.span})", whole.word]


def _part(comparison: LogComparison, title: str, unsure: str) -> PartData:
    broken = [
        f"budget {b.budget.quantity} is not kept: "
        f"{not_measured(comparison, b.budget.quantity) if b.median_ns is None else figures.ms(b.median_ns) + ' ms'}, "
        f"limit {figures.ms(b.budget.limit_ns)} ms"
        for b in comparison.broken_budgets
    ]
    tables = [rows_table("Whole stages", [row for row in comparison.rows if is_whole(row)])]
    for change in _ORDER:
        rows = [row for row in comparison.rows if row.change == change and not is_whole(row)]
        tables.append(rows_table(change.capitalize(), rows))
    said = sentence(comparison)
    said = "".join(f"{text[:1].upper()}{text[1:]}. " for text in (said, unsure) if text)
    subtitle = f"{said}{summary(comparison)}. {rule(comparison)[:1].upper()}{rule(comparison)[1:]}."
    alerts = [show(text) for text in broken]
    return part(show(title), show(subtitle), *(t for t in tables if t["rows"]), alerts=alerts)


def _spread(sample: LogSample | None) -> list[Any]:
    if sample is None:
        return [figures.ABSENT, None]
    text = figures.ms(sample.median_ns)
    if sample.count > 1:
        text += f" ({figures.ms(sample.min_ns)}..{figures.ms(sample.max_ns)})"
    return [text, sample.median_ns]


def rows_table(caption: str, rows: Sequence[LogRow]) -> TableData:
    """Make the table of quantities that two logs were compared by."""
    called = any(row.base_calls is not None or row.new_calls is not None for row in rows)
    share = [
        None if row.base is None or row.difference_ns is None or not row.base.median_ns
        else 100 * row.difference_ns / row.base.median_ns
        for row in rows
    ]  # fmt: skip
    columns = ["quantity", ">base, ms", ">new, ms", ">difference, ms", ">%", *([">calls"] if called else []), "verdict"]
    return table(
        caption,
        columns,
        (
            [
                show(row.quantity), _spread(row.base), _spread(row.new),
                [figures.signed_ms(row.difference_ns), ms(row.difference_ns)[1]],
                ["" if percent is None else f"{percent:+.1f}".replace("-", "\u2212"), percent],
                *([[calls_text(row), row.new_calls]] if called else []), row.change,
            ]
            for row, percent in zip(rows, share, strict=True)
        ),
    )  # fmt: skip
