"""`bootlab ladder`: every kernel technique on one system, as the table of time and size that people know."""

from __future__ import annotations

from typing import Annotated

import typer

from bootlab.cli.comparison import CsvOption, HtmlOption, MarkdownOption, show
from bootlab.cli.open_system import opened
from bootlab.cli.session import (
    DEFAULT_BANDWIDTH_MB,
    DEFAULT_STORE,
    BandwidthOption,
    JobsOption,
    JsonOption,
    StoreOption,
    SystemArgument,
)


def ladder(
    system_file: SystemArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Techniques to try. Default: all that apply.", show_default=False),
    ] = None,
    *,
    markdown: MarkdownOption = None,
    csv: CsvOption = None,
    html: HtmlOption = None,
    bandwidth: BandwidthOption = DEFAULT_BANDWIDTH_MB,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Try all techniques for image, kernel, initramfs and storage; print time and size of each next to published gains.

    Kernels and boots are kept: after an interruption the same command continues, and a rerun only prints.

    Example: bootlab ladder camera.toml --markdown ladder.md
    """
    from bootlab import techniques  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.experiments import ladder as table  # noqa: PLC0415

    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.try_(*ids) if ids else system.try_(stages=table.STAGES)
    base = results.base
    found = table.ladder(
        results.data.system_name,
        base.clock,
        (base.goal_ns, base.artefact_bytes),
        results.data.trials,
        techniques.get,
        bandwidth_bytes_per_s=round(bandwidth * 1e6),
    )
    show(found, results, markdown=markdown, csv=csv, html=html, as_json=as_json)
