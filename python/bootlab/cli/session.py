"""What every verb shares: its options, where things are kept, how errors end the process, text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.options import DEFAULT_STORE, Booting, JsonOption, Kept, Option, StoreOption
from bootlab.cli.screen import err, fail, out, print_json, put_line, say
from bootlab.errors import UserError
from bootlab.model.modelled import DEFAULT_BANDWIDTH

# fmt: off
__all__ = ["DEFAULT_STORE", "Booting", "JsonOption", "Kept", "StoreOption", "err", "fail", "out", "print_json",
           "put_line", "say"]
# fmt: on

AllOption = Annotated[
    bool, typer.Option("--all", help="Also show what made no difference, was not booted, or does not apply.")
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


class Scheduled(Booting):
    """What verbs take whose machines workers can boot."""

    scheduler: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Let workers boot and build kernels: those of a dask scheduler (tcp://HOST:8786), which share store "
            "and cache, or those of a shared folder (folder:PATH; start them with `bootlab worker PATH`).",
        ),
    ] = None
    share: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="With --scheduler: share files through this URL instead of a folder (s3://BUCKET/PREFIX, file:///FOLDER).",
        ),
    ] = None


BandwidthOption = Annotated[
    float,
    typer.Option(min=0.001, max=1e6, help="Bandwidth of the boot medium in MB/s, for the modelled load time."),
]
DEFAULT_BANDWIDTH_MB = DEFAULT_BANDWIDTH / 1e6


def system_required(path: Path | None) -> Path:
    """Return the system file. Raise UserError where neither it nor a board is named."""
    if path is None:
        raise UserError(
            "no system is named", hint="name a system file (`bootlab new` writes one), or --board BOARD.toml"
        )
    return path
