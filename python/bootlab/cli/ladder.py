"""`bootlab ladder`: every kernel technique on one system, as the table of time and size that people know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.opening import opened
from bootlab.cli.session import (
    DEFAULT_BANDWIDTH_MB,
    DEFAULT_STORE,
    BandwidthOption,
    JobsOption,
    JsonOption,
    StoreOption,
    SystemArgument,
    err,
    out,
    print_json,
)
from bootlab.cli.writing import write_files

STAGES = ("image", "kernel", "initramfs", "storage")
"""The stages of the techniques that a ladder tries when none is named."""


def ladder(
    system_file: SystemArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Only these techniques; none: all that apply.", show_default=False),
    ] = None,
    *,
    markdown: Annotated[Path | None, typer.Option(help="Write the table as Markdown.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV, with plain numbers.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the table as one HTML page.")] = None,
    bandwidth: BandwidthOption = DEFAULT_BANDWIDTH_MB,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Try all techniques of image, kernel, initramfs and storage; print time and size of each beside published ones.

    Kernels are built once and boots are kept: cut off at any moment, the same call goes on, and a rerun only prints.

    Example: bootlab ladder camera.toml --markdown ladder.md
    """
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.try_(*ids) if ids else system.try_(stages=STAGES)
    from bootlab import techniques  # noqa: PLC0415
    from bootlab.report import ladder as report  # noqa: PLC0415
    from bootlab.report import ladder_text  # noqa: PLC0415

    table = report.ladder(results.data, techniques.get, bandwidth_bytes_per_s=round(bandwidth * 1e6))
    write_files(
        (markdown, lambda: ladder_text.markdown(table)),
        (csv, lambda: ladder_text.comma_separated(table)),
        (html, lambda: ladder_text.page(table)),
    )
    if as_json:
        print_json(table)
    else:
        out().print(ladder_text.terminal(table))
        err().print(f"results: {results.run.results}", markup=False, soft_wrap=True)
