# SPDX-License-Identifier: MIT
"""What becomes of a boot whose console or stamps the store's disk could not take: it shows nothing of the system."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import msgspec

from bootlab.launch.ending import Decided, Ending
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings.stamps import Written

LOST_STAMPS = (
    "the times of the console's end, the goal's too if there is none: the disk had no room for more stamps (free space "
    "in the store's folder and boot again)"
)
NOT_COUNTED = "whether the console has a hole: nothing counted what QEMU wrote to it"
_LEAST_ROOM_BYTES = 64 << 10
"""With less of it a console may have been cut off."""


def held_to_what_was_written(
    decided: Decided, system: SystemDescription, written: Written | None, file_bytes: int
) -> Decided:
    """Return the ending; the host's where the console's file is not exactly as long as what the guest wrote.

    What was seen in such a console counts for nothing: goal, check and marks may lie in the hole.
    """
    hole = written.hole(file_bytes) if written is not None else ""
    if not hole or decided.ending.outcome is Outcome.INTERRUPTED:
        return decided
    nothing = ConsoleWatch(None, system)
    nothing.size_bytes = min(decided.watch.size_bytes, file_bytes)
    # Of a board that could not be switched off that is said first.
    on = decided.ending.outcome is Outcome.LEFT_ON
    ending = decided.ending if on else Ending(Outcome.CONSOLE_INCOMPLETE, hole, host_limit=True)
    return msgspec.structs.replace(decided, ending=ending, watch=nothing, known_ns=None, stopped="")


def require_room(recording: Recording, folder: Path) -> None:
    """Raise OSError for a boot that came to no goal, or to none with a time, on a disk without room."""
    meta = recording.meta
    if (recording.ok and meta.goal_ns is not None) or meta.outcome is Outcome.INTERRUPTED:
        return
    if LOST_STAMPS in meta.lacks or shutil.disk_usage(folder).free < _LEAST_ROOM_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
