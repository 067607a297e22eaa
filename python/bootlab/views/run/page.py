# SPDX-License-Identifier: MIT
"""One self-contained HTML page of a run."""

from __future__ import annotations

from collections.abc import Mapping

from bootlab.model.recording import Recording
from bootlab.results.document import RunDocument
from bootlab.views.html_frame import page
from bootlab.views.run.page_data import page_data
from bootlab.views.shown_text import one_line

SCRIPTS = ("dom.js", "figures.js", "tables.js", "stages.js", "stack.js", "optimized.js", "trials.js", "plot.js",
           "timeline.js", "console.js", "page.js")  # fmt: skip


def render(results: RunDocument, recordings: Mapping[str, Recording] | None = None) -> str:
    """Make the page. `recordings` (by key) add the console logs of the base, the stack and the trials."""
    title = f"{one_line(results.system_name, 120)} · bootlab {results.kind}"
    return page(title, SCRIPTS, page_data(results, recordings or {}))
