# SPDX-License-Identifier: MIT
"""Boots and trials at several places, side by side: a column a place."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType

from bootlab.history.boot_times import TOTAL, Side
from bootlab.model import figures
from bootlab.model.recording import Recording
from bootlab.model.verdict import Trial
from bootlab.views.run.ends import ends_text
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import cell, text_table

APART = "each place is a board of its own: compare its boots with its own"


def boots_view(sides: Mapping[str, Side]) -> RenderableType:
    """Show the median of each stage at each place, the whole boot last. `sides`: the boots that were made there."""
    table = text_table("Places", "stage", *(f">{one_line(place, 40)} ms" for place in sides))
    names = [*dict.fromkeys(name for side in sides.values() for name in side.names())]
    for name in sorted(names, key=lambda name: name == TOTAL):
        table.add_row(
            cell("whole boot" if name == TOTAL else name), *(cell(_median(side, name)) for side in sides.values())
        )
    counts = (f"{sum(boot.ok for boot in side.boots)} of {len(side.boots)}" for side in sides.values())
    table.add_row(cell("reached the goal"), *(cell(count) for count in counts))
    return table


def _median(side: Side, name: str) -> str:
    values = side.values_ns(name)
    if not values:
        return "none"
    return figures.ms(round(statistics.median(values)), max(values) - min(values) if len(values) > 1 else None)


def trials_view(trials: Mapping[str, Sequence[Trial]]) -> RenderableType:
    """Show the verdict on each technique at each place."""
    table = text_table("Places", "technique", *(one_line(place, 40) for place in trials))
    found = {place: {one.change.id: one for one in tried} for place, tried in trials.items()}
    for name in dict.fromkeys(name for tried in found.values() for name in tried):
        table.add_row(cell(name), *(cell(_verdict(tried.get(name))) for tried in found.values()))
    return table


def _verdict(trial: Trial | None) -> str:
    return "not tried" if trial is None else trial.verdict.value


def ends(place: str, recordings: Sequence[Recording]) -> Iterator[str]:
    """Give a line a boot, with its place."""
    for line in ends_text(recordings):
        yield f"{one_line(place, 40)}: {line}"
