# SPDX-License-Identifier: MIT
"""Who has a board, in a line."""

from __future__ import annotations

import datetime

from bootlab.model.board_holder import BoardHolder


def holder_line(holder: BoardHolder) -> str:
    """Return `board (how it is reached): who has it`."""
    name = f"{holder.board} ({holder.reached_by})" if holder.reached_by else holder.board
    parts = []
    if holder.process is not None:
        since = datetime.datetime.fromtimestamp(holder.since or 0).astimezone()
        parts.append(f"{holder.user} since {since:%Y-%m-%d %H:%M:%S}, process {holder.process}: {holder.command}")
    elif holder.held and not holder.labgrid:
        parts.append("a bootlab of this machine")
    if holder.labgrid:
        parts.append(f"acquired in labgrid by {holder.labgrid}")
    if holder.waiting:
        who = "process" if len(holder.waiting) == 1 else "processes"
        parts.append(f"{len(holder.waiting)} waiting ({who} {', '.join(map(str, holder.waiting))})")
    if holder.note:
        parts.append(holder.note)
    if not holder.held:
        parts.insert(0, "nobody of this machine" if holder.note else "free")
    return f"{name}: {'; '.join(parts)}"
