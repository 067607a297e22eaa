# SPDX-License-Identifier: MIT
"""A root file system on a medium of the machine, as a value: the tree, how it is packed, and where it lies."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.tree import FileTree

RootMedium = Literal["pmem", "sd", "disk", "flash"]
UBI_VOLUME = "rootfs"
"""The name of the volume that a UBIFS root lies in."""
_FLAGS = {"xfs-norecovery": "norecovery"}
"""Formats that differ from another one in how they are mounted."""


class Root(msgspec.Struct, frozen=True, kw_only=True):
    """The tree that bootlab packs as a file system and puts on an NVDIMM, a card, a disk, or the flash of `[storage]`.

    `file_system` is one of the formats of `bootlab fs` (`ext4`, `squashfs-lz4`, `cramfs-xip`). `size_mib`: the least
    size of the medium; None: as large as the file system needs. `keep`: patterns of files never left out.
    `image`: a medium that is there already, raw or qcow2. `partition`: where the root lies on it, 0 for all of it.

    Of an image, `tree` is the part that says how its system starts (units, start scripts, tables), and `given` what it
    was when the image was read: it boots as it is for as long as both are equal, else as a copy that is changed so.
    `start_bytes`: where on the medium the root's file system begins.
    """

    tree: FileTree = FileTree()
    file_system: str = "ext4"
    medium: RootMedium = "sd"
    size_mib: int | None = None
    keep: tuple[str, ...] = ()
    image: str | None = None
    partition: int = 0
    given: FileTree = FileTree()
    start_bytes: int = 0

    @property
    def dropped(self) -> tuple[str, ...]:
        """What a changed image no longer has."""
        kept = self.tree.as_dict()
        return tuple(path for path, _ in self.given.entries if path not in kept)

    @property
    def put(self) -> FileTree:
        """What a changed image has anew, or with other contents."""
        given = self.given.as_dict()
        return FileTree(tuple((path, entry) for path, entry in self.tree.entries if given.get(path) != entry))

    @property
    def fstype(self) -> str:
        """The kernel's name of the file system: formats are named by it, with a variant behind a dash."""
        return self.file_system.partition("-")[0]

    @property
    def flags(self) -> str:
        """The mount options that belong to the format, as `rootflags=` takes them."""
        return _FLAGS.get(self.file_system, "")
