"""`bootlab fs`: one root tree in every file system that kernel and machine can read, each booted."""

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
    out,
    print_json,
)
from bootlab.cli.writing import write_files
from bootlab.errors import UserError


def fs(
    system_file: SystemArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROW]...",
            help="Only these rows, as cramfs-xip or ramdisk-ext2-lz4; none: all.",
            show_default=False,
        ),
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
    """Pack the system's tree as CRAMFS, ROMFS, SquashFS, EROFS, ext2, XFS … and boot each; print sizes and times.

    Images are made without root, always to the same bytes. Boots are kept: a rerun only prints. The system file's
    [storage] says where a root can lie. Exit code 2 when the tree goes into none of them.

    Example: bootlab fs camera.toml --markdown file-systems.md
    """
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        found = system.filesystems(*(ids or ()))
    from bootlab.report import filesystems_text  # noqa: PLC0415
    from bootlab.report.filesystem_load import with_load  # noqa: PLC0415

    found = with_load(found, bandwidth_bytes_per_s=round(bandwidth * 1e6))
    write_files(
        (markdown, lambda: filesystems_text.markdown(found)),
        (csv, lambda: filesystems_text.comma_separated(found)),
        (html, lambda: filesystems_text.page(found)),
    )
    if as_json:
        print_json(found)
    else:
        out().print(filesystems_text.terminal(found))
    if not found.rows:
        raise typer.Exit(UserError.exit_code)
