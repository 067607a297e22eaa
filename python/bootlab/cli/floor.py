# SPDX-License-Identifier: MIT
"""`bootlab floor`: the least time that a system's goal needs, and what else takes time in its boot."""

from __future__ import annotations

from bootlab.cli.comparison import TableFiles, compare
from bootlab.cli.session import CostedAlone, SystemArgument


def floor(system_file: SystemArgument, *, files: TableFiles, asked: CostedAlone) -> None:
    """Show how far a system is from its limit: the least time that its goal needs, and the largest parts of the rest.

    It boots the system as it is, up to four times, and tries nothing. `bootlab optimize` does the same with its result.
    With --costs the time of a board stands beside the exact one, with its console and its medium as parts of the rest.

    Example: bootlab floor optimized/system.toml
    """
    from bootlab.api.comparisons import FloorOf  # noqa: PLC0415 - `--help` must not wait for it

    compare(system_file, FloorOf(), files, asked, section="floor")
