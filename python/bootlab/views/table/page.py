"""A comparison as one self-contained HTML page, and its tables as the data that every page's script draws."""

from __future__ import annotations

from bootlab.model.comparison import Column, Comparison, Table, Value
from bootlab.views import page_parts
from bootlab.views.page_model import PageData, TableData
from bootlab.views.page_parts import part, table
from bootlab.views.shown_text import one_line
from bootlab.views.table import cells

_KINDS = {"filesystems": "File systems", "xip": "Start from flash", "lpj": "Loops per jiffy"}
"""What comparisons are called, where their kind is an abbreviation."""
_LONG = 16
"""Texts that are longer than this may take several lines of their column."""


def page(found: Comparison) -> str:
    """Return the page. A row without proof is drawn faint and says why."""
    parts = [part(one_line(made.title) or "Comparison", "", drawn(found, made)) for made in found.tables]
    if found.left_out:
        rows = [[one_line(row.title), one_line(row.reason, 300)] for row in found.left_out]
        parts.append(part("Left out", "", table("Left out", ["what", "why"], rows)))
    doubtful = [f"{one_line(row.title)}: {said}" for row in found.rows if (said := cells.state(row))]
    data: PageData = {
        "name": one_line(found.headline),
        "kind": one_line(_KINDS.get(found.kind, found.kind.replace("-", " ").capitalize())),
        "facts": [],
        "problems": [f"Not to be relied on: {line}" for line in doubtful],
        "parts": parts,
        "notes": [one_line(line, 2000) for line in found.footnote.splitlines()],
    }
    return page_parts.page(one_line(found.headline), data)


def drawn(found: Comparison, made: Table) -> TableData:
    """Return a table in the form that :mod:`bootlab.views.page_parts` describes."""
    columns = [found.column(key) for key in made.columns]
    rows = found.rows_of(made)
    texts = [[cells.text(column, row, grouped=True) for row in rows] for column in columns]
    return {
        "caption": one_line(made.title),
        "lead": "",
        "columns": [
            [cells.head(column), not column.is_text, column.key, "name" if at == 0 else _look(column, texts[at])]
            for at, column in enumerate(columns)
        ],
        "rows": [
            [[text, _order(row.value(column.key))] for column, text in zip(columns, line, strict=True)]
            for row, line in zip(rows, zip(*texts, strict=True), strict=True)
        ],
        "ids": [one_line(row.id) for row in rows],
        "faint": [not (row.ok and row.proved) for row in rows],
        "left": 0,
    }


def _look(column: Column, texts: list[str]) -> str:
    if "modelled" in cells.head(column):
        return "model"
    if column.is_text:
        return "words" if max(map(len, texts), default=0) > _LONG else "word"
    return "saved" if column.kind == "signed-ms" else ""


def _order(value: Value) -> Value:
    return one_line(value) if isinstance(value, str) else value
