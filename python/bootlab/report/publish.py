"""Writes a run for people and for other programs: HTML, Markdown, Perfetto, Chrome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bootlab.errors import UserError
from bootlab.model.recording import Recording
from bootlab.report import chrome_trace, html, perfetto, summary_markdown
from bootlab.report.results import BootSummary, Results
from bootlab.report.results_file import write_atomically
from bootlab.report.trace import Trace, of_timeline
from bootlab.targets import recording_dir

Writer = Callable[[Results, Path], None]
"""Writes a run in one form."""


def recording_of(boot: BootSummary | None) -> Recording | None:
    """Return the recording behind a summary, or None when its folder is gone."""
    if boot is None or boot.recording_path is None:
        return None
    try:
        return recording_dir.load(Path(boot.recording_path))
    except UserError:
        return None


def html_page(results: Results, path: Path) -> None:
    """Write one self-contained HTML page."""
    recordings = {}
    for boot in (results.base, results.final):
        recording = recording_of(boot)
        if boot is not None and recording is not None:
            recordings[boot.key] = recording
    write_atomically(path, html.render(results, recordings).encode())


def markdown(results: Results, path: Path) -> None:
    """Write the hand-over text."""
    write_atomically(path, summary_markdown.render(results).encode())


def perfetto_trace(results: Results, path: Path) -> None:
    """Write a Perfetto trace of the run's last boot (the stacked one, where there is one)."""
    write_atomically(path, perfetto.encode(_trace(results)))


def chrome_json(results: Results, path: Path) -> None:
    """Write a Chrome-JSON trace of the run's last boot."""
    write_atomically(path, chrome_trace.encode(_trace(results)))


def _trace(results: Results) -> Trace:
    boot = results.final or results.base
    if boot.timeline is None:
        raise UserError("this run has no timeline to trace", hint="boot the system again")
    return of_timeline(boot.timeline, recording_of(boot), name=results.system_name)
