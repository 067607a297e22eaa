# SPDX-License-Identifier: MIT
"""A board, and who has it."""

from __future__ import annotations

import msgspec


class BoardHolder(msgspec.Struct, frozen=True, kw_only=True):
    """A board and who has it; every field but the first two is empty where nobody does, or where it is not known."""

    board: str
    reached_by: str
    """Its console, place or host, as the lock knows it."""
    held: bool = False
    process: int | None = None
    """The bootlab that has it, on this machine."""
    user: str = ""
    command: str = ""
    since: float | None = None
    """When that process started, seconds of the epoch."""
    labgrid: str = ""
    """Host and user who acquired the place."""
    waiting: tuple[int, ...] = ()
    """The bootlabs of this machine that wait for it; those of other users cannot be seen."""
    note: str = ""
    """What could not be told, and why."""
