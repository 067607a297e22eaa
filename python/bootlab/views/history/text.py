# SPDX-License-Identifier: MIT
"""What the terminal shows of the history: a table of stages, where each changed, and what else changed there."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rich.console import Group, RenderableType

from bootlab.history.boot_times import SUBJECT, TOTAL
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import LevelChange, Point, Trend
from bootlab.model import figures
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import cell, text_table

_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 18
_GAP = "\u2007"
"""A space as wide as a figure, which a browser does not join with its neighbour."""
_SHORT = 12


def systems_view(systems: Sequence[tuple[str, int]]) -> RenderableType:
    """List the systems."""
    if not systems:
        return cell("the history is empty: bootlab history add last --system NAME", "dim", 300)
    table = text_table("Systems in the history", "system", ">boots")
    for name, count in systems:
        table.add_row(cell(name), cell(figures.count(count)))
    return table


def trends_view(
    system: str, entries: Sequence[HistoryEntry], trends: Sequence[Trend], *, everything: bool
) -> RenderableType:
    """Show the whole boot and what changed; `everything`: stages that did not change too."""
    revisions = dict.fromkeys(entry.revision for entry in entries)
    failed = sum(not entry.times.ok for entry in entries)
    said = f"{system}: {figures.counted(len(entries), 'boot')} of {figures.counted(len(revisions), 'revision')}"
    if failed:
        said += f", {failed} did not reach their goal"
    columns = ("quantity", ">first level ms", ">newest level ms", ">change ms", "~trend", ">changes")
    table = text_table(one_line(said, 200), *columns)
    shown = [trend for trend in trends if everything or trend.name == TOTAL or trend.changes]
    for trend in shown:
        first, last = trend.first_level, trend.newest_level
        table.add_row(
            cell("whole boot" if trend.name == TOTAL else trend.name),
            cell(figures.ms(first.median_ns, first.range_ns)),
            cell(figures.ms(last.median_ns, last.range_ns)),
            cell(figures.signed_ms(trend.grew_ns, trend.unsure_ns) if trend.changes else "none"),
            cell(bars([point.ns for point in trend.points])),
            cell(figures.count(len(trend.changes))),
        )
    parts: list[RenderableType] = [table]
    for trend in shown:
        parts += [cell(line, style, 400) for change in trend.changes for line, style in change_lines(trend, change)]
    if hidden := len(trends) - len(shown):
        parts.append(cell(f"{figures.counted(hidden, 'stage')} without a change: --all", "dim"))
    if not any(trend.changes for trend in trends):
        parts.append(cell(unchanged(trends), "dim"))
    if said := steps_line(trends):
        parts.append(cell(said, "dim", 400))
    return Group(*parts)


def unchanged(trends: Sequence[Trend]) -> str:
    """Say what the trends show where none changed its level: of fewer than two boots, nothing."""
    most = max((len(trend.points) for trend in trends), default=0)
    if not most:
        return "no boot reached its goal: there is nothing to compare"
    return "one boot reached its goal: there is nothing to compare" if most == 1 else "no level changed"


def steps_line(trends: Sequence[Trend]) -> str:
    """Say what a step between two exact boots proves; "" where none is shown, or the boots are not exact."""
    whole = next((trend for trend in trends if trend.name == TOTAL), None)
    if whole is None or not whole.exact:
        return ""
    if whole.moved_ns is not None:
        return f"what means nothing moves a boot by up to {figures.ms(whole.moved_ns)} ms: no smaller step is a change"
    if not any(trend.changes for trend in trends):
        return ""
    return (
        "one exact boot on each side of a step: how far what means nothing moves them is not known "
        "(bootlab history add SYSTEM.toml boots it under dithers)"
    )


def change_lines(trend: Trend, change: LevelChange) -> list[tuple[str, str]]:
    """Say where a level changed, by how much, and what else changed there."""
    style = "red" if change.point.grew_ns > 0 else "green"
    sure = "" if trend.exact else f", p = {change.point.p_value:.4f}"
    lines = [(f"{_level_words(trend, change)}{sure}", style)]
    if who := commit_words(change):
        lines.append((f"    {who}", ""))
    return lines + [(f"    {fact}", "dim") for fact in change.facts]


def step_words(trend: Trend, change: LevelChange) -> str:
    """Say in one line where a level changed, by how much, and whose commit is behind it."""
    who = commit_words(change)
    return f"{_level_words(trend, change)}{f': {who}' if who else ''}"


def _level_words(trend: Trend, change: LevelChange) -> str:
    name = "whole boot" if trend.name == TOTAL else trend.name
    grew = change.point.grew_ns
    share = figures.percent(grew, change.point.from_ns)
    revisions = f"at {short(change.from_revision)} -> {short(change.to_revision)}"
    if change.inside:
        revisions = f"within {short(change.from_revision)}"
    return f"{name}: {figures.signed_ms(grew, trend.unsure_ns)} ms ({share}) {revisions}"


def commit_words(change: LevelChange) -> str:
    """Say what the commit behind a change says of itself, and whose it is; "" where nobody gave that."""
    return (
        f"{change.subject} ({change.author})" if change.subject and change.author else change.subject or change.author
    )


def revision_words(entry: HistoryEntry) -> str:
    """Name what was booted as people do: a commit's digest cut short, with what the commit says of itself."""
    said = entry.times.facts.get(SUBJECT, "")
    return f"{short(entry.revision)}{f' ({said})' if said else ''}"


def bars(values_ns: Sequence[int], most: int = _MOST_BARS) -> str:
    """Draw values as small bars, the newest last; of many the newest ones."""
    values = values_ns[-most:]
    low, high = min(values), max(values)
    if high == low:
        return _BARS[0] * len(values)
    return "".join(_BARS[round((value - low) / (high - low) * (len(_BARS) - 1))] for value in values)


def dated_bars(points: Sequence[Point], most: int) -> str:
    """Draw points as small bars spaced by date, the newest on the right: the median of each span, a gap where none is.

    Points whose dates cannot be read, or are one, stand side by side.
    """
    times = [point.seconds for point in points]
    known = [at for at in times if at is not None]
    first, last = min(known, default=0), max(known, default=0)
    if len(known) < len(points) or last - first < most:
        return bars([point.ns for point in points], most)
    spans: dict[int, list[int]] = {}
    for at, point in zip(known, points, strict=True):
        spans.setdefault(min(most - 1, (at - first) * most // (last - first)), []).append(point.ns)
    drawn = iter(bars([round(statistics.median(spans[place])) for place in sorted(spans)], most))
    return "".join(next(drawn) if place in spans else _GAP for place in range(most))


def short(revision: str) -> str:
    """Cut a commit's digest to what people read."""
    is_digest = len(revision) == 40 and all(letter in "0123456789abcdef" for letter in revision)
    return revision[:_SHORT] if is_digest else revision
