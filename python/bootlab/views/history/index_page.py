"""The first page of a server: the systems of the history, the newest runs of the store."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.model import figures
from bootlab.views.history.addresses import Addresses
from bootlab.views.page_model import PageData
from bootlab.views.page_parts import number, page, part, show, table


def render(systems: Sequence[tuple[str, int]], runs: Sequence[str], all_runs: int, to: Addresses) -> str:
    """Make the first page of a server: systems of the history, and the newest runs of the store."""
    parts = []
    if systems:
        rows = [[[show(name), show(name), to.system(name)], number(count)] for name, count in systems]
        parts.append(part("Systems", "What the history has.", table("Systems", ["system", ">boots"], rows)))
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


def _kind(run: str) -> str:
    return run.split("-")[2] if run.count("-") > 2 else ""
