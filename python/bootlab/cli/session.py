"""What every verb shares: its options, where things are kept, how errors end the process, text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.screen import err, fail, out, print_json
from bootlab.model.modelled import DEFAULT_BANDWIDTH

__all__ = [
    "DEFAULT_STORE",
    "AllOption",
    "JobsOption",
    "JsonOption",
    "StoreOption",
    "SystemArgument",
    "err",
    "fail",
    "out",
    "print_json",
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
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, max=64, help="Boot up to this many machines at a time. Default: one per core, at most 4."
    ),
]
BandwidthOption = Annotated[
    float,
    typer.Option(min=0.001, max=1e6, help="Bandwidth of the boot medium in MB/s, for the modelled load time."),
]
DEFAULT_BANDWIDTH_MB = DEFAULT_BANDWIDTH / 1e6
DEFAULT_STORE = Path(".bootlab")
