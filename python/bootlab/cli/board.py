# SPDX-License-Identifier: MIT
"""`bootlab board`: board files, a simulated board, a board beside its exact boot, its model, its costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.board_boot import opened_board
from bootlab.cli.board_calibrate import calibrate
from bootlab.cli.board_health import health
from bootlab.cli.comparison import TableFiles, show
from bootlab.cli.files import write_file
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import JsonOption, Kept, out, print_json, say
from bootlab.cli.verbs import Verbs
from bootlab.errors import UserError

BoardArgument = Annotated[Path, Argument(metavar="BOARD.toml", help="The board file.", show_default=False)]


def new(
    path: Annotated[Path, Argument(metavar="BOARD.toml", help="The file to write.")] = Path("board.toml"),
    *,
    name: Annotated[str, Option(help="The board's name.")] = "board",
    device: Annotated[str, Option(help="The serial device of its console.")] = "/dev/serial/by-id/ADAPTER",
    as_json: JsonOption = False,
) -> None:
    """Write a board file to start from.

    Example: bootlab board new camera.toml --name camera
    """
    from bootlab.api.boards import board_template  # noqa: PLC0415 - `--help` must not wait for it

    if path.exists():
        raise UserError(f"{path} already exists", hint="name another file: bootlab board new OTHER.toml")
    write_file(path, board_template(name, file=str(path), device=device))
    if as_json:
        print_json({"board": str(path)})
        return
    say(f"wrote {path}; then: bootlab boot --board {path}")


def virtual(
    folder: Annotated[
        Path, Argument(metavar="FOLDER", help="Folder for its console, its power switch and its board file.")
    ],
    *,
    seed: Annotated[int, Option(help="Random seed: the same seed gives the same boots.")] = 1,
    fault: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=SHARE", help="Make this fault happen in this share of the boots. May be given more than once."
        ),
    ] = None,
    jitter: Annotated[
        float, Option(least=0, most=1, help="Random variation of every duration, as a share of it.")
    ] = 0.01,
    speed: Annotated[float, Option(least=0.01, most=1000, help="Speed factor: 2 halves the boot time.")] = 1.0,
    baud: Annotated[int, Option(least=50, most=4_000_000, help="Baud rate of its console.")] = 115_200,
    port: Annotated[
        int | None,
        Option(
            least=0,
            most=65535,
            help="Serve the console on this TCP port of 127.0.0.1 (0: any free one), as a serial server does.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[Path | None, Option(help="Print this boot log instead of a made-up one.")] = None,
    goal: Annotated[
        str | None,
        Option(
            metavar="PATTERN",
            help="The goal to write into board.toml. Default: what the log ends with.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a board: console on a pseudo-terminal or TCP port, power switch, faults, a log of what really happened.

    Ctrl-C ends it.

    Example: bootlab board virtual board --fault hang=0.05 --fault baud=0.02
    """
    from bootlab.api.boards import simulate  # noqa: PLC0415

    made = simulate(
        folder,
        seed=seed,
        faults=fault or (),
        jitter=jitter,
        speed=speed,
        baud=baud,
        port=port,
        log=log,
        goal=goal,
    )
    if as_json:
        print_json({"board": str(made.board_file), "console": made.program.device, "truth": str(made.truth)})
    say(f"a board; in another terminal: bootlab boot --board {folder}/board.toml")
    made.program.run()


def power(
    board_file: BoardArgument, verb: Annotated[str, Argument(metavar="on|off")], *, as_json: JsonOption = False
) -> None:
    """Switch a board on or off with the commands of its board file.

    Example: bootlab board power board.toml off
    """
    from bootlab.api.boards import switch_power  # noqa: PLC0415

    if verb not in {"on", "off"}:
        raise UserError(f"{verb!r} is neither on nor off", hint=f"bootlab board power {board_file} off")
    name = switch_power(board_file, "on" if verb == "on" else "off")
    if as_json:
        print_json({"board": name, "power": verb})


def who(
    board_files: Annotated[list[Path], Argument(metavar="BOARD.toml...", help="The board files.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Say who has each board now: a bootlab of this machine, or whoever acquired its labgrid place. It does not wait.

    Example: bootlab board who boards/*.toml
    """
    from bootlab.api.boards import who_has  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.board_holder_text import holder_line  # noqa: PLC0415

    holders = [who_has(file) for file in board_files]
    if as_json:
        print_json({"format": "bootlab-board-holders", "version": 1, "boards": holders})
        return
    for holder in holders:
        out().print(holder_line(holder), highlight=False)


def compare(
    board_file: BoardArgument,
    system_file: Annotated[
        Path | None,
        Argument(metavar="[SYSTEM.toml]", help="The same system, to boot in QEMU.", show_default=False),
    ] = None,
    *,
    boots: Annotated[int, Option(least=1, most=10_000, help="Boot the board this many times.")] = 5,
    costing: Annotated[
        str | None,
        Option(
            metavar="CORE|FILE",
            help="Forecast each stage first, with this core or file of costs, and say whether the board lies within.",
            show_default=False,
        ),
    ] = None,
    initcalls: Annotated[
        bool,
        Option(
            help="With --costing: forecast each long initcall too; initcall_debug on the board's command line times it."
        ),
    ] = False,
    files: TableFiles,
    asked: Kept,
) -> None:
    """Boot a board several times and its system once in QEMU; show the stages of both side by side.

    Example: bootlab board compare board.toml system.toml --boots 10
    """
    if initcalls and costing is None:
        raise UserError("--initcalls is a part of a forecast", hint="--costing CORE --initcalls")
    with opened_board(board_file, system_file, asked) as there:
        results = there.stages(boots=boots, costing=costing, initcalls=initcalls)
    found = results.data.comparison
    if found is not None:
        show(found, files, asked, results)


def model(
    table: Annotated[
        Path,
        Argument(
            metavar="BOOTS.csv", help="A table with the columns name, instructions, bytes, characters, measured_ms."
        ),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Fit a model of a board's boot time to instructions, bytes and characters; predict boots without a measured time.

    Example: bootlab board model boots.csv
    """
    from bootlab.api.boards import fit  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.board_model_text import read_boots, shown  # noqa: PLC0415

    boots = read_boots(table)
    found = fit(boots)
    forecasts = [found.forecast(boot) for boot in boots if boot.measured_ns is None]
    if as_json:
        print_json({"format": "bootlab-boardmodel", "version": 1, "model": found, "forecasts": forecasts})
        return
    out().print(shown(found, forecasts))


board = Verbs(
    "Real boards: write a board file, practise on a simulated board, switch the power, see who has a board and "
    "which is ill, compare a "
    "board with its system in QEMU, predict its boot time, measure what its parts take.\n\n"
    "Example: bootlab board new board.toml",
    new=new,
    virtual=virtual,
    power=power,
    who=who,
    health=health,
    compare=compare,
    model=model,
    calibrate=calibrate,
)
