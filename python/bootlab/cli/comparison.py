# SPDX-License-Identifier: MIT
"""What the verbs that compare share: the forms of their table, booting for it and showing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.files import write_files
from bootlab.cli.markdown_page import put
from bootlab.cli.open_system import opened
from bootlab.cli.options import Group, Kept, Option
from bootlab.cli.session import out, print_json, say
from bootlab.errors import TargetError

if TYPE_CHECKING:
    from bootlab.api import Results
    from bootlab.api.values import Experiment
    from bootlab.model.comparison import Comparison


class TableFiles(Group):
    """The files that a table goes into."""

    markdown: Annotated[
        Path | None, Option(help="Write the table as Markdown. If the file has a section for it, replace only that.")
    ] = None
    csv: Annotated[Path | None, Option(help="Write the table as CSV.")] = None
    html: Annotated[Path | None, Option(help="Write the table as one HTML page.")] = None


def compare(
    system_file: Path,
    experiment: Experiment,
    files: TableFiles,
    asked: Kept,
    *,
    section: str | None = None,
    everything: bool = False,
) -> Comparison:
    """Boot an experiment's variants of a system, and show the table."""
    with opened(system_file, asked) as system:
        results = system.compare(experiment)
    show(results.comparison, files, asked, results, section=section, everything=everything)
    return results.comparison


def show(
    found: Comparison,
    files: TableFiles,
    asked: Kept,
    run: Results | None = None,
    *,
    section: str | None = None,
    everything: bool = False,
) -> None:
    """Write the files that were asked for, then print the table or its document.

    `section`: the name of a page's section that --markdown fills; without one --markdown writes the whole file.
    """
    from bootlab.views.table import terminal  # noqa: PLC0415 - `--help` must not wait for it

    write_tables(found, files, section=section)
    if asked.as_json:
        print_json(found.document())
        return
    out().print(terminal.view(found, everything=everything))
    if run is not None:
        say(f"results: {run.run.results}")


def write_tables(found: Comparison, files: TableFiles, *, section: str | None = None) -> None:
    """Write the files that were asked for. `section`: as `show` takes it."""
    from bootlab.views.table import csv as table_csv  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.table import markdown as table_markdown  # noqa: PLC0415
    from bootlab.views.table import page  # noqa: PLC0415

    write_files((files.csv, lambda: table_csv.text(found)), (files.html, lambda: page.page(found)))
    if files.markdown is not None and section is not None:
        put(files.markdown, section, table_markdown.section(found))
    else:
        write_files((files.markdown, lambda: table_markdown.page(found)))


def end(found: Comparison) -> None:
    """End with the code of a target that failed where a row did not do what it should."""
    if not all(row.ok for row in found.rows):
        raise SystemExit(TargetError.exit_code)
