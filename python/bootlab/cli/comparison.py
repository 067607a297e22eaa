"""What the verbs that compare share: the forms of their table, and showing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bootlab.cli.files import write_files
from bootlab.cli.markdown_page import put
from bootlab.cli.session import err, out, print_json

if TYPE_CHECKING:
    from bootlab.api import Results
    from bootlab.model.comparison import Comparison

MarkdownOption = Annotated[
    Path | None,
    typer.Option(
        "--markdown", help="Write the table as Markdown. If the file has a section for it, replace only that."
    ),
]
CsvOption = Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")]
HtmlOption = Annotated[Path | None, typer.Option("--html", help="Write the table as one HTML page.")]


def show(
    found: Comparison,
    run: Results | None = None,
    *,
    markdown: Path | None = None,
    section: str | None = None,
    csv: Path | None = None,
    html: Path | None = None,
    everything: bool = False,
    as_json: bool = False,
) -> None:
    """Write the files that were asked for, then print the table or its document.

    `section`: the name of a page's section that --markdown fills; without one --markdown writes the whole file.
    """
    from bootlab.views.table import csv as table_csv  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.table import markdown as table_markdown  # noqa: PLC0415
    from bootlab.views.table import page, terminal  # noqa: PLC0415

    write_files((csv, lambda: table_csv.text(found)), (html, lambda: page.page(found)))
    if markdown is not None and section is not None:
        put(markdown, section, table_markdown.section(found))
    else:
        write_files((markdown, lambda: table_markdown.page(found)))
    if as_json:
        print_json(found.document())
        return
    out().print(terminal.view(found, everything=everything))
    if run is not None:
        err().print(f"results: {run.run.results}", markup=False, soft_wrap=True)
