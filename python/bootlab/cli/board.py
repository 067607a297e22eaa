"""`bootlab board`: board files, a simulated board, a board beside its exact boot, a board's model."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.board_boot import opened_board
from bootlab.cli.comparison import TableFiles, show
from bootlab.cli.files import write_file
from bootlab.cli.session import JsonOption, Kept, out, print_json, say
from bootlab.cli.verbs import Verbs
from bootlab.errors import UserError

BoardArgument = Annotated[Path, typer.Argument(metavar="BOARD.toml", help="The board file.", show_default=False)]


def new(
    path: Annotated[Path, typer.Argument(metavar="BOARD.toml", help="The file to write.")] = Path("board.toml"),
    *,
    name: Annotated[str, typer.Option(help="The board's name.")] = "board",
    device: Annotated[str, typer.Option(help="The serial device of its console.")] = "/dev/serial/by-id/ADAPTER",
    as_json: JsonOption = False,
) -> None:
    """Write a board file to start from.

    Example: bootlab board new camera.toml --name camera
    """
    from bootlab.systemfile.board_template import board_template  # noqa: PLC0415 - `--help` must not wait for it

    if path.exists():
        raise UserError(f"{path} already exists", hint="name another file: bootlab board new OTHER.toml")
    write_file(path, board_template(name, file=str(path), device=device))
    if as_json:
        print_json({"board": str(path)})
        return
    say(f"wrote {path}; then: bootlab boot --board {path}")


def virtual(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder for its console, its power switch and its board file.")
    ],
    *,
    seed: Annotated[int, typer.Option(help="Random seed: the same seed gives the same boots.")] = 1,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            "--fault",
            metavar="NAME=SHARE",
            help="Make this fault happen in this share of the boots. May be given more than once.",
        ),
    ] = None,
    jitter: Annotated[
        float, typer.Option(min=0, max=1, help="Random variation of every duration, as a share of it.")
    ] = 0.01,
    speed: Annotated[float, typer.Option(min=0.01, max=1000, help="Speed factor: 2 halves the boot time.")] = 1.0,
    baud: Annotated[int, typer.Option(min=50, max=4_000_000, help="Baud rate of its console.")] = 115_200,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Serve the console on this TCP port of 127.0.0.1 (0: any free one), as a serial server does.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="Print this boot log instead of a made-up one.")] = None,
    goal: Annotated[
        str | None,
        typer.Option(
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
    from bootlab.systemfile.board_template import board_template  # noqa: PLC0415
    from bootlab.systemfile.goals import from_log  # noqa: PLC0415
    from bootlab.systemfile.toml_text import quoted  # noqa: PLC0415
    from bootlab.targets.board.virtual import switch  # noqa: PLC0415
    from bootlab.targets.board.virtual.program import VirtualBoard, Wiring  # noqa: PLC0415

    goal = goal or (from_log(log).goal.pattern if log is not None else "camera: ready")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    wiring = Wiring(
        tty=place / "tty",
        control=place / "power",
        truth=place / "truth.jsonl",
        cmdline=place / "cmdline",
        seed=seed,
        baud=baud,
        jitter=jitter,
        speed=speed,
        faults=tuple(_fault(words) for words in fault or ()),
        log=log,
        port=port,
    )
    try:
        made = VirtualBoard(wiring)
    except OSError as refused:
        way_out = "take another --port; 0: any free one" if port else f"ls -ld {place}   (a socket needs a short path)"
        raise UserError(
            f"the board's console or its switch cannot be made in {folder}: {refused.strerror or refused}", hint=way_out
        ) from refused
    words = shlex.join([sys.executable, "-I", "-S", switch.__file__, str(place / "power")])
    text = board_template(
        "virtual", file=str(folder / "board.toml"), device=made.device, on=f"{words} on", off=f"{words} off"
    )
    text = text.replace('console = "login:"', f"console = {quoted(goal)}").replace("off_s = 1.0", "off_s = 0.05")
    text = text.replace("baud = 115200", f"baud = {baud}").replace("stall_s = 60", "stall_s = 5")
    install = f"""[install]\ncmdline = 'printf %s "$BOARD_CMDLINE" > {shlex.quote(str(place / "cmdline"))}'\n\n"""
    (folder / "board.toml").write_text(text.replace("# When a boot is given", f"{install}# When a boot is given"))
    if as_json:
        print_json({"board": str(folder / "board.toml"), "console": made.device, "truth": str(wiring.truth)})
    say(f"a board; in another terminal: bootlab boot --board {folder}/board.toml")
    made.run()


def power(
    board_file: BoardArgument, verb: Annotated[str, typer.Argument(metavar="on|off")], *, as_json: JsonOption = False
) -> None:
    """Switch a board on or off with the commands of its board file.

    Example: bootlab board power board.toml off
    """
    from bootlab.systemfile.board import load_board  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.targets.board.power import CommandPower  # noqa: PLC0415

    found = load_board(board_file).board
    if found.power is None:
        raise UserError(f"{board_file} has no [power]", hint="labgrid-client power on, or ssh HOST reboot")
    if verb not in {"on", "off"}:
        raise UserError(f"{verb!r} is neither on nor off", hint=f"bootlab board power {board_file} off")
    switch = CommandPower(found.power, {"BOARD_NAME": found.name})
    if verb == "on":
        switch.on()
    else:
        switch.off()
    if as_json:
        print_json({"board": found.name, "power": verb})


def compare(
    board_file: BoardArgument,
    system_file: Annotated[
        Path | None,
        typer.Argument(metavar="[SYSTEM.toml]", help="The same system, to boot in QEMU.", show_default=False),
    ] = None,
    *,
    boots: Annotated[int, typer.Option(min=1, max=10_000, help="Boot the board this many times.")] = 5,
    files: TableFiles,
    asked: Kept,
) -> None:
    """Boot a board several times and its system once in QEMU; show the stages of both side by side.

    Example: bootlab board compare board.toml system.toml --boots 10
    """
    with opened_board(board_file, system_file, asked) as there:
        results = there.stages(boots=boots)
    found = results.data.comparison
    if found is not None:
        show(found, files, asked, results)


def model(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="BOOTS.csv", help="A table with the columns name, instructions, bytes, characters, measured_ms."
        ),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Fit a model of a board's boot time to instructions, bytes and characters; predict boots without a measured time.

    Example: bootlab board model boots.csv
    """
    from bootlab.analysis.board_model import fit  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.board_model_text import read_boots, shown  # noqa: PLC0415

    boots = read_boots(table)
    found = fit(boots)
    forecasts = [found.forecast(boot) for boot in boots if boot.measured_ns is None]
    if as_json:
        print_json({"format": "bootlab-boardmodel", "version": 1, "model": found, "forecasts": forecasts})
        return
    out().print(shown(found, forecasts))


def _fault(words: str) -> tuple[str, float]:
    from bootlab.targets.board.virtual.script import FAULTS  # noqa: PLC0415

    name, _, share = words.partition("=")
    try:
        often = float(share or "1")
    except ValueError:
        often = -1.0
    if name not in FAULTS or not 0 <= often <= 1:
        raise UserError(f"--fault {words}: not NAME=SHARE", hint=f"names: {', '.join(FAULTS)}; a share from 0 to 1")
    return name, often


board = Verbs(
    "Real boards: write a board file, practise on a simulated board, switch the power, compare a board with its "
    "system in QEMU, predict its boot time.\n\nExample: bootlab board new board.toml",
    new=new,
    virtual=virtual,
    power=power,
    compare=compare,
    model=model,
)
