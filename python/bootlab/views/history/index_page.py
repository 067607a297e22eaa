# SPDX-License-Identifier: MIT
"""The first page of a server: the systems of the history, the newest runs of the store."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.history.board_health import BoardHealth
from bootlab.history.entry import HistoryEntry
from bootlab.history.now import SystemNow
from bootlab.history.trend import LevelChange, Trend
from bootlab.model import figures
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.board_page import boards_part
from bootlab.views.history.text import commit_words, dated_bars, short
from bootlab.views.page_model import Cell, PageData
from bootlab.views.page_parts import ms, number, page, part, show, table

_COLUMNS = (
    *("system", "newest boot", ">whole boot, ms", "budget", ">trend", "last change, ms"),
    *("last failure", ">boots"),
)
_BARS = 10
_LOOKS = {"kept": "faster", "broken": "slower", "unknown": "unknown"}


def render(
    systems: Sequence[tuple[str, int]],
    told: Sequence[SystemNow],
    boards: Sequence[BoardHealth],
    runs: Sequence[str],
    all_runs: int,
    to: Addresses,
) -> str:
    """Make the first page of a server: how each system is now, and the newest runs of the store.

    `told`: what is known of the first systems; of the others there is the number of boots. `boards`: those that the
    newest boots of these systems name.
    """
    parts = []
    if systems:
        rows = [_now(system, to) for system in told]
        rows += [
            [[show(name), show(name), to.system(name)], "", "", "", "", "", "", number(count)]
            for name, count in systems[len(told) :]
        ]
        lead = (
            "How each system is now, by its newest boots: the level is the median since the last change of it; the "
            "trend is spaced by date, with the newest boots on the right."
        )
        parts.append(part("Systems", lead, table("Systems", list(_COLUMNS), rows)))
    if boards:
        parts.append(boards_part(boards, to))
    if runs:
        kept = [[[show(name), name, to.run(name)], show(_kind(name))] for name in runs]
        lead = "Runs of the store, the newest first, each with its report."
        if all_runs > len(runs):
            lead += f" {figures.count(all_runs - len(runs))} older ones are in the store."
        parts.append(part("Runs", lead, table("Runs", ["run", "kind"], kept)))
    data: PageData = {
        "name": "Boot times",
        "kind": "History and reports",
        "headline": [
            [figures.count(len(systems)), "", "system" if len(systems) == 1 else "systems", ""],
            [figures.count(sum(count for _, count in systems)), "", "boots in the history", ""],
            [figures.count(all_runs), "", "run in the store" if all_runs == 1 else "runs in the store", ""],
        ],
        "facts": [],
        "parts": parts,
        "empty": "Nothing is kept yet: bootlab boot SYSTEM.toml makes a run, bootlab history add last --system NAME "
        "puts it into the history.",
        "footer": "Each page reads the history and the store again.",
    }
    return page("bootlab", data)


def _now(system: SystemNow, to: Addresses) -> list[Cell]:
    name: Cell = [show(system.name), show(system.name), to.system(system.name)]
    newest, failed, whole = system.newest, system.failed, system.whole
    row: list[Cell] = [name, _boot(newest, to)]
    if whole is None:
        row += ["", _budgets(system), "", ""]
    else:
        level = whole.newest_level
        row += [ms(level.median_ns, range_ns=level.range_ns), _budgets(system)]
        row.append(dated_bars(whole.points, _BARS))
        change = whole.changes[-1] if whole.changes else None
        row.append("" if change is None else _changed(system.name, change, whole, to))
    said = "" if failed is None else f"{failed.times.outcome.value}{', the newest' if system.broken else ''}"
    row.append(said if failed is None else [f"{said}, {failed.at[:10]}", failed.at, _address(failed, to)])
    return [*row, number(system.boots)]


def _budgets(system: SystemNow) -> Cell:
    """Say whether its budgets are kept, and of one that is not by how much; "" where it has none."""
    if not (kept := system.kept):
        return ""
    if system.broken and kept == "unknown":
        return ["unknown: the newest boot failed", kept, None, _LOOKS[kept]]
    wrong = next((one for one in system.budgets if one.kept == kept), system.budgets[0])
    limit_ns = wrong.budget.limit_ns or 0
    over = f" over {limit_ns / 1e6:g} ms" if kept == "broken" else ""
    said = kept if kept == "kept" else f"{kept}: {wrong.budget.name}{over}"
    return [show(said), kept, None, _LOOKS[kept]]


def _changed(name: str, change: LevelChange, whole: Trend, to: Addresses) -> Cell:
    """Say the last change of level, and the commit behind it where somebody gave that."""
    grew = change.point.grew_ns
    word = "slower" if grew > 0 else "faster"
    where = f"within {short(change.to_revision)}" if change.inside else f"at {short(change.to_revision)}"
    who = commit_words(change)
    said = f"{word} {figures.signed_ms(grew, whole.unsure_ns)} {where}{f': {who}' if who else ''}"
    address = to.commit(change.to_revision) if change.boot is None else to.step(name, whole.name, change.boot)
    return [show(said), grew, address]


def _boot(entry: HistoryEntry | None, to: Addresses) -> Cell:
    return "" if entry is None else [entry.at[:16].replace("T", " "), entry.at, _address(entry, to)]


def _address(entry: HistoryEntry, to: Addresses) -> str:
    return to.boot(entry.id) if entry.id is not None else to.system(entry.system)


def _kind(run: str) -> str:
    return run.split("-")[2] if run.count("-") > 2 else ""
