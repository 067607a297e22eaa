"""One self-contained HTML page of an analysis."""

from __future__ import annotations

from bootlab.logs.analysis import Analysis
from bootlab.report.analysis_page import page_data
from bootlab.report.html_frame import page
from bootlab.report.shown_text import one_line

SCRIPTS = ("dom.js", "figures.js", "tables.js", "stages.js", "plot.js", "timeline.js", "calls_model.js",
           "flame.js", "calls_tree.js", "calls_functions.js", "calls.js", "analysis.js")  # fmt: skip


def render(analysis: Analysis, *, boot: int | None = None) -> str:
    """Make the page, of one boot only when `boot` names it."""
    return page(f"{one_line(analysis.name, 120)} · bootlab analyze", SCRIPTS, page_data(analysis, boot=boot))
