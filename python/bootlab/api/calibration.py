# SPDX-License-Identifier: MIT
"""Measure a board: a file of costs from what bootlab's program finds on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.costs.calibration.document import Calibrated
    from bootlab.model.architecture import Arch


def calibrate_program(arch: str | None = None) -> Path:
    """Return the program that measures a board, built for an architecture (None: this machine's).

    Raise UserError, ToolMissing or EnvironmentFault.
    """
    from bootlab.builders import calibrate_program as program
    from bootlab.builders.guest_program import host_arch
    from bootlab.model.architecture import ARCHITECTURES

    if arch is not None and arch not in ARCHITECTURES:
        raise UserError(f"there is no architecture {arch[:40]!r}", hint=f"known: {', '.join(ARCHITECTURES)}")
    known: dict[str, Arch] = {facts.name: facts.name for facts in ARCHITECTURES.values()}
    return program.calibrate_program(host_arch() if arch is None else known[arch])


def calibrate(
    board_file: Path | None = None,
    *,
    host: str | None = None,
    medium: str | None = None,
    quick: bool = False,
    told: Callable[[str], None] | None = None,
) -> bytes:
    """Run the program on a board and return what it printed; without a board and a host: on this machine.

    `host`: as ssh takes it; `medium`: a file or a block device there, to be read. Raise TargetError or UserError.
    """
    from bootlab.boards import calibration
    from bootlab.model.real_board import RemoteHost
    from bootlab.systemfile.board import load_board

    tell = told or (lambda _text: None)
    words = (*(("--quick",) if quick else ()), *(("--medium", medium) if medium is not None else ()))
    if host is not None:
        return calibration.run_over_ssh(RemoteHost(host=host), words, tell)
    if board_file is None:
        return calibration.run_here(words)
    board = load_board(board_file).board
    if board.ssh is not None:
        return calibration.run_over_ssh(board.ssh, words, tell)
    return calibration.run_on_console(board, words, tell)


def calibrated(output: bytes) -> Calibrated:
    """Return what a program's output says of its board. Raise UserError for one that says nothing."""
    from bootlab.costs.calibration.document import calibrated as of_lines
    from bootlab.costs.calibration.lines import read_lines

    return of_lines(read_lines(output))
