# SPDX-License-Identifier: MIT
"""Btrfs, by btrfs-progs: made and filled by mkfs.btrfs out of a folder, with the profiles that it takes by itself."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.images import sparse, staged, steady, tool
from bootlab.builders.images.members import root_of, size_of
from bootlab.model.tree import FileTree

_NEEDED_FOR = "to make Btrfs images"
# With metadata twice mkfs.btrfs takes no less than 109 MiB.
_LEAST_MIB = 128
_BLOCK_BYTES = 4096
# What a small file's items take in a leaf, in both copies of it.
_ITEMS_BYTES = 2048


def size_kib(tree: FileTree) -> int:
    """Return the size of an image for a tree in KiB: files in whole blocks, their items, and the least there is."""
    members = list(root_of(tree).walk())
    needed = sum(-(-size_of(member) // _BLOCK_BYTES) * _BLOCK_BYTES + _ITEMS_BYTES for member in members)
    return (_LEAST_MIB + (needed * 5 >> 22)) << 10


def write(tree: FileTree, image: Path) -> int:
    """Write a tree as an image; return its size in bytes. Raise ToolMissing, EnvironmentFault, UserError."""
    program = tool.find("mkfs.btrfs", "btrfs-progs", _NEEDED_FOR)
    preload = steady.search_paths(_NEEDED_FOR)
    sparse.create(image, size_kib(tree) << 10)
    words = [program, "-q", "-K", "-U", tool.UUID, "--rootdir", "{root}", "{image}"]
    return staged.pack(tree, image, words, needed_for=_NEEDED_FOR, environ={}, preload=preload, onto=True)
