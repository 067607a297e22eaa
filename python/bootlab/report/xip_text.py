"""Kernel execute-in-place for people: the classic table, the proof, the price at run time."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.collectors.benchmark import NAMES
from bootlab.experiment.xip import XipRow, XipTable
from bootlab.report import figures
from bootlab.report.shown_text import one_line
from bootlab.report.xip_model import FlashModel

_WORDS = {
    "in-place": "executed in place",
    "copied": "copied to RAM",
    "unpacked": "copied to RAM, unpacked there",
    "unpacked-in-place": "unpacked out of flash",
}
_BOOT_HEAD = (
    "start", "image", "in flash", "loader", "copy to RAM", "decompress", "kernel initialisation", "total",
    "model: flash adds", "model: total",
)  # fmt: skip
_PROOF_HEAD = (
    "start",
    "start_kernel() virtual",
    "physical (emulator)",
    "in flash",
    "/proc/iomem: Kernel code",
    "free RAM (KiB)",
)
_PRICE_HEAD = ("start", *(f"{name} (µs)" for name in NAMES), *(f"model: {name} (µs)" for name in NAMES))


def terminal(table: XipTable, model: FlashModel) -> RenderableType:
    """Return all three tables."""
    parts: list[RenderableType] = [
        Text(f"{one_line(table.system, 80)}: from power-on to user space (virtual ms)", "bold")
    ]
    parts.append(_grid(_BOOT_HEAD, [_boot_cells(row, model) for row in table.rows]))
    parts += [Text("\nwhere the kernel's code lies", "bold"), _grid(_PROOF_HEAD, [_proof_cells(r) for r in table.rows])]
    if any(row.bench_ns for row in table.rows):
        parts.append(Text("\nthe price at run time (one of each)", "bold"))
        parts.append(_grid(_PRICE_HEAD, [_price_cells(row, model, table.shift) for row in table.rows]))
    parts += [
        Text(f"{start} could not be built: {one_line(why, 300)}", "yellow") for start, why in table.refused.items()
    ]
    parts.append(Text(_note(model), "dim"))
    return Group(*parts)


def markdown(table: XipTable, model: FlashModel) -> str:
    """Return the three tables as Markdown, for a page."""
    parts = [_markdown(_BOOT_HEAD, [_boot_cells(row, model) for row in table.rows])]
    parts.append(_markdown(_PROOF_HEAD, [_proof_cells(row) for row in table.rows]))
    if any(row.bench_ns for row in table.rows):
        parts.append(_markdown(_PRICE_HEAD, [_price_cells(row, model, table.shift) for row in table.rows]))
    parts += [f"`{start}` could not be built: {one_line(why, 300)}" for start, why in table.refused.items()]
    return "\n\n".join([*parts, _note(model)]) + "\n"


def _boot_cells(row: XipRow, model: FlashModel) -> tuple[str, ...]:
    added = model.added_ns(row)
    times = (row.loader_ns, row.copy_ns, row.unpack_ns, row.init_ns, row.total_ns, added, row.total_ns + added)
    return (_WORDS[row.start], row.image, figures.size(row.image_bytes), *(figures.ms(ns) for ns in times))


def _proof_cells(row: XipRow) -> tuple[str, ...]:
    return (
        _WORDS[row.start],
        f"0x{row.text_virtual:08x}",
        figures.ABSENT if row.text_physical is None else f"0x{row.text_physical:08x}",
        "yes" if row.text_in_flash else "no",
        figures.ABSENT if row.iomem_code is None else one_line(row.iomem_code, 80) or "none in RAM",
        figures.count(row.ram_free_kib),
    )


def _price_cells(row: XipRow, model: FlashModel, shift: int) -> tuple[str, ...]:
    measured = [row.bench_ns.get(name) for name in NAMES]
    cells = [figures.ABSENT if ns is None else f"{ns / 1000:.2f}" for ns in measured]
    for ns in measured:
        if ns is None:
            cells.append(figures.ABSENT)
        else:
            # Upper bound: every instruction of the operation is taken for one of the kernel's.
            more = model.executed_ns(max(0, ns) >> shift) if row.start == "in-place" else 0
            cells.append(f"{(ns + more) / 1000:.2f}")
    return (_WORDS[row.start], *cells)


def _note(model: FlashModel) -> str:
    return (
        "Measured columns count instructions: emulated flash is read as fast as RAM, so they show the work that is "
        f"saved and not the waiting. The model columns add it: {model.text()}; at run time every instruction of an "
        "operation is taken for one executed in flash, which is an upper bound."
    )


def _grid(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for number, name in enumerate(head):
        table.add_column(name, justify="right" if number > 1 else "left", overflow="fold")
    for cells in rows:
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
