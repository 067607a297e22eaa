# SPDX-License-Identifier: MIT
"""Where a technique can be tried: in QEMU, on a board."""

from __future__ import annotations

import msgspec

from bootlab.advice.finding import Finding
from bootlab.model.board_parts import why_not
from bootlab.model.system import SystemDescription


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    """Why a technique cannot be tried in QEMU or on the board; "" where it can."""

    technique: str
    not_in_qemu: str
    not_on_board: str


def ways(finding: Finding, system: SystemDescription | None, on_board: SystemDescription) -> Ways:
    """Say where a finding's changes can be tried. `system`: the one that QEMU boots, None where none is described."""
    in_qemu = "" if system is not None else "no system file describes it for QEMU: bootlab new --from …"
    return Ways(technique=finding.technique, not_in_qemu=in_qemu, not_on_board=_not_on_board(finding, on_board))


def _not_on_board(finding: Finding, on_board: SystemDescription) -> str:
    board = on_board.board
    if board is None:
        return "no board is given"
    if not finding.changes:
        return "what to change is not known without the system"
    whys = [why_not(on_board, change.apply(on_board), board) for change in finding.changes]
    touched = [change.apply(on_board) != on_board for change in finding.changes]
    if any(not why and moved for why, moved in zip(whys, touched, strict=True)):
        return ""
    return next((why for why in whys if why), "it changes a file that no system file names")
