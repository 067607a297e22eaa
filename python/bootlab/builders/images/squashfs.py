# SPDX-License-Identifier: MIT
"""SquashFS, by squashfs-tools. The tree goes in as a tar archive, so that neither root nor a copy of it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from bootlab.builders.images import archive_stream, tool
from bootlab.model.tree import FileTree

Compressor = Literal["gzip", "lz4", "xz", "lzo", "zstd", "none"]
KERNEL_OPTIONS: dict[Compressor, str] = {
    "gzip": "SQUASHFS_ZLIB",
    "lz4": "SQUASHFS_LZ4",
    "xz": "SQUASHFS_XZ",
    "lzo": "SQUASHFS_LZO",
    "zstd": "SQUASHFS_ZSTD",
}
"""The kernel's option for each compressor."""


def write(tree: FileTree, image: Path, *, compressor: Compressor = "gzip", block_kib: int = 128) -> int:
    """Write a tree as an image; return its size in bytes. Raise ToolMissing, EnvironmentFault, UserError."""
    program = tool.find("mksquashfs", "squashfs-tools", "to make SquashFS images")
    archive = image.with_name(image.name + ".tar")
    words = ["-comp", "gzip" if compressor == "none" else compressor, "-b", f"{block_kib}K"]
    words += ["-Xhc"] if compressor == "lz4" else []
    words += ["-noI", "-noD", "-noF", "-noX"] if compressor == "none" else []
    # One processor: how blocks of several are put together must not decide their order.
    words += [
        "-processors",
        "1",
        "-mkfs-time",
        "0",
        "-all-time",
        "0",
        "-root-mode",
        "0755",
        "-root-uid",
        "0",
        "-root-gid",
        "0",
        "-no-xattrs",
        "-noappend",
        "-no-progress",
        "-quiet",
    ]
    try:
        with archive.open("wb") as out:
            archive_stream.write(tree, out)
        image.unlink(missing_ok=True)
        tool.run([program, "-", str(image), "-tar", *words], source=archive)
    finally:
        archive.unlink(missing_ok=True)
    return image.stat().st_size
