# SPDX-License-Identifier: MIT
"""`bootlab ladder`: every kernel technique on one system, as the table of time and size that people know."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.comparison import TableFiles, show
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, technique_ids
from bootlab.cli.session import DEFAULT_BANDWIDTH_MB, BandwidthOption, CostedHere, SystemArgument


def ladder(
    system_file: SystemArgument,
    ids: Annotated[
        list[str] | None,
        Argument(
            metavar="[ID]...",
            help="Techniques to try. Default: all that apply.",
            show_default=False,
            complete=technique_ids,
        ),
    ] = None,
    *,
    files: TableFiles,
    bandwidth: BandwidthOption = DEFAULT_BANDWIDTH_MB,
    asked: CostedHere,
) -> None:
    """Try all techniques for image, kernel, initramfs and storage; print time and size of each next to published gains.

    Kernels and boots are kept: after an interruption the same command continues, and a rerun only prints.

    Example: bootlab ladder camera.toml --markdown ladder.md
    """
    with opened(system_file, asked) as system:
        results = system.ladder(*(ids or ()), bandwidth_bytes_per_s=round(bandwidth * 1e6))
    show(results.comparison, files, asked, results)
