# SPDX-License-Identifier: MIT
"""What a processor would take for a boot, as a table."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from bootlab.model.costing import CostedStage, Costing
from bootlab.model.costs import Between

_SHOWN = (("L1D", "l1d misses"), ("L1I", "l1i misses"), ("L2", "l2 misses"), ("branches", "mispredictions"))


def costing_table(costing: Costing) -> Table:
    """List each stage: its exact time, the forecast, and the forecast by the core's figures alone."""
    table = Table(
        title=f"Forecast for {costing.title}; misses and mispredicted branches of 1,000 instructions",
        title_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
    )
    table.add_column("stage", overflow="fold")
    stages = (*costing.stages, costing.whole)
    console = any(stage.printed_ns.high for stage in stages)
    for name in (
        "exact ms",
        "forecast ms",
        *(("console",) if console else ()),
        "by figures alone",
        "10^6 insns",
        "ns each",
        *(name for name, _ in _SHOWN),
    ):
        table.add_column(name, justify="right")
    for stage in stages:
        table.add_row(*_cells(stage, console=console))
    return table


def long_initcalls_table(costing: Costing) -> Table:
    """List the initcalls whose forecast is the longest, by their whole names."""
    table = Table(title="Of it, the longest initcalls", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("initcall", overflow="fold")
    for name in ("exact ms", "forecast ms", "10^6 insns"):
        table.add_column(name, justify="right")
    for one in costing.longest:
        name = one.name.removeprefix("initcall ")
        table.add_row(name, f"{one.exact_ns / 1e6:,.1f}", _ms(one.forecast_ns), f"{one.instructions / 1e6:,.1f}")
    return table


def costing_line(costing: Costing) -> str:
    """Say the whole forecast in a sentence, and what its interval is worth in another."""
    whole = costing.whole
    return (
        f"{costing.title} at {costing.ghz.text()} GHz: {_ms(whole.forecast_ns)} ms to the goal, "
        f"{whole.exact_ns / 1e6:,.1f} ms on the exact clock ({costing.not_in_it})\n"
        f"How wide: {costing.seen.text(costing.core)}."
    )


def costing_document(costing: Costing | None) -> dict[str, Any] | None:
    """Return it for JSON, the sums that follow from it included; None stays None."""
    if costing is None:
        return None
    document: dict[str, Any] = msgspec.to_builtins(costing)
    rows = (*document["stages"], document["whole"], *document["initcalls"])
    for row, stage in zip(rows, (*costing.stages, costing.whole, *costing.initcalls), strict=True):
        row["forecast_ns"] = msgspec.to_builtins(stage.forecast_ns)
    return document


def _cells(stage: CostedStage, *, console: bool) -> tuple[Text, ...]:
    per_thousand = 1000 / stage.instructions if stage.instructions else 0.0
    return tuple(
        Text(cell)
        for cell in (
            stage.name,
            f"{stage.exact_ns / 1e6:,.1f}",
            _ms(stage.forecast_ns),
            *((_ms(stage.printed_ns) if stage.printed_ns.high else "",) if console else ()),
            _ms(stage.bare_ns),
            f"{stage.instructions / 1e6:,.1f}",
            f"{stage.instruction_ns.low:.2f} to {stage.instruction_ns.high:.2f}",
            *(f"{stage.events.get(name, 0) * per_thousand:.2f}" for _, name in _SHOWN),
        )
    )


def _ms(ns: Between) -> str:
    low, high = f"{ns.low / 1e6:,.1f}", f"{ns.high / 1e6:,.1f}"
    return low if low == high else f"{low} to {high}"
