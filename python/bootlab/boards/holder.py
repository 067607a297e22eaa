# SPDX-License-Identifier: MIT
"""Who has a board now: a bootlab of this machine, its guard, or whoever acquired its labgrid place. Nothing waits."""

from __future__ import annotations

import contextlib
import os
import pwd
import shlex
from pathlib import Path
from typing import NamedTuple

import msgspec

from bootlab.boards.labgrid_place import place_taken_by
from bootlab.boards.lock import identity_of, lock_is_held, waiting_for
from bootlab.errors import TargetError
from bootlab.model.board_holder import BoardHolder
from bootlab.model.real_board import Board

_COMMAND_CHARS = 200


def holder_of(board: Board) -> BoardHolder:
    """Return who has a board. It asks the lock of this machine, and labgrid's coordinator where the file names one."""
    identity = identity_of(board)
    held, process = lock_is_held(identity)
    taken, note = "", ""
    if board.labgrid is not None:
        try:
            taken = place_taken_by(board.labgrid)
        except TargetError as fault:
            note = f"labgrid does not say who has it: {fault.message}"
    known = _process(process) if held and process is not None else None
    if held and known is None:
        note = note or "the process that took it has ended or is another user's; its guard switches the board off"
    holder = BoardHolder(
        board=board.name,
        reached_by=identity,
        held=held or bool(taken),
        labgrid=taken,
        note=note,
        process=process,
        waiting=waiting_for(identity) if held else (),
    )
    if known is None:
        return msgspec.structs.replace(holder, process=None)
    return msgspec.structs.replace(holder, user=known.user, command=known.command, since=known.since)


class _Process(NamedTuple):
    user: str
    command: str
    since: float


def _process(number: int) -> _Process | None:
    """Return what /proc tells of a process; None of one that has ended (proc_pid_stat(5): field 22, `btime`)."""
    folder = Path(f"/proc/{number}")
    try:
        words = (folder / "cmdline").read_bytes().split(b"\0")[:-1]
        ticks = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[19])
        uid = folder.stat().st_uid
    except (OSError, ValueError, IndexError):
        return None
    if not words:
        return None
    boot = next(
        (int(line.split()[1]) for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime")), 0
    )
    user = str(uid)
    with contextlib.suppress(KeyError):
        user = pwd.getpwuid(uid).pw_name
    command = shlex.join(word.decode(errors="replace") for word in words)[:_COMMAND_CHARS]
    return _Process(user, command, boot + ticks / os.sysconf("SC_CLK_TCK"))
