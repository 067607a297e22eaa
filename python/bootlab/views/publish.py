# SPDX-License-Identifier: MIT
"""A run for people and for other programs: HTML, Markdown, CSV, Perfetto, Chrome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bootlab.errors import UserError
from bootlab.model.recording import Recording
from bootlab.recordings import recording_dir
from bootlab.recordings.damage import DamagedRecording
from bootlab.results.document import BootSummary, RunDocument
from bootlab.views.csv_text import csv_text
from bootlab.views.run import markdown as summary_markdown
from bootlab.views.run import page as html
from bootlab.views.run import tables
from bootlab.views.table import csv as table_csv
from bootlab.views.table import markdown as table_markdown
from bootlab.views.table import page as table_page
from bootlab.views.timeline.tracks import Trace, of_timeline


def recording_of(boot: BootSummary | None) -> Recording | None:
    """Return the recording behind a summary, or None when its folder is gone. Raise DamagedRecording."""
    if boot is None or boot.recording_path is None:
        return None
    try:
        return recording_dir.load(Path(boot.recording_path))
    except DamagedRecording:
        raise
    except UserError:
        return None


def html_page(results: RunDocument) -> bytes:
    """Return one self-contained HTML page."""
    if results.comparison is not None:
        return table_page.page(results.comparison).encode("utf-8", "replace")
    recordings = {}
    for boot in (results.base, results.final):
        recording = recording_of(boot)
        if boot is not None and recording is not None:
            recordings[boot.key] = recording
    return html.render(results, recordings).encode()


def markdown(results: RunDocument) -> bytes:
    """Return the hand-over text."""
    found = results.comparison
    text = summary_markdown.render(results) if found is None else table_markdown.page(found)
    return text.encode("utf-8", "replace")


def csv(results: RunDocument) -> bytes:
    """Return the rows of a comparison, of trials and stack, or of one boot its stages, as CSV."""
    found = results.comparison or tables.comparison(results)
    if found is not None:
        return table_csv.text(found).encode("utf-8", "replace")
    boot = results.base
    stages = boot.timeline.stages if boot.timeline is not None else ()
    rows = ((stage.name, stage.start_ns, stage.duration_ns, boot.clock) for stage in stages)
    return csv_text(("stage", "start_ns", "duration_ns", "clock"), rows).encode("utf-8", "replace")


def perfetto_trace(results: RunDocument) -> bytes:
    """Return a Perfetto trace of the run's last boot (the stacked one, where there is one)."""
    return _trace(results).encode("perfetto")


def chrome_json(results: RunDocument) -> bytes:
    """Return a Chrome-JSON trace of the run's last boot."""
    return _trace(results).encode("chrome")


FORMS: dict[str, Callable[[RunDocument], bytes]] = {
    "html": html_page,
    "markdown": markdown,
    "csv": csv,
    "perfetto": perfetto_trace,
    "chrome": chrome_json,
}
"""The forms in which a run leaves the laboratory."""


def _trace(results: RunDocument) -> Trace:
    boot = results.final or results.base
    if boot.timeline is None:
        raise UserError("this run has no timeline to trace", hint="boot the system again")
    return of_timeline(boot.timeline, recording_of(boot), name=results.system_name)
