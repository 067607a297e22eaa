# SPDX-License-Identifier: MIT
"""`bootlab console`: what a serial line of some baud rate costs, or a screen, and what quiet saves."""

from __future__ import annotations

from typing import Annotated

import msgspec

from bootlab.cli.comparison import TableFiles, end, show
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option, technique_ids
from bootlab.cli.session import Kept, SystemArgument

_LEAST_BAUD = 1_200
_MOST_BAUD = 4_000_000


def console(
    system_file: SystemArgument,
    techniques: Annotated[
        list[str] | None,
        Argument(
            metavar="[TECHNIQUE]...",
            help="Techniques that quiet the console. Default: quiet.",
            show_default=False,
            complete=technique_ids,
        ),
    ] = None,
    *,
    baud: Annotated[
        list[int] | None,
        Option(
            least=_LEAST_BAUD,
            most=_MOST_BAUD,
            help="Rate of a line in bits per second. May be given more than once. Default: 9600, 115200, 1500000.",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[int, Option(least=1, most=100, help="Boot each system this many times on each line.")] = 5,
    seed: Annotated[int, Option(help="Seed of the random order of the boots.")] = 1,
    screen: Annotated[bool, Option(help="Measure a VGA screen as second console instead of serial lines.")] = False,
    files: TableFiles,
    asked: Kept,
) -> None:
    """Show what a console costs: on serial lines of several rates, or with a screen beside it.

    Serial lines: the system boots in free mode, whatever its file says. Its port is read no faster than a real line
    carries characters, so that the guest waits as on a board. The table shows medians, and how well characters x 10 /
    baud predicts them. --screen: a PC in exact mode, with and without VGA as a second console, with and without quiet.

    Exit code 4: a system does not boot.

    Example: bootlab console system.toml quiet --baud 115200 --rounds 9
    """
    # `--help` must not wait for it.
    from bootlab.api.comparisons import BAUDS, ConsolePace, ConsoleScreen  # noqa: PLC0415

    asked.jobs = None if screen else 1
    with opened(system_file, asked) as system:
        if screen:
            results = system.compare(ConsoleScreen())
        else:
            clock = msgspec.structs.replace(system.value.clock, mode="free")
            free = system.like(msgspec.structs.replace(system.value, clock=clock))
            pace = ConsolePace(*(techniques or ()), bauds=tuple(baud or BAUDS), rounds=rounds, seed=seed)
            results = free.compare(pace)
    found = results.comparison
    kind = "console-screen" if screen else "console-pace"
    show(found, files, asked, results, section=f"{kind}-{found.system}")
    end(found)
