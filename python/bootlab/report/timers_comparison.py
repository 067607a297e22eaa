"""Configurations beside each other, in the terminal and as a page."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from bootlab.report import figures
from bootlab.report.analysis_html import SCRIPTS
from bootlab.report.analysis_page import number, part, show, table
from bootlab.report.html_frame import page
from bootlab.report.shown_text import one_line
from bootlab.report.text_table import Fitted, cell, spaced, text_table
from bootlab.timers.comparison import Configuration, Line, TimerComparison

_COLUMNS = 5
"""Configurations in a table: more would be cut off at the width of a terminal."""


def text(found: TimerComparison) -> list[RenderableType]:
    """Show a table a population and five configurations; the first configuration stands in each of them."""
    views: list[RenderableType] = [Text(_words(c)) for c in found.configurations]
    for timers in sorted({line.timers for line in found.lines}):
        for shown in _tables(len(found.configurations)):
            names = [f">{one_line(found.configurations[i].name, 30)}" for i in shown]
            made = text_table(f"{timers} timers", "quantity", *names)
            for line in (line for line in found.lines if line.timers == timers):
                made.add_row(line.quantity, *(cell(_value(line, i)) for i in shown))
            views.append(Fitted(made))
    return spaced(views)


def _tables(count: int) -> list[tuple[int, ...]]:
    step = _COLUMNS - 1
    return [(0, *range(start, min(start + step, count))) for start in range(1, count, step)] or [(0,)]


def _words(configuration: Configuration) -> str:
    result = configuration.results[0]
    facts = ", ".join(f"{k} {v}" for k, v in result.place.facts.items())
    said = f"{configuration.name}: {result.head.kernel}, {result.place.clock} clock"
    said += f", resolution {result.head.resolution_ns} ns" + (f", {facts}" if facts else "")
    if configuration.equal is not None:
        same = "equal to the byte" if configuration.equal else "DIFFERENT"
        said += f"; {len(configuration.results)} boots: {same}"
    return one_line(said, 300)


def _value(line: Line, column: int) -> str:
    verdict = line.verdicts[column]
    return figures.count(line.values[column]) + (f" {verdict.value}" if verdict else "")


def page_of(found: TimerComparison) -> str:
    """Make one self-contained page."""
    names = [one_line(c.name, 60) for c in found.configurations]
    columns = ["quantity", *(f">{name}" for name in names)]
    parts = []
    for timers in sorted({line.timers for line in found.lines}):
        lines = (line for line in found.lines if line.timers == timers)
        rows = ([line.quantity, *(_cell(line, i) for i in range(len(names)))] for line in lines)
        parts.append(part(f"{timers} timers", "", table("Quantities", columns, rows)))
    data = {
        "name": show(" / ".join(names)),
        "kind": "Timers beside each other",
        "facts": [[show(c.name), show(_words(c))] for c in found.configurations],
        "problems": [f"exact boots of {show(c.name)} differ" for c in found.configurations if c.equal is False],
        "parts": parts,
        "partsLeft": 0,
        "account": [],
    }
    return page(f"{' / '.join(names)} · bootlab timers", SCRIPTS, data)


def _cell(line: Line, column: int) -> list[object]:
    return [_value(line, column), number(line.values[column])[1]]
