# SPDX-License-Identifier: MIT
"""A system's history as a page: trends, changes, boots.

Written to a file it is whole in itself. The application of `bootlab serve` gives it addresses to link to.
"""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.history.boot_times import TOTAL
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import LevelChange, Trend
from bootlab.model import figures
from bootlab.model.recording import unsure_ns
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.text import commit_words, short, unchanged
from bootlab.views.page_model import Cell, PageData, PartData, TrendData
from bootlab.views.page_parts import ms, number, page, part, show, table
from bootlab.views.shown_text import one_line

_CHARTS = 6
CLOCKS = "Times in milliseconds, on the clock named next to them."
_FOOTER = f"{CLOCKS} One file, no network."


def render_system(
    system: str, entries: Sequence[HistoryEntry], trends: Sequence[Trend], *, everything: int | None = None
) -> str:
    """Make the page of a system's boots (at least one), the oldest first. `everything`: how many there are in all."""
    return page(f"{one_line(system, 120)} · bootlab history", system_data(system, entries, trends, everything))


def system_data(
    system: str,
    entries: Sequence[HistoryEntry],
    trends: Sequence[Trend],
    everything: int | None = None,
    to: Addresses | None = None,
) -> PageData:
    """Collect everything the page of a system shows."""
    whole = next((trend for trend in trends if trend.name == TOTAL), None)
    failed = [entry for entry in entries if not entry.times.ok]
    revisions = list(dict.fromkeys(entry.revision for entry in entries))
    parts = [_whole(whole)] if whole is not None else []
    parts += [_changes(system, trends, to), _stages(trends)]
    if to is not None and len(revisions) > 1:
        parts.append(_chooser(system, revisions))
    parts.append(_boots(entries, to))
    shown = figures.counted(len(entries), "boot")
    if everything is not None and everything > len(entries):
        shown = f"the newest {len(entries)} of {figures.counted(everything, 'boot')}"
    return {
        "name": show(system),
        "kind": "History",
        "headline": _headline(whole, revisions, failed),
        "problems": [f"{figures.counted(len(failed), 'boot')} without reaching the goal: see Boots"] if failed else [],
        "facts": [
            ["shown", shown],
            ["revisions", figures.count(len(revisions))],
            ["clocks", ", ".join(sorted({entry.times.clock for entry in entries}))],
            ["variants", show(", ".join(sorted({entry.variant or "none" for entry in entries}))[:200])],
            ["from", entries[0].at[:19].replace("T", " ")],
            ["to", entries[-1].at[:19].replace("T", " ")],
        ],
        "parts": [one for one in parts if one is not None],
        "trail": [["all systems", to.home]] if to is not None else None,
        "footer": _FOOTER if to is None else CLOCKS,
    }


def _headline(whole: Trend | None, revisions: Sequence[str], failed: Sequence[HistoryEntry]) -> list[list[str]]:
    said = []
    if whole is not None:
        level, changes = whole.newest_level, len(whole.changes)
        oldest, newest = (show(short(whole.points[at].revision)) for at in (0, -1))
        of = f"median of the {level.boots} newest" if level.boots > 1 else "newest"
        said.append([figures.grouped_ms(level.median_ns, level.range_ns), "ms", f"whole boot, {of} ({newest})", ""])
        if changes:
            verdict = "slower" if whole.grew_ns > 0 else "faster"
            grew = figures.signed_ms(whole.grew_ns, whole.unsure_ns, grouped=True)
            said.append([grew, "ms", f"level since {oldest}", verdict])
        said.append([figures.count(changes), "", f"{'change' if changes == 1 else 'changes'} of its level", ""])
    said.append([figures.count(len(revisions)), "", "revision" if len(revisions) == 1 else "revisions", ""])
    if failed:
        said.append([figures.count(len(failed)), "", "failed", "broken"])
    return said


def _chart(trend: Trend) -> TrendData:
    name = "Whole boot" if trend.name == TOTAL else trend.name
    changes = f"{figures.counted(len(trend.changes), 'change')} of level" if trend.changes else "no change of level"
    return {
        "label": show(f"{name}: {figures.counted(len(trend.points), 'boot')}, {changes}"),
        "points": [
            [show(short(point.revision)), show(point.variant), point.ns, point.seconds] for point in trend.points
        ],
        "changes": [[one.point.before, one.point.from_ns, one.point.to_ns] for one in trend.changes],
        "places": figures.places(trend.unsure_ns),
    }


