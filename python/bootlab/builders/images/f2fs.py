# SPDX-License-Identifier: MIT
"""F2FS, by f2fs-tools: an empty file system, then the tree out of a folder."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.images import f2fs_inodes, sparse, staged, tool
from bootlab.builders.images.members import root_of, size_of
from bootlab.model.tree import FileTree

_NEEDED_FOR = "to make F2FS images"
_LEAST_MIB = 64
_BLOCK_BYTES = 4096
# struct f2fs_super_block, both copies: version and init_version are those of the kernel that formatted, this machine's.
_SUPERBLOCKS = (1024, _BLOCK_BYTES + 1024)
_VERSIONS_AT, _VERSIONS_BYTES = 1668, 512


def size_kib(tree: FileTree) -> int:
    """Return the size of an image for a tree in KiB: files in whole blocks, a block for each inode, and the reserve."""
    members = list(root_of(tree).walk())
    blocks = sum(-(-size_of(member) // _BLOCK_BYTES) + 2 for member in members)
    return (_LEAST_MIB + (blocks * _BLOCK_BYTES * 5 >> 22)) << 10


def write(tree: FileTree, image: Path) -> int:
    """Write a tree as an image; return its size in bytes. Raise ToolMissing, EnvironmentFault, UserError."""
    make = tool.find("mkfs.f2fs", "f2fs-tools", _NEEDED_FOR)
    fill = tool.find("sload.f2fs", "f2fs-tools", _NEEDED_FOR)
    sparse.create(image, size_kib(tree) << 10)
    tool.run([make, "-q", "-f", "-r", "-T", "0", "-U", tool.UUID, str(image)])
    words = [fill, "-P", "-T", "0", "-f", "{root}", "-t", "/", "{image}"]
    staged.pack(f2fs_inodes.loadable(tree), image, words, needed_for=_NEEDED_FOR, environ={}, onto=True)
    f2fs_inodes.settle(image, tree)
    with image.open("r+b") as out:
        for start in _SUPERBLOCKS:
            out.seek(start + _VERSIONS_AT)
            out.write(bytes(_VERSIONS_BYTES))
    return image.stat().st_size
