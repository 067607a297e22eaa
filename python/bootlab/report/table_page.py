"""Tables as one self-contained HTML page without a script: what `ladder`, `fs` and `steps` write."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.4 system-ui,sans-serif;margin:2rem}p{max-width:60rem}"
    "div{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse}"
    "th,td{padding:.3rem .7rem;text-align:right;vertical-align:top;border-bottom:1px solid #8884}"
    "td{white-space:nowrap;font-variant-numeric:tabular-nums}tr.open{opacity:.6}"
    ".words{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9rem}"
    "td.words:last-child{min-width:16rem}"
)


class Column(NamedTuple):
    """A column's name, what stands below it in small letters, and whether it holds words, not figures."""

    name: str
    under: str = ""
    words: bool = False


class Table(NamedTuple):
    """Columns, and rows of as many cells; a row that is not `proved` is drawn faint."""

    columns: Sequence[Column]
    rows: Iterable[tuple[bool, Sequence[str]]]


def page(title: str, tables: Iterable[Table], *, notes: str, left_out: Sequence[str] = ()) -> str:
    """Return the page; every text is escaped. `left_out`: lines of a list, such as rows that could not be made."""
    heading = html.escape(title)
    listed = "".join(f"<li>{html.escape(line)}</li>" for line in left_out)
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{heading}</title>\n"
        f"<style>{_STYLE}</style></head>\n<body><h1>{heading}</h1>\n"
        + "".join(_table(table) for table in tables)
        + (f"<p>Left out:</p><ul>{listed}</ul>\n" if listed else "")
        + f"<p>{html.escape(notes)}</p></body></html>\n"
    )


def _table(table: Table) -> str:
    kinds = [" class='words'" if column.words else "" for column in table.columns]
    unders = [f"<br><small>{html.escape(column.under)}</small>" if column.under else "" for column in table.columns]
    head = "".join(
        f"<th{kind}>{html.escape(column.name)}{under}</th>"
        for column, kind, under in zip(table.columns, kinds, unders, strict=True)
    )
    rows = "".join(
        f"<tr class='{'proved' if proved else 'open'}'>"
        + "".join(f"<td{kind}>{html.escape(cell)}</td>" for kind, cell in zip(kinds, cells, strict=True))
        + "</tr>\n"
        for proved, cells in table.rows
    )
    return f"<div><table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
