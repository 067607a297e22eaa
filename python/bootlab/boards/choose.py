# SPDX-License-Identifier: MIT
"""Which target boots a real board that is within reach."""

from __future__ import annotations

import functools

from bootlab.boards.connection import SerialConnection
from bootlab.boards.target import BoardTarget
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.launch.target import Target
from bootlab.model.real_board import Board


def board_target(board: Board, cache: Cache, builds: BuildObserver | None = None) -> Target:
    """Return the target that reaches a board as its file says. Raise UserError for what does not fit together."""
    if board.ssh is not None:
        from bootlab.boards.remote_host import RemoteHostTarget  # noqa: PLC0415 - one of several ways

        return RemoteHostTarget(board, board.ssh, cache, builds)
    if board.labgrid is not None:
        from bootlab.boards.labgrid_place import LabgridConnection  # noqa: PLC0415 - needs the extra

        return BoardTarget(board, cache, functools.partial(LabgridConnection, board), builds)
    SerialConnection(board)
    return BoardTarget(board, cache, functools.partial(SerialConnection, board), builds)
