# SPDX-License-Identifier: MIT
"""What of a system a change touches, and what of it a board can be given."""

from __future__ import annotations

import msgspec

from bootlab.model.real_board import Board, Part
from bootlab.model.system import SystemDescription


def deliverable(board: Board) -> frozenset[Part]:
    """Return what a board can be given."""
    return frozenset(part for part, command in board.install.parts if command)


def changed_parts(before: SystemDescription, after: SystemDescription) -> frozenset[str]:
    """Return what of a system a change touches: parts that can be delivered, and words for what cannot be."""
    found: set[str] = set()
    if before.cmdline != after.cmdline:
        found.add("cmdline")
    if before.kernel != after.kernel:
        found.add("kernel")
    if before.machine.dtb != after.machine.dtb:
        found.add("device_tree")
    if before.initramfs != after.initramfs or before.initrd != after.initrd:
        found.add("initramfs")
    if before.root != after.root:
        found.add("root")
    if before.programs != after.programs:
        found.add("root" if after.root is not None else "initramfs")
    unlike = msgspec.structs.replace(before.machine, dtb=after.machine.dtb) != after.machine
    return frozenset(found | ({"machine"} if unlike else set()))


def why_not(before: SystemDescription, after: SystemDescription, board: Board) -> str:
    """Return why a board cannot be given a changed system; "" when it can."""
    missing = sorted(changed_parts(before, after) - deliverable(board))
    if not missing:
        return ""
    if "machine" in missing:
        return "the machine itself differs, and it is not a file to install"
    return f"board.toml does not say how to deliver: {', '.join(missing)} ([install])"
