"""What every verb shares: its options, where things are kept, how errors end the process, text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.screen import err, fail, out, print_json
from bootlab.errors import UserError
from bootlab.model.modelled import DEFAULT_BANDWIDTH

__all__ = [
    "DEFAULT_STORE",
    "AllOption",
    "BoardOption",
    "JobsOption",
    "JsonOption",
    "OptionalSystemArgument",
    "SchedulerOption",
    "ShareOption",
    "StoreOption",
    "SystemArgument",
    "err",
    "fail",
    "out",
    "print_json",
    "system_required",
]

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else.")
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Show also what made no difference, was not booted, or does not apply.")
]
StoreOption = Annotated[
    Path,
    typer.Option("--store", envvar="BOOTLAB_STORE", help="Folder for recordings and runs.", show_default=True),
]
SystemArgument = Annotated[
    Path, typer.Argument(metavar="SYSTEM.toml", help="The system file. `bootlab new` writes one.", show_default=False)
]
OptionalSystemArgument = Annotated[
    Path | None,
    typer.Argument(metavar="SYSTEM.toml", help="The system file. Not needed with --board.", show_default=False),
]
BoardOption = Annotated[
    Path | None,
    typer.Option("--board", metavar="BOARD.toml", help="Boot this real board. `bootlab board new` writes the file."),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, max=64, help="Boot up to this many machines at a time. Default: one per core, at most 4."
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Let the workers of this dask scheduler boot (tcp://HOST:8786). They share store and cache.",
    ),
]
ShareOption = Annotated[
    str | None,
    typer.Option(
        "--share",
        metavar="URL",
        help="With --scheduler: the workers share no folder, but this URL (s3://BUCKET/PREFIX, file:///FOLDER).",
    ),
]
BandwidthOption = Annotated[
    float,
    typer.Option(min=0.001, max=1e6, help="Bandwidth of the boot medium in MB/s, for the modelled load time."),
]
DEFAULT_BANDWIDTH_MB = DEFAULT_BANDWIDTH / 1e6
DEFAULT_STORE = Path(".bootlab")


def system_required(path: Path | None) -> Path:
    """Return the system file. Raise UserError where neither it nor a board is named."""
    if path is None:
        raise UserError("which system?", hint="name a system file (`bootlab new` writes one), or --board BOARD.toml")
    return path
