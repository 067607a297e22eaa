"""A ladder for people and for spreadsheets: terminal, Markdown, CSV, HTML."""

from __future__ import annotations

import csv
import io

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from bootlab.report import figures, table_page
from bootlab.report.csv_cell import csv_cell
from bootlab.report.ladder import Ladder, Rung
from bootlab.report.shown_text import one_line
from bootlab.report.summary_markdown import plain

_TECHNIQUE, _ID = "technique", "change"
_HEAD = (
    _TECHNIQUE, "time", "image", "load (modelled)", "decompression", "kernel", "stage", "verdict",
    "published (BeagleBone)", "proof",
)  # fmt: skip
_NUMBERS = frozenset(_HEAD[1:6])
_LOOSE = frozenset({_TECHNIQUE, _ID, "published (BeagleBone)", "proof"})
_ID_WIDTH = 36
_CSV_HEAD = (
    "change", "verdict", "proved", "saved_ns", "base_ns", "image_bytes", "image_saved_bytes", "stage", "published",
    "costs", "load_ns", "decompression_ns", "kernel_ns", "what", "proof",
)  # fmt: skip


def terminal(ladder: Ladder) -> RenderableType:
    """Return two tables for a terminal: what each change gains, and its stages with the proof."""
    tables = (_terminal_table(ladder, title, names) for title, names in _tables(ladder))
    return Group(*tables, Text(_footnote(ladder), "dim"))


def _terminal_table(ladder: Ladder, title: str, names: tuple[str, ...]) -> Table:
    columns = [
        Column(
            name,
            justify="right" if name in _NUMBERS else "left",
            overflow="fold",
            no_wrap=name not in _LOOSE,
            max_width=_ID_WIDTH if name == _ID else None,
        )
        for name in names
    ]
    table = Table(*columns, title=Text(title, "bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for rung in ladder.rungs:
        cells = _cells(rung)
        table.add_row(*(Text(cells[name]) for name in names), style="" if rung.proved else "dim")
    return table


def markdown(ladder: Ladder) -> str:
    """Return a page in Markdown: what each change gains, then its stages with the proof."""
    parts = []
    for level, (title, names) in zip(("#", "##"), _tables(ladder), strict=True):
        rule = "".join("--:|" if name in _NUMBERS else "---|" for name in names)
        rows = ["| " + " | ".join(names) + " |", f"|{rule}"]
        for rung in ladder.rungs:
            cells = _cells(rung)
            rows.append("| " + " | ".join(plain(cells[name], 400) for name in names) + " |")
        parts += [f"{level} {plain(title)}", "\n".join(rows)]
    return "\n\n".join([*parts, _footnote(ladder)]) + "\n"


def _tables(ladder: Ladder) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return titles and columns: nobody reads ten columns at once."""
    return (
        (_headline(ladder), (_TECHNIQUE, "time", "image", "stage", "verdict", "published (BeagleBone)")),
        ("Stages with the change (ms), and proof", (_ID, "load (modelled)", "decompression", "kernel", "proof")),
    )


def comma_separated(ladder: Ladder) -> str:
    """Return one line a rung, with plain numbers: nanoseconds and bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_HEAD)
    for rung in ladder.rungs:
        plain_rung = {**{name: getattr(rung, name) for name in _CSV_HEAD}, "costs": " ".join(rung.costs)}
        writer.writerow([csv_cell(plain_rung[name]) for name in _CSV_HEAD])
    return text.getvalue()


def page(ladder: Ladder) -> str:
    """Return one self-contained HTML page."""
    words = {_TECHNIQUE, "stage", "verdict", "published (BeagleBone)", "proof"}
    columns = [table_page.Column(name, words=name in words) for name in _HEAD]
    rows = [(rung.proved, [_cells(rung)[name] for name in _HEAD]) for rung in ladder.rungs]
    return table_page.page(_headline(ladder), [table_page.Table(columns, rows)], notes=_footnote(ladder))


def _cells(rung: Rung) -> dict[str, str]:
    # A ladder shows what the time became: a saving is a minus, as in the training's table.
    time = figures.signed_ms(None if rung.saved_ns is None else -rung.saved_ns)
    proof = ("" if rung.proved else "not proved: ") + rung.proof
    return {
        _TECHNIQUE: f"{rung.title} ({rung.change})",
        _ID: rung.change,
        "time": f"{time} ms" if rung.saved_ns is not None else figures.ABSENT,
        "image": _image(rung),
        "load (modelled)": figures.ms(rung.load_ns),
        "decompression": figures.ms(rung.decompression_ns),
        "kernel": figures.ms(rung.kernel_ns),
        "stage": rung.stage,
        "verdict": rung.verdict,
        "published (BeagleBone)": rung.published,
        "proof": one_line(proof, 300),
    }


def _image(rung: Rung) -> str:
    if not rung.image_saved_bytes or rung.image_bytes is None:
        return ""
    whole = rung.image_bytes + rung.image_saved_bytes
    sign = "\u2212" if rung.image_saved_bytes > 0 else "+"
    share = figures.percent(abs(rung.image_saved_bytes), whole)
    return f"{sign}{figures.size(abs(rung.image_saved_bytes))} ({sign}{share})"


def _headline(ladder: Ladder) -> str:
    base, size = figures.ms(ladder.base_ns), figures.size(ladder.base_image_bytes)
    image = "image" if ladder.image == "kernel" else ladder.image
    rows = f"{len(ladder.proved)} proved rows"
    return f"{one_line(ladder.system, 80)}: {rows}, base {base} {ladder.clock} ms, {image} {size}"


def _footnote(ladder: Ladder) -> str:
    return (
        f"Each row is the base with one change, booted from power-on to the goal; times on the {ladder.clock} clock, "
        "a minus is a gain. Gains do not add up: `bootlab stack` finds what does. What loading an image costs on a "
        "board is not in these times: it stands beside them, modelled as the bytes of kernel and initramfs over "
        f"{ladder.bandwidth_bytes_per_s / 1e6:g} MB/s (base: {figures.ms(ladder.base_load_ns)} ms). "
        "Published: another board, not this one."
    )
