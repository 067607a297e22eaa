# SPDX-License-Identifier: MIT
"""What a boot and a run hold as plain rows (for data frames), and as a small HTML table (for notebooks)."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bootlab.model import figures

if TYPE_CHECKING:
    from bootlab.model.timeline import Stage
    from bootlab.model.verdict import Trial

PlainRow = dict[str, str | int | float | bool | None]
"""One row; every row of a list has the same columns, so that pandas and polars take the list as it is."""


def of_stages(stages: Iterable[Stage], clock: str) -> list[PlainRow]:
    """Return a row for each stage; times in nanoseconds on `clock`."""
    return [
        {"stage": stage.name, "start_ns": stage.start_ns, "duration_ns": stage.duration_ns, "clock": clock}
        for stage in stages
    ]


def of_trials(trials: Iterable[Trial]) -> list[PlainRow]:
    """Return a row for each trial. `saved_ns` is None where base or variant did not reach the goal."""
    return [
        {
            "change": trial.change.id,
            "technique": trial.change.technique,
            "verdict": trial.verdict.value,
            "base_ns": trial.base_ns,
            "goal_ns": trial.goal_ns,
            "saved_ns": trial.saved_ns,
            "effect_shown": None if trial.effect is None else trial.effect.shown,
            "reason": trial.reason,
        }
        for trial in trials
    ]


def as_html(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table of rows; columns that end in `_ns` are shown in milliseconds. Every text is escaped."""
    if not rows:
        return f"<p>{html.escape(title)}</p>"
    heads = "".join(f"<th>{html.escape(key.replace('_ns', ', ms').replace('_', ' '))}</th>" for key in rows[0])
    lines = "".join(f"<tr>{''.join(_cell(key, value) for key, value in row.items())}</tr>" for row in rows)
    caption = f"<caption>{html.escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _cell(key: str, value: object) -> str:
    if key.endswith("_ns") and isinstance(value, int):
        return f'<td style="text-align:right">{figures.ms(value)}</td>'
    return f"<td>{'' if value is None else html.escape(str(value))}</td>"
