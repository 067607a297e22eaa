"""The steps of a system for people and for spreadsheets: terminal, Markdown, CSV, HTML."""

from __future__ import annotations

import csv
import io

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.model.steps import StepRow, Steps
from bootlab.report import figures, table_page
from bootlab.report.csv_cell import csv_cell
from bootlab.report.shown_text import one_line
from bootlab.report.summary_markdown import plain

_HEAD = (
    "step", "init to goal, ms", "of the first", "from reset, ms", "application", "mapped with it", "processes",
    "root tree", "image", "kernel", "published", "proof",
)  # fmt: skip
_RIGHT = range(1, 10)
_SHOWN = 9
"""The columns that fit a terminal."""
_PROOF_CHARACTERS = 240
_MARKS = "seen after init's start, ms"


def terminal(found: Steps) -> RenderableType:
    """Return the table for a terminal, each step's proof below it, and a line that says what the numbers are."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for number, name in enumerate(_HEAD[:_SHOWN]):
        table.add_column(name, justify="right" if number in _RIGHT else "left", no_wrap=number in _RIGHT)
    for row in found.rows:
        style = "" if row.kept and row.proved else "dim"
        table.add_row(row.name, *(Text(cell, style) for cell in _cells(found, row)[1:_SHOWN]))
    marks = Table(box=None, padding=(0, 2, 0, 0))
    marks.add_column(_MARKS)
    for name in found.marks:
        marks.add_column(one_line(name, 40), justify="right")
    for row in found.rows:
        marks.add_row(row.name, *_marks(found, row))
    said = [Text(f"{row.title}: {_proof(row)}", "" if row.kept and row.proved else "yellow") for row in found.rows[1:]]
    tables = [table, marks] if found.marks else [table]
    return Group(Text(_headline(found), "bold"), *tables, *said, Text(_footnote(found), "dim"))


def markdown(found: Steps) -> str:
    """Return a page in Markdown."""
    rows = ["| " + " | ".join(_HEAD) + " |", "|---|" + "--:|" * len(_RIGHT) + "---|---|"]
    rows += ["| " + " | ".join(plain(cell, 400) for cell in _cells(found, row)) + " |" for row in found.rows]
    parts = [f"# {plain(_headline(found), 400)}", "\n".join(rows)]
    if found.marks:
        names = [plain(name, 80) for name in found.marks]
        marks = [f"| {_MARKS} | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
        marks += ["| " + " | ".join((plain(one_line(row.title, 80)), *_marks(found, row))) + " |" for row in found.rows]
        parts.append("\n".join(marks))
    return "\n\n".join([*parts, plain(_footnote(found), 2000)]) + "\n"


def comma_separated(found: Steps) -> str:
    """Return one line a row, with plain numbers: nanoseconds and bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [*StepRow.__struct_fields__, "use_ns"]
    writer.writerow(names)
    for row in found.rows:
        values = {**msgspec.structs.asdict(row), "use_ns": row.use_ns}
        writer.writerow([csv_cell(values[name]) for name in names])
    return text.getvalue()


def page(found: Steps) -> str:
    """Return one self-contained HTML page."""
    words = {_HEAD[0], "published", "proof"}
    columns = [table_page.Column(name, words=name in words) for name in _HEAD]
    tables = [table_page.Table(columns, [(row.kept and row.proved, _cells(found, row)) for row in found.rows])]
    if found.marks:
        columns = [table_page.Column(_MARKS, words=True), *map(table_page.Column, found.marks)]
        rows = [(row.kept and row.proved, (one_line(row.title, 80), *_marks(found, row))) for row in found.rows]
        tables.append(table_page.Table(columns, rows))
    return table_page.page(_headline(found), tables, notes=_footnote(found))


def _cells(found: Steps, row: StepRow) -> tuple[str, ...]:
    mapped = figures.ABSENT if row.libraries is None else f"{figures.size(row.library_bytes)} in {row.libraries}"
    files = "" if row.tree_files is None else f" in {row.tree_files}"
    return (
        one_line(row.title, 80),
        figures.ms(row.use_ns),
        figures.percent(row.use_ns, found.rows[0].use_ns),
        figures.ms(row.goal_ns),
        figures.size(row.application_bytes),
        mapped if row.libraries != 0 else "nothing",
        figures.ABSENT if row.processes is None else str(row.processes),
        figures.size(row.tree_bytes) + files,
        figures.size(row.image_bytes),
        figures.size(row.kernel_bytes),
        one_line(row.published, 160),
        _proof(row),
    )


def _marks(found: Steps, row: StepRow) -> tuple[str, ...]:
    return tuple(figures.ms(row.marks_ns.get(name)) for name in found.marks)


def _proof(row: StepRow) -> str:
    if not row.kept:
        return one_line(f"left out: {row.reason}", _PROOF_CHARACTERS)
    return one_line(("" if row.proved else "not proved: ") + row.proof, _PROOF_CHARACTERS)


def _headline(found: Steps) -> str:
    first = found.rows[0].use_ns if found.rows else None
    last = next((row for row in reversed(found.rows) if row.kept), None)
    share = "" if found.share is None else f", {100 * found.share:.1f} % of the first"
    return (
        f"{one_line(found.system, 80)}: from the first program to {one_line(found.goal, 60)} in {figures.ms(first)} ms "
        f"as it is, {figures.ms(last.use_ns if last else None)} ms after all steps{share}"
    )


def _footnote(found: Steps) -> str:
    return (
        "Each row stands on those before it that were not left out; each was booted to the goal, passed the functional "
        f"check, and shows in its own boot that the step took effect. Times on the {found.clock} clock. Init to goal: "
        f"from the kernel's start of the first program to {one_line(found.goal, 60)}. Application: the program alone; "
        "mapped with it: the other files that its process had mapped; processes: those of user space after the goal "
        "(both by a diagnostic boot). Root tree: the contents of all files; image: the file system's image, or the "
        "initramfs. An emulator reads a card as fast as memory and has an initramfs in memory at reset: on a board "
        "what is loaded costs time. Published: other boards, not this one."
    )
