# SPDX-License-Identifier: MIT
"""Which boards this bootlab could not switch off: whoever ends the process must say so."""

from __future__ import annotations

from bootlab.errors import TargetError
from bootlab.model.recording import Outcome

_LEFT: dict[str, str] = {}


class BoardLeftOn(TargetError):
    """A board may still be on, and what happened besides matters less."""

    exit_code = Outcome.LEFT_ON.exit_code


def remember(board: str, why: str) -> None:
    """Keep that a board could not be switched off; an empty reason: it is off now."""
    if why:
        _LEFT[board] = why
    else:
        _LEFT.pop(board, None)


def boards() -> dict[str, str]:
    """Return the boards that may still be on, and why."""
    return dict(_LEFT)


def sentences() -> list[str]:
    """Return a line for each board that may still be on."""
    return [f"THE BOARD {name} MAY STILL BE ON: {why}" for name, why in sorted(_LEFT.items())]
