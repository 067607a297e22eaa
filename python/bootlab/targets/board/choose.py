"""Which target boots a real board."""

from __future__ import annotations

import functools

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.model.real_board import Board
from bootlab.model.system import System
from bootlab.targets.base import Target
from bootlab.targets.board.connection import SerialConnection
from bootlab.targets.board.target import BoardTarget
from bootlab.targets.replay import ReplayTarget


def board_target(board: Board, cache: Cache, system: System, builds: BuildObserver | None = None) -> Target:
    """Return the target that reaches a board as its file says. Raise UserError for what does not fit together."""
    if board.recordings is not None:
        return ReplayTarget(msgspec.structs.replace(system, recordings=board.recordings), cache)
    if board.ssh is not None:
        from bootlab.targets.board.remote_host import RemoteHostTarget  # noqa: PLC0415 - one of several ways

        return RemoteHostTarget(board, board.ssh, cache, builds)
    if board.labgrid is not None:
        from bootlab.targets.board.labgrid_place import LabgridConnection  # noqa: PLC0415 - needs the extra

        return BoardTarget(board, cache, functools.partial(LabgridConnection, board), builds)
    SerialConnection(board)
    return BoardTarget(board, cache, functools.partial(SerialConnection, board), builds)
