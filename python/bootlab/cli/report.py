# SPDX-License-Identifier: MIT
"""`bootlab report`: show a run again, or write it as HTML, Markdown or a trace."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from bootlab.cli.files import write_files
from bootlab.cli.options import Argument, Option
from bootlab.cli.screen import program
from bootlab.cli.session import AllOption, Kept, out, print_json, say


def report(
    run_name: Annotated[
        str, Argument(metavar="RUN", help="A run: its id or the beginning of it, its folder, or `last`.")
    ],
    *,
    html: Annotated[
        Path | None,
        Option(help="Write one self-contained HTML page. For every file here, `-` means standard output."),
    ] = None,
    markdown: Annotated[Path | None, Option(help="Write a report as Markdown.")] = None,
    csv: Annotated[
        Path | None, Option(help="Write the rows of a comparison, trials and stack, or a boot's stages, as CSV.")
    ] = None,
    perfetto: Annotated[Path | None, Option(help="Write a Perfetto trace of the boot.")] = None,
    chrome: Annotated[Path | None, Option(help="Write a Chrome JSON trace of the boot.")] = None,
    everything: AllOption = False,
    asked: Kept,
) -> None:
    """Show the results of a run, or write them to files.

    Example: bootlab report last --html report.html --perfetto boot.pftrace
    """
    from bootlab.api import Results  # noqa: PLC0415
    from bootlab.views.publish import recording_of  # noqa: PLC0415
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.headline import said  # noqa: PLC0415

    results = Results.open(run_name, store=asked.store)
    for boot in (results.data.base, results.data.final):
        # A page or a table of a recording that was altered would be believed.
        recording_of(boot)
    wanted = {"html": html, "markdown": markdown, "csv": csv, "perfetto": perfetto, "chrome": chrome}
    write_files(*((path, partial(results.form, name)) for name, path in wanted.items()))
    written = [str(path) for path in wanted.values() if path is not None]
    if asked.as_json:
        print_json({"run": results.id, **said(results.data), "written": written})
    elif not written:
        out().print(terminal.results_view(results.data, everything=everything))
        boots = f"{program()} boot {results.faster}   or: " if results.faster else ""
        say(f"next: {boots}{program()} report {run_name}{asked.store_words} --html report.html")
