# SPDX-License-Identifier: MIT
"""The first page of a server: the systems of the history, the newest runs of the store."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.history.entry import HistoryEntry
from bootlab.history.now import SystemNow
from bootlab.model import figures
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.text import bars, short
from bootlab.views.page_model import Cell, PageData
from bootlab.views.page_parts import ms, number, page, part, show, table

_COLUMNS = ("system", "newest boot", ">whole boot, ms", "trend", ">last change, ms", "at", "last failure", ">boots")


def render(
    systems: Sequence[tuple[str, int]],
    told: Sequence[SystemNow],
    runs: Sequence[str],
    all_runs: int,
    to: Addresses,
) -> str:
    """Make the first page of a server: how each system is now, and the newest runs of the store.

    `told`: what is known of the first systems; of the others there is the number of boots.
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
            "newest boot stands on the right of the trend."
        )
        parts.append(part("Systems", lead, table("Systems", list(_COLUMNS), rows)))
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
        row += ["", "", "", ""]
    else:
        level = whole.newest_level
        row += [ms(level.median_ns, range_ns=level.range_ns), bars([point.ns for point in whole.points])]
        change = whole.changes[-1] if whole.changes else None
        if change is None:
            row += ["", ""]
        else:
            grew = change.point.grew_ns
            word = "slower" if grew > 0 else "faster"
            row.append([f"{word} {figures.signed_ms(grew, whole.unsure_ns)}", grew])
            row.append(show(short(change.to_revision)))
    said = "" if failed is None else f"{failed.times.outcome.value}{', the newest' if system.broken else ''}"
    row.append(said if failed is None else [f"{said}, {failed.at[:10]}", failed.at, _address(failed, to)])
    return [*row, number(system.boots)]


def _boot(entry: HistoryEntry | None, to: Addresses) -> Cell:
    return "" if entry is None else [entry.at[:16].replace("T", " "), entry.at, _address(entry, to)]


def _address(entry: HistoryEntry, to: Addresses) -> str:
    return to.boot(entry.id) if entry.id is not None else to.system(entry.system)


def _kind(run: str) -> str:
    return run.split("-")[2] if run.count("-") > 2 else ""
