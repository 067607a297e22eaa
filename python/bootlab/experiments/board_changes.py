# SPDX-License-Identifier: MIT
"""Which changes a real board can be given."""

from __future__ import annotations

from bootlab.model.board_parts import why_not
from bootlab.model.change import Change
from bootlab.model.system import SystemDescription
from bootlab.techniques.base import Answer, Applies


def for_board(
    system: SystemDescription, answer: Applies, changes: tuple[Change, ...]
) -> tuple[Applies, tuple[Change, ...]]:
    """Leave out what this system's board cannot be given; where nothing is left the answer is unknown, and says why.

    A system without a board keeps everything.
    """
    if system.board is None or not changes:
        return answer, changes
    refused = [(change, why_not(system, change.apply(system), system.board)) for change in changes]
    kept = tuple(change for change, why in refused if not why)
    if kept:
        return answer, kept
    return Applies(answer=Answer.UNKNOWN, reason=f"not on this board: {refused[0][1]}"), ()
