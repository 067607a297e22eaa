"""`bootlab steps`: a system as it is, and after each step of its system file, one on top of the other."""

from __future__ import annotations

import typer

from bootlab.cli.comparison import CsvOption, HtmlOption, MarkdownOption, show
from bootlab.cli.open_system import opened
from bootlab.cli.session import DEFAULT_STORE, JobsOption, JsonOption, StoreOption, SystemArgument
from bootlab.errors import TargetError


def steps(
    system_file: SystemArgument,
    *,
    markdown: MarkdownOption = None,
    csv: CsvOption = None,
    html: HtmlOption = None,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Boot a system as it is, then after each of its [[steps]], each on top of the last; print times, sizes and proofs.

    A step replaces or removes files, changes parameters, or applies a technique. Together the steps lead from what a
    distribution ships to what a product needs. Boots are kept: after an interruption the same command continues, and a
    rerun only prints. Exit code 4: a step does not boot or fails the check.

    Example: bootlab steps video.toml --markdown steps.md
    """
    from bootlab.experiments.steps import Steps  # noqa: PLC0415 - `--help` must not wait for it

    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.compare(Steps())
    found = results.comparison
    show(found, results, markdown=markdown, csv=csv, html=html, as_json=as_json)
    if not all(row.ok for row in found.rows):
        raise typer.Exit(TargetError.exit_code)
