"""`bootlab fs`: one root tree in every file system that kernel and machine can read, each booted."""

from __future__ import annotations

from typing import Annotated

import typer

from bootlab.cli.comparison import CsvOption, HtmlOption, MarkdownOption, show
from bootlab.cli.open_system import opened
from bootlab.cli.session import (
    DEFAULT_BANDWIDTH_MB,
    DEFAULT_STORE,
    AllOption,
    BandwidthOption,
    JobsOption,
    JsonOption,
    StoreOption,
    SystemArgument,
)
from bootlab.errors import UserError


def fs(
    system_file: SystemArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROW]...",
            help="Rows to make, such as cramfs-xip or ramdisk-ext2-lz4. Default: all.",
            show_default=False,
        ),
    ] = None,
    *,
    markdown: MarkdownOption = None,
    csv: CsvOption = None,
    html: HtmlOption = None,
    bandwidth: BandwidthOption = DEFAULT_BANDWIDTH_MB,
    jobs: JobsOption = None,
    everything: AllOption = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Pack the system's root tree as CRAMFS, ROMFS, SquashFS, EROFS, ext2, XFS … and boot each; print sizes and times.

    Making the images needs no root rights and always gives the same bytes. Boots are kept: a rerun only prints. The
    section [storage] of the system file says where a root file system can be. Exit code 2: the tree fits into none.

    Example: bootlab fs camera.toml --markdown file-systems.md
    """
    from bootlab.experiments.filesystems import Filesystems  # noqa: PLC0415 - `--help` must not wait for it

    experiment = Filesystems(*(ids or ()), bandwidth_bytes_per_s=round(bandwidth * 1e6))
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.compare(experiment)
    found = results.comparison
    show(found, results, markdown=markdown, csv=csv, html=html, everything=everything, as_json=as_json)
    if not found.rows:
        raise typer.Exit(UserError.exit_code)
