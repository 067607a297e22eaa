# SPDX-License-Identifier: MIT
"""Real boards and the simulated one: their files, their power switch, a model of their boot time."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from bootlab.errors import UserError
from bootlab.systemfile.board_template import board_template

if TYPE_CHECKING:
    from bootlab.analysis.board_model import BoardModel, ModelledBoot
    from bootlab.boards.virtual.program import VirtualBoard
    from bootlab.model.board_holder import BoardHolder

__all__ = ["Simulated", "board_template", "fit", "simulate", "switch_power", "who_has"]


class Simulated(NamedTuple):
    """A simulated board that waits to be switched on; `program.run` lets it live until it is interrupted."""

    program: VirtualBoard
    board_file: Path
    truth: Path


def simulate(
    folder: Path,
    *,
    seed: int = 1,
    faults: Sequence[str] = (),
    jitter: float = 0.01,
    speed: float = 1.0,
    baud: int = 115_200,
    port: int | None = None,
    log: Path | None = None,
    goal: str | None = None,
) -> Simulated:
    """Make a board of a console on a pseudo-terminal or TCP port, a power switch and faults (`hang=0.05`: a share).

    `log`: what it prints; `goal`: of its board file (default: what the log ends with). Raise UserError.
    """
    from bootlab.boards.virtual import switch
    from bootlab.boards.virtual.program import VirtualBoard, Wiring
    from bootlab.systemfile.goals import from_log
    from bootlab.systemfile.toml_text import quoted

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
        faults=tuple(_fault(words) for words in faults),
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
    file = folder / "board.toml"
    text = board_template("virtual", file=str(file), device=made.device, on=f"{words} on", off=f"{words} off")
    text = text.replace('console = "login:"', f"console = {quoted(goal)}").replace("off_s = 1.0", "off_s = 0.05")
    text = text.replace("baud = 115200", f"baud = {baud}").replace("stall_s = 60", "stall_s = 5")
    install = f"""[install]\ncmdline = 'printf %s "$BOARD_CMDLINE" > {shlex.quote(str(place / "cmdline"))}'\n\n"""
    file.write_text(text.replace("# When a boot is given", f"{install}# When a boot is given"))
    return Simulated(made, file, wiring.truth)


def _fault(words: str) -> tuple[str, float]:
    from bootlab.boards.virtual.script import FAULTS

    name, _, share = words.partition("=")
    try:
        often = float(share or "1")
    except ValueError:
        often = -1.0
    if name not in FAULTS or not 0 <= often <= 1:
        raise UserError(f"--fault {words}: not NAME=SHARE", hint=f"names: {', '.join(FAULTS)}; a share from 0 to 1")
    return name, often


def switch_power(board_file: Path, state: Literal["on", "off"]) -> str:
    """Switch a board with the commands of its file; return its name. Raise BoardLeftOn where off did not work."""
    from bootlab.boards.left_on import BoardLeftOn
    from bootlab.boards.power import CommandPower, PowerFailed
    from bootlab.boards.switching import Switch
    from bootlab.systemfile.board import load_board

    board = load_board(board_file).board
    if board.power is None:
        raise UserError(f"{board_file} has no [power]", hint="labgrid-client power on, or ssh HOST reboot")
    switch = Switch(board.name, CommandPower(board.power, {"BOARD_NAME": board.name}))
    if state == "on":
        switch.on()
        return board.name
    try:
        switch.off()
    except PowerFailed as fault:
        raise BoardLeftOn(fault.message, hint=fault.hint) from fault
    return board.name


def who_has(board_file: Path) -> BoardHolder:
    """Return who has a board now: a bootlab of this machine, or whoever acquired its place. Raise UserError."""
    from bootlab.boards.holder import holder_of
    from bootlab.systemfile.board import load_board

    return holder_of(load_board(board_file).board)


def fit(boots: Sequence[ModelledBoot]) -> BoardModel:
    """Fit a model of a board's boot time to instructions, bytes and characters. Raise UserError."""
    from bootlab.analysis import board_model

    return board_model.fit(boots)
