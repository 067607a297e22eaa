# SPDX-License-Identifier: MIT
"""A board's model on the terminal, and the table that it is fitted to."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType

from bootlab.analysis.board_model import TERMS, BoardForecast, BoardModel, ModelledBoot
from bootlab.errors import UserError
from bootlab.model import figures
from bootlab.views.text_table import cell, text_table

_COLUMNS = ("name", "instructions", "bytes", "characters", "measured_ms")
_ROWS_MAX = 10_000


def read_boots(path: Path) -> list[ModelledBoot]:
    """Read a table of boots. Raise UserError, which names the line."""
    try:
        with path.open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))[: _ROWS_MAX + 1]
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise UserError(f"{path} cannot be read: {fault}", hint=f"its columns: {', '.join(_COLUMNS)}") from fault
    if len(rows) > _ROWS_MAX or not rows or not {"name", "instructions"} <= set(rows[0]):
        raise UserError(f"{path} is not a table of boots", hint=f"its columns: {', '.join(_COLUMNS)}")
    return [_boot(path, number, row) for number, row in enumerate(rows, start=2)]


def _boot(path: Path, number: int, row: dict[str, str | None]) -> ModelledBoot:
    def value(name: str) -> float:
        found = float(row.get(name) or 0)
        if not math.isfinite(found) or found < 0:
            raise ValueError(name)
        return found

    try:
        measured = value("measured_ms") * 1e6 if (row.get("measured_ms") or "").strip() else None
        return ModelledBoot(
            name=str(row.get("name") or number)[:80],
            instructions=round(value("instructions")),
            bytes=round(value("bytes")),
            characters=round(value("characters")),
            measured_ns=measured,
        )
    except ValueError as fault:
        raise UserError(
            f"{path}: line {number}: not a number that is 0 or more: {fault}", hint="plain numbers"
        ) from fault


def shown(model: BoardModel, forecasts: Sequence[BoardForecast]) -> RenderableType:
    """Show coefficients, every fitted boot against what was measured, the forecasts, and how wrong they may be."""
    terms = text_table("The board", "term", ">time", "that is")
    means = (
        "",
        f"{model.bytes_per_s / 1e6:.1f} MB/s" if model.bytes_per_s else "",
        f"{model.baud:,.0f} baud" if model.baud else "",
        "",
    )
    units = ("ns each", "ns each", "us each", "ms")
    scales = (1, 1, 1e3, 1e6)
    for name, ns, unit, scale, meaning in zip(TERMS, model.ns, units, scales, means, strict=True):
        told = f"{ns / scale:.3f} {unit}" if name in model.used else "not separable from these boots"
        terms.add_row(cell(name), told, meaning)
    rows = text_table("Boots", "boot", ">measured ms", ">model ms", ">error", ">by the others ms", ">error")
    others = {found.name: found for found in model.left_out}
    for found in model.fitted:
        other = others.get(found.name)
        rows.add_row(
            cell(found.name),
            figures.ms(None if found.measured_ns is None else round(found.measured_ns)),
            figures.ms(round(found.forecast_ns)),
            _share(found.error),
            figures.ms(None if other is None else round(other.forecast_ns)),
            _share(None if other is None else other.error),
        )
    for found in forecasts:
        rows.add_row(cell(found.name), "", figures.ms(round(found.forecast_ns)), "", "", "")
    worst = model.worst_error
    said = (
        "too few boots to leave one out: nothing is known of the error"
        if worst is None
        else f"each boot forecast by the others: wrong by at most {100 * worst:.1f} %"
    )
    parts: list[RenderableType] = [terms, rows]
    beyond = [found.name for found in forecasts if found.beyond]
    if beyond:
        parts.append(cell(f"beyond what was fitted, so less sure than that: {', '.join(beyond)}", "yellow", 400))
    return Group(*parts, cell(said, "bold"))


def _share(error: float | None) -> str:
    return "" if error is None else f"{100 * error:+.1f} %"
