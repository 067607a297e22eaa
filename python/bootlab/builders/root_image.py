"""A system's root as files: the file system's image, and the card, disk or flash bank that it lies on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import formats, sparse
from bootlab.builders.images.formats import BY_ID, Image
from bootlab.errors import UserError
from bootlab.model.root import Root, RootMedium
from bootlab.model.storage import Storage
from bootlab.model.system import Machine, System

_VERSION = 1
# fs/mtd: what these keep on erase blocks cannot lie on a card or disk.
_FLASH_ONLY = frozenset({"jffs2", "ubifs"})
_SECTOR_BYTES = 512
_ROOM_MAX_KIB = 1 << 30


def build(root: Root, storage: Storage | None, cache: Cache) -> Image:
    """Return the image of a root's file system, from the cache or made. Raise what making it raises."""
    form = BY_ID.get(root.file_system)
    if form is None:
        raise UserError(
            f"{root.file_system} is not a file system that bootlab can make", hint="one of: " + ", ".join(BY_ID)
        )
    if root.medium == "flash":
        if storage is None or storage.flash_bank is None:
            raise UserError(
                "the root file system is in flash, but the system file does not say where",
                hint="add [storage] with flash_bank: docs/how-to/compare-file-systems.md shows one",
            )
        return formats.build(form, root.tree, storage, cache)
    if root.fstype in _FLASH_ONLY:
        raise UserError(f"{form.title} must be in flash, not on a {root.medium}", hint='set root.medium = "flash"')
    return formats.build(form, root.tree, Storage(root_kib=_ROOM_MAX_KIB), cache)


def medium(system: System, image: Image, cache: Cache) -> Path:
    """Return the file that the machine is given: the image on its card, its disk, or in its flash bank."""
    root, storage = system.root or Root(), system.storage or Storage()
    if root.medium == "flash":
        return formats.flash_bank(image, storage, cache, BY_ID[root.file_system].behind)
    size_bytes = max(image.size_bytes, (root.size_mib or 0) << 20)
    # SD cards: hw/sd/sd.c takes no other sizes than powers of two.
    rounded = 1 << (size_bytes - 1).bit_length() if root.medium == "sd" else -(-size_bytes // _SECTOR_BYTES) * 512
    key = key_of("root-medium", _VERSION, cache.digest(image.path), rounded)
    return cache.file(key, f".{root.medium}", partial(sparse.copy, image.path, rounded))


def attached(machine: Machine, place: RootMedium, file: str, storage: Storage | None) -> Machine:
    """Return a machine with a root's medium in its place: the card's slot, behind its disks, the flash bank."""
    if place == "sd":
        return msgspec.structs.replace(machine, sd=file)
    if place == "disk":
        return msgspec.structs.replace(machine, disks=(*machine.disks, file))
    number = (storage or Storage()).flash_bank or 0
    banks = [*machine.flash, *[""] * (number + 1 - len(machine.flash))]
    banks[number] = file
    return msgspec.structs.replace(machine, flash=tuple(banks))
