# SPDX-License-Identifier: MIT
"""The history as Parquet, for DuckDB, pandas or polars: one row a value of a boot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bootlab.errors import UserError, cannot_write
from bootlab.history.entry import HistoryEntry

COLUMNS = ("boot", "system", "revision", "variant", "session", "host", "at", "outcome", "clock", "exact", "name", "ns")


def export(entries: Sequence[HistoryEntry], path: Path) -> int:
    """Write a file; return how many rows. Values that were not measured are null. Raise UserError without pyarrow."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as fault:
        raise UserError(
            f"--parquet needs pyarrow: {fault}", hint="pip install 'bootlab[parquet]', or use --csv"
        ) from fault
    rows = list_rows(entries)
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}, schema=_schema(pa))
    try:
        pq.write_table(table, path, compression="zstd")
    except OSError as fault:
        raise cannot_write(f"{path} cannot be written", fault, path.parent) from fault
    return len(rows)


def list_rows(entries: Sequence[HistoryEntry]) -> list[tuple[object, ...]]:
    """Return one row a value, in the order of COLUMNS."""
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        times = entry.times
        head = (entry.id, entry.system, entry.revision, entry.variant, entry.session, entry.host, entry.at)
        about = (times.outcome.value, times.clock, times.exact)
        rows += [(*head, *about, name, ns) for name, ns in times.values.items()]
        rows += [(*head, *about, name, None) for name in times.not_measured if name not in times.values]
    return rows


def _schema(pa: object) -> object:
    texts = {"system", "revision", "variant", "session", "host", "at", "outcome", "clock", "name"}
    module: object = pa
    kinds = {"boot": "int64", "ns": "int64", "exact": "bool_"}
    return module.schema(  # type: ignore[attr-defined]
        [(name, getattr(module, "string" if name in texts else kinds[name])()) for name in COLUMNS]
    )
