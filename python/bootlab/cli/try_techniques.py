# SPDX-License-Identifier: MIT
"""`bootlab try`: boot a system with and without each technique."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option, technique_ids
from bootlab.cli.run_view import show_run
from bootlab.cli.screen import program
from bootlab.cli.session import AllOption, BoardOption, Costed, OptionalSystemArgument, PlaceOption, system_required
from bootlab.errors import UserError


class TechniqueCost(enum.StrEnum):
    """What a technique may cost beyond time."""

    FUNCTION = "function"
    SECURITY = "security"
    RUNTIME = "runtime"


IdsArgument = Annotated[
    list[str] | None,
    Argument(
        metavar="[ID]...",
        help="Techniques to try, even if they seem not to apply; ID:LABEL: one variant. Default: all that apply.",
        show_default=False,
        complete=technique_ids,
    ),
]
AllowOption = Annotated[
    list[TechniqueCost] | None,
    Option(
        names=("--allow",),
        help="Also stack techniques that cost `function`, `security` or `runtime`. May be given more than once.",
    ),
]
HtmlReportOption = Annotated[Path | None, Option(names=("--html",), help="Write the HTML report to this file too.")]
AlsoOption = Annotated[
    list[str] | None,
    Option(
        names=("--also",),
        metavar="ID",
        help="Also stack this technique, whatever it costs. May be given more than once.",
        complete=technique_ids,
    ),
]


def try_(
    system_file: OptionalSystemArgument = None,
    ids: IdsArgument = None,
    *,
    board: BoardOption = None,
    place: PlaceOption = None,
    both: Annotated[bool, Option(help="With --board: try in QEMU too, and show both verdicts side by side.")] = False,
    inexact: Annotated[
        bool,
        Option(help="If boots of the same system differ, continue and judge as in free mode."),
    ] = False,
    blocks: Annotated[int, Option(least=3, most=1000, help="Free mode and --inexact: number of blocks of boots.")] = 7,
    seed: Annotated[int, Option(help="Free mode and --inexact: seed of the random order.")] = 1,
    html: HtmlReportOption = None,
    everything: AllOption = False,
    asked: Costed,
) -> None:
    """Try techniques one by one: boot with and without, prove the effect, give a verdict.

    Example: bootlab try camera.toml quiet crypto-selftests
    """
    if board is not None:
        if asked.scheduler is not None:
            raise UserError("a scheduler's workers cannot boot a board", hint="leave --scheduler out")
        if asked.costs is not None:
            raise UserError("a real board's times hold its costs already", hint="leave --costs or --board out")
        from bootlab.cli.board_boot import try_board  # noqa: PLC0415 - most tries are QEMU's
        from bootlab.cli.board_places import places_of, try_places  # noqa: PLC0415

        named = ids or []
        if system_file is not None and system_file.suffix != ".toml":
            # Without a system file the first word is a technique's.
            system_file, named = None, [str(system_file), *named]
        places = places_of(board, place)
        if len(places) > 1:
            if both or html is not None:
                raise UserError(
                    "--both and --html are for one place", hint="bootlab report RUN --html FILE, a run a place"
                )
            raise SystemExit(try_places(board, system_file, named, asked, places, blocks=blocks, seed=seed))
        try_board(
            board,
            system_file,
            tuple(named),
            asked,
            blocks=blocks,
            seed=seed,
            both=both,
            html=html,
            everything=everything,
            place=places[0] if places else None,
        )
        return
    if place:
        raise UserError("--place is of a board's labgrid", hint="--board BOARD.toml --place NAME")
    system_file = system_required(system_file)
    with opened(system_file, asked) as system:
        results = system.try_(*ids or (), blocks=blocks, seed=seed, inexact=inexact)
    following = f"{program()} stack {system_file}{asked.store_words}{asked.costs_words}"
    if html is None:
        following = f"{program()} report {results.id}{asked.store_words} --html try.html   or: {following}"
    show_run(
        results,
        asked,
        f"results: {results.run.results}",
        f"next: {following}",
        html=html,
        everything=everything,
        named=tuple(ids or ()),
    )
