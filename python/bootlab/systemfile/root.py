# SPDX-License-Identifier: MIT
"""`[root]` of a system file: the root tree, its file system and the medium that it lies on."""

from __future__ import annotations

from pathlib import Path

from bootlab.model.root import Root
from bootlab.model.tree import FileTree
from bootlab.systemfile.entries import read_tree
from bootlab.systemfile.place import Place
from bootlab.systemfile.problem import did_you_mean
from bootlab.systemfile.raw import RawMachine, RawStorage
from bootlab.systemfile.raw_tree import RawRoot

_SIZE_MAX_MIB = 1 << 20
# include/linux/genhd.h: DISK_MAX_PARTS
_PARTITION_MAX = 256


def root(
    raw: RawRoot,
    machine: RawMachine,
    storage: RawStorage | None,
    place: Place,
    unpack_dir: Path,
    *,
    empty: bool = False,
) -> Root:
    """Check `[root]` against the machine that shall hold it; `empty`: its tree may be. Raise SystemFileError."""
    from bootlab.builders.images.formats import BY_ID  # noqa: PLC0415 - makers of ten file systems

    if raw.file_system not in BY_ID:
        raise place.error(
            f'"{raw.file_system[:80]}" is not a file system that bootlab can make',
            "root.file_system",
            did_you_mean(raw.file_system, BY_ID),
        )
    if raw.size_mib is not None and not 1 <= raw.size_mib <= _SIZE_MAX_MIB:
        raise place.error(f"expected 1 to {_SIZE_MAX_MIB}, got {raw.size_mib}", "root.size_mib")
    if raw.medium == "flash":
        if storage is None or storage.flash_bank is None:
            raise place.error(
                "the table [storage] must say where in flash the root is, but is missing or has no flash_bank",
                "root.medium",
                "docs/how-to/boot-from-a-medium.md shows one",
            )
        if raw.size_mib is not None:
            raise place.error("the partition's size is storage.root_kib", "root.size_mib", "leave the key out")
    if raw.medium == "sd" and machine.sd is not None:
        raise place.error("the slot already has a card", "machine.sd", "leave machine.sd or [root] out")
    if not 0 <= raw.partition <= _PARTITION_MAX:
        raise place.error(f"expected 0 to {_PARTITION_MAX}, got {raw.partition}", "root.partition")
    if raw.image is not None:
        return _ready(raw, raw.image, place)
    if raw.partition:
        raise place.error("bootlab's own images have no partitions", "root.partition", "leave the key out")
    return Root(
        tree=read_tree(raw, "root", place, unpack_dir, empty=empty),
        file_system=raw.file_system,
        medium=raw.medium,
        size_mib=raw.size_mib,
        keep=tuple(raw.keep),
    )


def _ready(raw: RawRoot, image: str, place: Place) -> Root:
    """Check a medium that is there already."""
    for key in ("dir", "archive", "files", "keep"):
        if getattr(raw, key):
            raise place.error(
                "the medium already exists (root.image), and nothing can be put on it",
                f"root.{key}",
                "leave the key out, or give the tree instead of the image",
            )
    if raw.medium == "flash":
        raise place.error("a ready image of a flash bank is given as machine.flash", "root.image")
    from bootlab.sources import startup_part  # noqa: PLC0415 - most systems pack their tree

    file = place.file(image, "root.image")
    tree, start_bytes = (FileTree(), 0) if place.absent else startup_part.read(Path(file), raw.partition)
    return Root(
        tree=tree,
        given=tree,
        start_bytes=start_bytes,
        file_system=raw.file_system,
        medium=raw.medium,
        size_mib=raw.size_mib,
        image=file,
        partition=raw.partition,
    )
