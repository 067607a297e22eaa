# SPDX-License-Identifier: MIT
"""EROFS, by erofs-utils: as it is, or compressed in clusters of pages."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.images import staged, tool
from bootlab.builders.images.members import root_of
from bootlab.errors import UserError
from bootlab.model.tree import FileTree

NAME_MAX_BYTES = 254
"""One less than the format: Debian 12's mkfs.erofs cuts the last byte off, and then finds no such file."""


def write(tree: FileTree, image: Path, *, compression: str = "") -> int:
    """Write a tree as an image; return its size in bytes. `compression`: as mkfs.erofs takes it (`lz4hc`), or none.

    Raise ToolMissing, EnvironmentFault, UserError.
    """
    for member in root_of(tree).walk():
        if len(member.name) > NAME_MAX_BYTES:
            raise UserError(
                f"{member.path[:80]!r}: mkfs.erofs allows names up to {NAME_MAX_BYTES} bytes", hint="rename the file"
            )
    program = tool.find("mkfs.erofs", "erofs-utils", "to make EROFS images")
    words = [program, "--quiet", "-x-1", "-T0", f"-U{tool.UUID}", *([f"-z{compression}"] if compression else [])]
    return staged.pack(tree, image, [*words, "{image}", "{root}"], needed_for="to make EROFS images", environ={})
