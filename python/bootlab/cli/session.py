# SPDX-License-Identifier: MIT
"""What every verb shares: its options, where things are kept, how errors end the process, text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.options import DEFAULT_STORE, Argument, Booting, JsonOption, Kept, Option, StoreOption
from bootlab.cli.screen import err, fail, out, print_json, put_line, say
from bootlab.errors import UserError
from bootlab.model.modelled import DEFAULT_BANDWIDTH

# fmt: off
__all__ = ["DEFAULT_STORE", "Booting", "JsonOption", "Kept", "StoreOption", "err", "fail", "out", "print_json",
           "put_line", "say"]
# fmt: on

AllOption = Annotated[
    bool, Option(names=("--all",), help="Also show what made no difference, was not booted, or does not apply.")
]
SystemArgument = Annotated[
    Path, Argument(metavar="SYSTEM.toml", help="The system file. `bootlab new` writes one.", show_default=False)
]
OptionalSystemArgument = Annotated[
    Path | None,
    Argument(metavar="SYSTEM.toml", help="The system file. Not needed with --board.", show_default=False),
]
BoardOption = Annotated[
    Path | None,
    Option(names=("--board",), metavar="BOARD.toml", help="Boot this real board. `bootlab board new` writes the file."),
]

PlaceOption = Annotated[
    list[str] | None,
    Option(
        names=("--place",),
        metavar="PLACE",
        help="With --board: this place of labgrid instead of the one in the board's file; `KEY=VALUE`: all places with "
        "that tag (`KEY=VALUE,KEY=VALUE`: with all of them). Several places boot at once, side by side.",
    ),
]


class Scheduled(Booting):
    """What verbs take whose machines workers can boot."""

    scheduler: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Let the workers of a dask scheduler boot and build kernels: its address (tcp://HOST:8786), or the "
            "file that it wrote (file:PATH). Start them with `bootlab worker ADDRESS`.",
        ),
    ] = None
    share: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="With --scheduler: share files through this URL instead of a folder (s3://BUCKET/PREFIX, file:///FOLDER).",
        ),
    ] = None


CostsOption = Annotated[
    str | None,
    Option(
        names=("--costs",),
        metavar="FILE|WORDS",
        help="Decide by the time of a board: exact time plus what these costs add. Words: a baud rate, a medium "
        "(emmc-hs200, sd-card-20MB), an instruction's time (1.2ns); or a TOML file.",
    ),
]


class Costed(Scheduled):
    """What verbs take that decide by a board's time."""

    costs: CostsOption = None


class CostedHere(Booting):
    """The same for verbs whose boots this machine makes."""

    costs: CostsOption = None


class CostedAlone(Kept):
    """The same for verbs that boot one machine at a time."""

    costs: CostsOption = None


BandwidthOption = Annotated[
    float,
    Option(least=0.001, most=1e6, help="Bandwidth of the boot medium in MB/s, for the modelled load time."),
]
DEFAULT_BANDWIDTH_MB = DEFAULT_BANDWIDTH / 1e6


def system_required(path: Path | None) -> Path:
    """Return the system file. Raise UserError where neither it nor a board is named."""
    if path is None:
        raise UserError(
            "no system is named", hint="name a system file (`bootlab new` writes one), or --board BOARD.toml"
        )
    return path
