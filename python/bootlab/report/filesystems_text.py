"""The file-system comparison for people and for spreadsheets: terminal, Markdown, CSV, HTML."""

from __future__ import annotations

import csv
import io

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.model.filesystems import FilesystemRow, Filesystems
from bootlab.report import figures, table_page
from bootlab.report.csv_cell import csv_cell
from bootlab.report.shown_text import one_line
from bootlab.report.summary_markdown import plain

_INSIDE, _OUTSIDE = "inside, ms", "outside, ms"
_COLUMNS = (
    ("root", ""), ("image", ""), ("mounted", _INSIDE), ("init", _INSIDE), ("ready", _INSIDE), ("exec", _OUTSIDE),
    ("use", _OUTSIDE), ("from reset", _OUTSIDE), ("cache kB", ""), ("read", ""), ("load (modelled)", "ms"),
    ("proof", ""),
)  # fmt: skip
_HEAD = tuple(name for name, _ in _COLUMNS)
_UNDER = tuple(under for _, under in _COLUMNS)
_RIGHT = range(1, len(_COLUMNS) - 1)
_PROOF_CHARACTERS = 320


def terminal(found: Filesystems) -> RenderableType:
    """Return the table for a terminal, what was left out, and a line that says what the numbers are."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for number, (name, under) in enumerate(zip(_HEAD[:-1], _UNDER, strict=False)):
        right = number in _RIGHT
        table.add_column(f"{name}\n{under}" if under else name, justify="right" if right else "left", no_wrap=right)
    for row in found.rows:
        style = "" if row.ok and row.proved else "dim"
        table.add_row(*(Text(cell, style) for cell in _cells(row)[:-1]))
    doubtful = [Text(f"{row.title}: {_state(row)}", "yellow") for row in found.rows if not (row.ok and row.proved)]
    proofs = [Text(f"{row.title}: {one_line(row.proof, _PROOF_CHARACTERS)}") for row in found.rows if _in_place(row)]
    left = [Text(f"left out: {row.title}: {one_line(row.reason, _PROOF_CHARACTERS)}", "dim") for row in found.left_out]
    return Group(Text(_headline(found), "bold"), table, *doubtful, *proofs, *left, Text(_footnote(found), "dim"))


def markdown(found: Filesystems) -> str:
    """Return a page in Markdown."""
    head = [f"{name}<br>{under}" if under else name for name, under in zip(_HEAD, _UNDER, strict=True)]
    rows = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * len(_RIGHT) + "---|"]
    rows += ["| " + " | ".join(plain(cell, 400) for cell in _cells(row)) + " |" for row in found.rows]
    parts = [f"# {plain(_headline(found))}", "\n".join(rows)]
    if found.left_out:
        parts.append("Left out:")
        parts.append("\n".join(f"* {plain(row.title)}: {plain(row.reason, 300)}" for row in found.left_out))
    return "\n\n".join([*parts, plain(_footnote(found), 2000)]) + "\n"


def comma_separated(found: Filesystems) -> str:
    """Return one line a row, with plain numbers: nanoseconds, bytes, kB."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [*FilesystemRow.__struct_fields__, "exec_ns", "use_ns"]
    writer.writerow(names)
    for row in found.rows:
        values = {**msgspec.structs.asdict(row), "exec_ns": row.exec_ns, "use_ns": row.use_ns}
        writer.writerow([csv_cell(values[name]) for name in names])
    return text.getvalue()


def page(found: Filesystems) -> str:
    """Return one self-contained HTML page."""
    words = {_HEAD[0], _HEAD[-1]}
    columns = [table_page.Column(name, under, name in words) for name, under in zip(_HEAD, _UNDER, strict=True)]
    table = table_page.Table(columns, [(row.ok and row.proved, _cells(row)) for row in found.rows])
    left_out = [one_line(f"{row.title}: {row.reason}", 300) for row in found.left_out]
    return table_page.page(_headline(found), [table], notes=_footnote(found), left_out=left_out)


def _in_place(row: FilesystemRow) -> bool:
    return row.ok and row.proved and "is mapped from" in row.proof


def _cells(row: FilesystemRow) -> tuple[str, ...]:
    cache = figures.ABSENT if row.page_cache_kib is None else str(row.page_cache_kib)
    return (
        one_line(row.title, 80),
        figures.size(row.image_bytes),
        figures.ms(row.mounted_inside_ns),
        figures.ms(row.init_inside_ns),
        figures.ms(row.goal_inside_ns),
        figures.ms(row.exec_ns),
        figures.ms(row.use_ns),
        figures.ms(row.goal_ns),
        cache,
        figures.size(row.read_bytes),
        _load(row),
        one_line(row.proof if row.ok and row.proved else _state(row), _PROOF_CHARACTERS),
    )


def _load(row: FilesystemRow) -> str:
    text = figures.ms(row.load_ns)
    return text if row.load_ns is None or row.read_bytes is not None else f"({text})"


def _state(row: FilesystemRow) -> str:
    text = f"not proved: {row.proof}" if row.ok else f"{row.outcome}: {row.reason}"
    return one_line(text, _PROOF_CHARACTERS)


def _headline(found: Filesystems) -> str:
    good = sum(row.ok for row in found.rows)
    return (
        f"{one_line(found.system, 80)}: one root of {found.tree_files} files, {figures.size(found.tree_bytes)}, "
        f"booted from {good} file systems"
    )


def _footnote(found: Filesystems) -> str:
    return (
        "Inside: the kernel's own stamp on the line. Outside: what an observer of the serial port sees, on the "
        f"{found.clock} clock from reset. Mounted: the root is there (an initramfs: unpacked, and init is started). "
        "Exec: from the start of init to its first line. Use: from there to first use. Cache: the page cache at "
        "first use. Read: what was asked of the medium until then; a RAM disk or initramfs is loaded whole. An "
        "emulator reads a medium as fast as memory, and has a RAM disk or initramfs there at reset: what that costs on "
        f"a board is in none of these times.{_model(found)}"
    )


def _model(found: Filesystems) -> str:
    if found.bandwidth_bytes_per_s is None:
        return ""
    return (
        " It stands beside them: load, modelled as the bytes read over "
        f"{found.bandwidth_bytes_per_s / 1e6:g} MB/s; in brackets that of the whole image, where what was read of it "
        "is not known (MTD counts nothing) or runs where it lies."
    )
