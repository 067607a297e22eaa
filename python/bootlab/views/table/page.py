"""A comparison as one self-contained HTML page, without a script."""

from __future__ import annotations

import html

from bootlab.model.comparison import Column, Comparison, Table
from bootlab.views.shown_text import one_line
from bootlab.views.table import cells

_STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.4 system-ui,sans-serif;margin:2rem}p{max-width:60rem}"
    "div{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse}"
    "th,td{padding:.3rem .7rem;text-align:right;vertical-align:top;border-bottom:1px solid #8884}"
    "td{white-space:nowrap;font-variant-numeric:tabular-nums}tr.open{opacity:.6}"
    ".words{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9rem}"
    "td.words:last-child{min-width:16rem}@media(max-width:30rem){body{margin:1rem}}"
)


def page(found: Comparison) -> str:
    """Return the page; every text is escaped. A row without proof is drawn faint and says why."""
    heading = html.escape(one_line(found.headline))
    notes = "".join(f"<p>{html.escape(one_line(line))}</p>" for line in found.footnote.splitlines())
    tables = "".join(_table(found, table) for table in found.tables)
    doubtful = [f"{one_line(row.title)}: {said}" for row in found.rows if (said := cells.state(row))]
    left = [one_line(f"{row.title}: {row.reason}", 300) for row in found.left_out]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{heading}</title>\n<style>{_STYLE}</style></head>\n<body><h1>{heading}</h1>\n{tables}"
        f"{_listed('Not to be relied on:', doubtful)}{_listed('Left out:', left)}"
        f"{notes}</body></html>\n"
    )


def _listed(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    return f"<p>{title}</p><ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>\n"


def _table(found: Comparison, table: Table) -> str:
    columns = [found.column(key) for key in table.columns]
    title = f"<h2>{html.escape(table.title)}</h2>\n" if table.title else ""
    head = "".join(_head(column) for column in columns)
    rows = "".join(
        f"<tr class='{'proved' if row.ok and row.proved else 'open'}'>"
        + "".join(f"<td{_kind(column)}>{html.escape(cells.text(column, row))}</td>" for column in columns)
        + "</tr>\n"
        for row in found.rows_of(table)
    )
    return f"{title}<div><table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"


def _head(column: Column) -> str:
    under = f"<br><small>{html.escape(column.under)}</small>" if column.under else ""
    return f"<th{_kind(column)}>{html.escape(column.title)}{under}</th>"


def _kind(column: Column) -> str:
    return " class='words'" if column.is_text else ""
