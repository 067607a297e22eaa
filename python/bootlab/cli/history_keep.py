# SPDX-License-Identifier: MIT
"""`bootlab history export` and `prune`: the history for other programs, and what is kept for how long."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.ages import DryRunOption, seconds_of
from bootlab.cli.files import write_file
from bootlab.cli.gate_options import HistoryOption
from bootlab.cli.history_add import ObjectsOption
from bootlab.cli.options import Option
from bootlab.cli.session import Kept, print_json, say
from bootlab.errors import UserError


def export(
    *,
    parquet: Annotated[Path | None, Option(help="Write a Parquet file.")] = None,
    csv: Annotated[Path | None, Option(help="Write CSV; `-` is standard output.")] = None,
    openmetrics: Annotated[
        Path | None,
        Option(help="Write the newest boot of each variant for Prometheus; `-` is standard output."),
    ] = None,
    influx: Annotated[
        Path | None, Option(help="Write all boots in InfluxDB's line protocol; `-` is standard output.")
    ] = None,
    system: Annotated[str | None, Option(help="Export only this system.")] = None,
    history: HistoryOption = None,
    asked: Kept,
) -> None:
    """Write the history for other programs.

    For DuckDB, pandas or a spreadsheet: one row per value of a boot, in nanoseconds. For monitoring: boots with their
    stages.

    Example: bootlab history export --parquet boots.parquet
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.api import kept_history as table  # noqa: PLC0415
    from bootlab.views.csv_text import csv_text  # noqa: PLC0415
    from bootlab.views.history import metrics  # noqa: PLC0415

    if all(file is None for file in (parquet, csv, openmetrics, influx)) and not asked.as_json:
        raise UserError("no file to export to", hint="bootlab history export --parquet boots.parquet")
    with api.open_history(history, store=asked.store) as database:
        entries = database.entries(system=system)
        if system is not None and not entries:
            listed = ", ".join(name for name, _ in database.systems()) or "none"
            raise UserError(f"the history has no boot of {system!r}", hint=f"it has: {listed}")
    if asked.as_json:
        rows_of = [dict(zip(table.COLUMNS, row, strict=True)) for row in table.list_rows(entries)]
        print_json({"format": "bootlab-history", "version": 1, "rows": rows_of})
    if parquet is not None:
        rows = table.export(entries, parquet)
        say(f"wrote {parquet}: {rows} rows")
    if csv is not None:
        write_file(csv, csv_text(table.COLUMNS, table.list_rows(entries)))
    if openmetrics is not None:
        write_file(openmetrics, metrics.openmetrics(entries))
    if influx is not None:
        write_file(influx, metrics.line_protocol(entries))


def prune(
    *,
    boots_older: Annotated[
        str | None,
        Option(metavar="AGE", help="Remove boots older than this: 90d, 6 weeks, 1 year; a number alone is days."),
    ] = None,
    recordings_older: Annotated[
        str | None, Option(metavar="AGE", help="Remove recordings older than this; their times stay.")
    ] = None,
    keep: Annotated[int, Option(least=0, help="Keep the recordings of this many newest boots of each revision.")] = 1,
    dry_run: DryRunOption = False,
    history: HistoryOption = None,
    objects: ObjectsOption = None,
    asked: Kept,
) -> None:
    """Remove old boots and recordings. Recordings that belong to no boot are removed after a day.

    Example: bootlab history prune --recordings-older 90d --keep 2
    """
    from bootlab.api import history as api  # noqa: PLC0415
    from bootlab.api.kept_history import prune as prune_history  # noqa: PLC0415
    from bootlab.model import figures  # noqa: PLC0415

    ages = [None if text is None else seconds_of(text) for text in (boots_older, recordings_older)]
    with api.open_history(history, store=asked.store, objects=objects) as database:
        gone = prune_history(database, boots_s=ages[0], recordings_s=ages[1], keep=keep, dry=dry_run)
    if asked.as_json:
        print_json({"format": "bootlab-history", "version": 1, "dry_run": dry_run, "pruned": gone})
        return
    said = f"{figures.counted(gone.boots, 'boot')} and {figures.counted(gone.recordings, 'recording')}"
    size = figures.size(gone.freed_bytes)
    say(f"{said} would be removed, {size}" if dry_run else f"{said} removed, {size} freed")
