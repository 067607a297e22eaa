# SPDX-License-Identifier: MIT
"""`bootlab fs`: one root tree in every file system that kernel and machine can read, each booted."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.comparison import TableFiles, compare
from bootlab.cli.options import Argument
from bootlab.cli.session import DEFAULT_BANDWIDTH_MB, AllOption, BandwidthOption, CostedHere, SystemArgument
from bootlab.errors import UserError


def fs(
    system_file: SystemArgument,
    ids: Annotated[
        list[str] | None,
        Argument(
            metavar="[ROW]...",
            help="Rows to make, such as cramfs-xip or ramdisk-ext2-lz4. Default: all.",
            show_default=False,
        ),
    ] = None,
    *,
    files: TableFiles,
    bandwidth: BandwidthOption = DEFAULT_BANDWIDTH_MB,
    everything: AllOption = False,
    asked: CostedHere,
) -> None:
    """Pack the system's root tree as CRAMFS, ROMFS, SquashFS, EROFS, ext2, XFS … and boot each; print sizes and times.

    Making the images needs no root rights and always gives the same bytes. Boots are kept: a rerun only prints. The
    section [storage] of the system file says where a root file system can be. With --costs each row also has the time
    of a board, and the rate from which on it pays. Exit code 2: the tree fits into none.

    Example: bootlab fs camera.toml --markdown file-systems.md
    """
    from bootlab.api.comparisons import Filesystems  # noqa: PLC0415 - `--help` must not wait for it

    experiment = Filesystems(*(ids or ()), bandwidth_bytes_per_s=round(bandwidth * 1e6))
    if not compare(system_file, experiment, files, asked, everything=everything).rows:
        raise SystemExit(UserError.exit_code)
