# SPDX-License-Identifier: MIT
"""Boards that could not be switched off: whoever ends the process must say so."""

from __future__ import annotations

import sys


def sentences() -> list[str]:
    """Return a line for each board that may still be on; whoever used no board does not load what switches them."""
    boards = sys.modules.get("bootlab.boards.left_on")
    return [] if boards is None else boards.sentences()


def exit_code() -> int:
    """Return the exit code of a process that leaves a board on."""
    from bootlab.boards.left_on import BoardLeftOn

    return BoardLeftOn.exit_code
