"""`bootlab steps`: a system as it is, and after each step of its system file, one on top of the other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.opening import opened
from bootlab.cli.session import DEFAULT_STORE, JobsOption, JsonOption, StoreOption, SystemArgument, out, print_json
from bootlab.cli.writing import write_files
from bootlab.errors import TargetError


def steps(
    system_file: SystemArgument,
    *,
    markdown: Annotated[Path | None, typer.Option(help="Write the table as Markdown.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV, with plain numbers.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the table as one HTML page.")] = None,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Boot a system as it is and after each of its [[steps]], one on top of the other; print times, sizes and proofs.

    A step replaces or removes files, changes parameters, or applies a technique: the way of an application from what a
    distribution ships to what a product needs. Boots are kept: cut off at any moment, the same call goes on, and a
    rerun only prints. Exit code 4 when a step does not boot or fails the check.

    Example: bootlab steps video.toml --markdown steps.md
    """
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        found = system.steps()
    from bootlab.report import steps_text  # noqa: PLC0415

    write_files(
        (markdown, lambda: steps_text.markdown(found)),
        (csv, lambda: steps_text.comma_separated(found)),
        (html, lambda: steps_text.page(found)),
    )
    if as_json:
        print_json(found)
    else:
        out().print(steps_text.terminal(found))
    if not all(row.kept for row in found.rows):
        raise typer.Exit(TargetError.exit_code)
