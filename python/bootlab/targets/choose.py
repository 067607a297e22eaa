# SPDX-License-Identifier: MIT
"""Which target boots a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.launch.target import Target
from bootlab.model.real_board import Board
from bootlab.model.system import SystemDescription
from bootlab.targets.qemu import QemuTarget
from bootlab.targets.replay import ReplayTarget

if TYPE_CHECKING:
    from bootlab.builders.kbuild.elsewhere import BuiltElsewhere


def target_for(
    system: SystemDescription,
    cache: Cache,
    watch: tuple[str, ...] = (),
    builds: BuildObserver | None = None,
    elsewhere: BuiltElsewhere | None = None,
) -> Target:
    """Return the target that the system names: a real board, `qemu`, `replay`, or one that a package registered.

    `watch`: kernel functions whose first instruction is to be marked, where the target can. `builds` is told of kernels
    that are built; `elsewhere` builds them, where the target is an emulator.

    Third parties register a callable taking the cache under the entry point group `bootlab.targets`.
    """
    if system.board is not None:
        return _of_board(system, system.board, cache, builds)
    if system.target == "qemu":
        return QemuTarget(cache, watch, builds, elsewhere)
    if system.target == "replay":
        return ReplayTarget(system, cache)
    from importlib.metadata import entry_points  # noqa: PLC0415 - most systems are QEMU's

    for point in entry_points(group="bootlab.targets"):
        if point.name == system.target:
            target: Target = point.load()(cache)
            return target
    known = ["qemu", "replay", *sorted(p.name for p in entry_points(group="bootlab.targets"))]
    raise UserError(f"there is no target {system.target!r}", hint=f"known targets: {', '.join(known)}")


def _of_board(system: SystemDescription, board: Board, cache: Cache, builds: BuildObserver | None) -> Target:
    if board.recordings is not None:
        return ReplayTarget(msgspec.structs.replace(system, recordings=board.recordings), cache)
    from bootlab.boards.choose import board_target  # noqa: PLC0415 - most systems are QEMU's

    return board_target(board, cache, builds)
