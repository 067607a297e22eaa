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
    `image`: a medium that is there already, raw or qcow2, booted as it is; then there is no tree. `partition`: where
    the root lies on it, 0 for the whole of it.
    """

    tree: FileTree = FileTree()
    file_system: str = "ext4"
    medium: RootMedium = "sd"
    size_mib: int | None = None
    keep: tuple[str, ...] = ()
    image: str | None = None
    partition: int = 0

    @property
    def fstype(self) -> str:
        """The kernel's name of the file system: formats are named by it, with a variant behind a dash."""
        return self.file_system.partition("-")[0]

    @property
    def flags(self) -> str:
        """The mount options that belong to the format, as `rootflags=` takes them."""
        return _FLAGS.get(self.file_system, "")
