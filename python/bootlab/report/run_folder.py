"""Every report of a run, written into its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from bootlab.model.recording import Recording
from bootlab.model.timeline import Timeline
from bootlab.report import chrome_trace, html, perfetto, results_file, summary_markdown, trace
from bootlab.report.results import Results


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """Where the reports of a run lie. `traces`: Perfetto and Chrome JSON, of the base and of the stack."""

    results: Path
    page: Path
    summary: Path
    traces: tuple[Path, ...] = ()


def write(results: Results, folder: Path, recordings: Mapping[str, Recording] | None = None) -> Written:
    """Write results.json, report.html, summary.md and the traces. `recordings` by key add the console logs."""
    known = recordings or {}
    written = Written(
        results=folder / "results.json",
        page=folder / "report.html",
        summary=folder / "summary.md",
        traces=tuple(
            path
            for name, boot in (("base", results.base), ("stack", results.final))
            if boot is not None and boot.timeline is not None
            for path in _traces(name, boot.timeline, folder, known.get(boot.key))
        ),
    )
    results_file.save(results, written.results)
    html.write(results, written.page, known)
    results_file.write_atomically(written.summary, summary_markdown.render(results).encode("utf-8", "replace"))
    return written


def _traces(name: str, timeline: Timeline, folder: Path, recording: Recording | None) -> tuple[Path, Path]:
    made = trace.of_timeline(timeline, recording, name=name)
    paths = folder / f"{name}.perfetto-trace", folder / f"{name}.trace.json"
    for path, encode in zip(paths, (perfetto.encode, chrome_trace.encode), strict=True):
        results_file.write_atomically(path, encode(made))
    return paths