def _whole(trend: Trend) -> PartData:
    how = "Exact boots: they repeat to the nanosecond." if trend.exact else "Noisy boots: levels by Pettitt's test."
    made = part("Whole boot", f"Power-on to the goal, a point a boot, the oldest on the left. {how}")
    made["trends"] = [_chart(trend)]
    return made


def _changes(system: str, trends: Sequence[Trend], to: Addresses | None) -> PartData:
    rows = [_change(system, trend, change, to) for trend in trends for change in trend.changes]
    columns = ["quantity", ">before", ">since", ">change", ">%", "revisions", "what else changed"]
    lead = "Where a level changed by more than the smallest difference that matters, and what else differs there."
    if not rows:
        said = unchanged(trends)
        return part("Changes", f"{said[:1].upper()}{said[1:]}.")
    charts = [_chart(trend) for trend in trends if trend.changes and trend.name != TOTAL][:_CHARTS]
    made = part("Changes", lead, table("Changes of level", columns, rows))
    made["trends"] = charts
    return made


def _change(system: str, trend: Trend, change: LevelChange, to: Addresses | None) -> list[Cell]:
    grew, before = change.point.grew_ns, change.point.from_ns
    revisions = f"{short(change.from_revision)} → {short(change.to_revision)}"
    if change.inside:
        revisions = f"within {short(change.from_revision)}"
    sure = "" if trend.exact else f" (p = {change.point.p_value:.4f})"
    name: Cell = "whole boot" if trend.name == TOTAL else show(trend.name)
    if to is not None and change.boot is not None:
        name = [name, name, to.step(system, trend.name, change.boot)]
    return [
        name,
        [figures.grouped_ms(before, trend.unsure_ns), before],
        [figures.grouped_ms(change.point.to_ns, trend.unsure_ns), change.point.to_ns],
        [figures.signed_ms(grew, trend.unsure_ns), grew],
        [figures.percent(grew, before), grew / before if before else None],
        [show(revisions + sure), change.to_revision, to.commit(change.to_revision) if to is not None else None],
        show("; ".join([*filter(None, [commit_words(change)]), *change.facts])) or "nothing that is known",
    ]


def _stages(trends: Sequence[Trend]) -> PartData:
    rows: list[list[Cell]] = [
        [
            "whole boot" if trend.name == TOTAL else show(trend.name),
            *(
                [figures.grouped_ms(level.median_ns, level.range_ns), level.median_ns]
                for level in (trend.first_level, trend.newest_level)
            ),
            [figures.signed_ms(trend.grew_ns, trend.unsure_ns), trend.grew_ns] if trend.changes else "none",
            number(len(trend.changes)),
        ]
        for trend in trends
    ]
    columns = ["quantity", ">first level", ">newest level", ">change of level", ">changes"]
    said = (
        "Medians of the boots that reached their goal: of those before the first change of level, and since the last."
    )
    return part("Stages", said, table("Stages", columns, rows))


def _chooser(system: str, revisions: Sequence[str]) -> PartData:
    newest = [[f"rev:{name}", show(short(name))] for name in reversed(revisions)]
    made = part("Compare two revisions", "All boots of both, stage by stage.")
    made["choose"] = {
        "label": "revisions to compare",
        "action": "compare",
        "fixed": {"system": system},
        "names": [["a", "base"], ["b", "new"]],
        "options": newest[:1000],
        "chosen": [newest[1][0], newest[0][0]],
        "button": "compare",
    }
    return made


def _boots(entries: Sequence[HistoryEntry], to: Addresses | None) -> PartData:
    columns = ["boot", ">whole boot", "revision", "variant", "ended as", "clock", "host", "recording"]
    noisy = [one.times.total_ns for one in entries if one.times.clock == "wall" and one.times.total_ns is not None]
    unsure = unsure_ns("wall", noisy)
    rows = []
    for entry in reversed(entries):
        at = entry.at[:19].replace("T", " ")
        total = entry.times.total_ns
        rows.append(
            [
                [at, entry.at, to.boot(entry.id)] if to is not None and entry.id is not None else [at, entry.at],
                ms(total, range_ns=unsure if entry.times.clock == "wall" else None),
                show(short(entry.revision)),
                show(entry.variant),
                entry.times.outcome.value,
                entry.times.clock,
                show(entry.host),
                "kept" if entry.object else "",
            ]
        )
    return part("Boots", "The newest first.", table("Boots", columns, rows))
