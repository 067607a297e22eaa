# SPDX-License-Identifier: MIT
"""A kernel's size for people and for spreadsheets: terminal and CSV."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.analysis.kernel_size import KernelBeside, KernelSize, SizeRow
from bootlab.model import figures
from bootlab.views.csv_text import csv_text
from bootlab.views.shown_text import one_line

_COLUMNS = ("objects", "text", "rodata", "data", "bss", "in the image", "compressed")
_CSV_HEAD = ("table", "name", "objects", "text", "rodata", "data", "bss", "loaded_bytes", "compressed_bytes")


def terminal(size: KernelSize, *, rows: int) -> RenderableType:
    """Return the tables by subsystem, by option and against other kernels; each with so many rows and the rest."""
    packed = (
        f"{figures.count(size.image_bytes)} bytes, {size.algorithm}" if size.algorithm != "none" else "not compressed"
    )
    head = f"Linux {size.source} {size.arch}: {figures.count(size.whole.loaded_bytes)} bytes; {size.image}: {packed}"
    parts: list[RenderableType] = [
        Text(head, "bold"),
        _table("subsystem", size.subsystems, size.whole, rows),
        Text(""),
        _table("option", size.options, size.whole, rows),
    ]
    if size.others:
        parts += [Text(""), _others(size.others, rows)]
    parts.append(Text(_note(size), "dim"))
    return Group(*parts)


def comma_separated(size: KernelSize) -> str:
    """Return one line a subsystem, option or other kernel, with plain numbers."""
    tables = (("whole", (size.whole,)), ("subsystem", size.subsystems), ("option", size.options))
    rows = [[table, *(getattr(row, name) for name in _CSV_HEAD[1:])] for table, rows in tables for row in rows]
    for other in size.others:
        saved = None if other.loaded_saved_bytes is None else size.whole.loaded_bytes - other.loaded_saved_bytes
        rows.append(["other kernel", _label(other), *[None] * 5, saved, other.image_bytes])
    return csv_text(_CSV_HEAD, rows)


def _table(title: str, rows: tuple[SizeRow, ...], whole: SizeRow, limit: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(title)
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    *parts, rest = rows
    for row in parts[:limit]:
        table.add_row(*_cells(row, whole))
    hidden = parts[limit:]
    if hidden:
        packed = [row.compressed_bytes for row in hidden]
        known = [number for number in packed if number is not None]
        sums = {name: sum(getattr(row, name) for row in hidden) for name in ("objects", *_SUMMED)}
        total = sum(known) if len(known) == len(packed) else None
        table.add_row(*_cells(SizeRow(name=f"{len(hidden)} more", compressed_bytes=total, **sums), whole))
    table.add_row(*_cells(rest, whole))
    table.add_row(*_cells(whole, whole), style="bold")
    return table


_SUMMED = ("text", "rodata", "data", "bss", "loaded_bytes")


def _cells(row: SizeRow, whole: SizeRow) -> list[str]:
    numbers = [figures.count(getattr(row, name)).replace("-", "\u2212") for name in ("text", "rodata", "data", "bss")]
    loaded = f"{figures.count(row.loaded_bytes)} ({figures.percent(row.loaded_bytes, whole.loaded_bytes)})"
    return [
        one_line(row.name, 60),
        str(row.objects) if row.objects else "",
        *numbers,
        loaded.replace("-", "\u2212"),
        figures.count(row.compressed_bytes) if row.compressed_bytes is not None else "",
    ]


def _others(others: tuple[KernelBeside, ...], limit: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("built with", overflow="fold")
    for name in ("image", "saved", "of it not compressed"):
        table.add_column(name, justify="right")
    for other in others[:limit]:
        table.add_row(
            _label(other),
            figures.count(other.image_bytes),
            figures.count(other.image_saved_bytes).replace("-", "\u2212"),
            figures.count(other.loaded_saved_bytes).replace("-", "\u2212"),
        )
    return table


def _label(other: KernelBeside) -> str:
    words = other.asked or other.changed
    more = f" and {len(words) - 3} more" if len(words) > 3 else ""
    follows = len(other.changed) - len(other.asked)
    tail = f" ({follows} options follow)" if other.asked and follows > 0 else ""
    return one_line(", ".join(words[:3]) + more + tail, 120)


def _note(size: KernelSize) -> str:
    packed = (
        f"compressed: each folder's bytes alone by {size.algorithm}, an estimate; " if size.algorithm != "none" else ""
    )
    return (
        f"{packed}bss takes memory and no space in the image; linker and tables: kallsyms and other tables, less the "
        "strings that are joined and the sections that are dropped; what is read-only until init ends counts as data "
        "there. An object counts for the option nearest to it."
    )
