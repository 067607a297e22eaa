# SPDX-License-Identifier: MIT
"""A system's root as files: the file system's image, and the card, disk or flash bank that it lies on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import ext_changes, formats, sparse
from bootlab.builders.images.formats import BY_ID, Image
from bootlab.errors import UserError
from bootlab.formats import disk_image
from bootlab.model.root import Root, RootMedium
from bootlab.model.storage import Storage
from bootlab.model.system import Machine, SystemDescription
from bootlab.model.tree import FileTree

_VERSION = 1
# fs/mtd: what these keep on erase blocks cannot lie on a card or disk.
_FLASH_ONLY = frozenset({"jffs2", "ubifs"})
_SECTOR_BYTES = 512
_ROOM_MAX_KIB = 1 << 30
# What the kernel maps persistent memory in (arch/x86/include/asm/pgtable_types.h: PMD_SIZE).
_NVDIMM_UNIT_BYTES = 2 << 20


def build(root: Root, storage: Storage | None, cache: Cache) -> Image:
    """Return the image of a root's file system, from the cache or made. Raise what making it raises.

    A medium that is there already is returned as it is, or as a copy with the files that were changed.
    """
    if root.image is not None:
        path = _ready_medium(root, cache)
        return Image(path, path.stat().st_size)
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


def medium(system: SystemDescription, image: Image, cache: Cache) -> Path:
    """Return the file that the machine is given: the image on its NVDIMM, card, disk, or in its flash bank."""
    root, storage = system.root or Root(), system.storage or Storage()
    if root.image is not None:
        return image.path
    if root.medium == "flash":
        return formats.flash_bank(image, storage, cache, BY_ID[root.file_system].behind)
    rounded = _rounded(root, image.size_bytes)
    key = key_of("root-medium", _VERSION, cache.digest(image.path), rounded)
    return cache.file(key, f".{root.medium}", partial(sparse.copy, image.path, rounded))


def _rounded(root: Root, size_bytes: int) -> int:
    """Return the length that a medium of a kind must have for so many bytes."""
    size_bytes = max(size_bytes, (root.size_mib or 0) << 20, 1)
    if root.medium == "sd":
        # hw/sd/sd.c takes no other sizes than powers of two.
        return 1 << (size_bytes - 1).bit_length()
    unit = _NVDIMM_UNIT_BYTES if root.medium == "pmem" else _SECTOR_BYTES
    return -(-size_bytes // unit) * unit


def _ready_medium(root: Root, cache: Cache) -> Path:
    """Return a ready image as its medium takes it: the file itself, or a copy of the right form and length."""
    path = Path(root.image or "")
    form = disk_image.form_of(path)
    disk = disk_image.opened(path)
    size_bytes = disk.size_bytes
    rounded = _rounded(root, size_bytes)
    put, dropped = root.put, root.dropped
    if put.entries or dropped:
        return _changed_medium(root, put, dropped, rounded, cache)
    if rounded == size_bytes and (form == "raw" or (root.medium != "pmem" and path.suffix == ".qcow2")):
        return path
    if root.medium == "disk" and form == "raw":
        return path
    key = key_of("ready-medium", _VERSION, cache.digest(path), form, rounded)

    def make(copy: Path) -> None:
        if form == "raw":
            sparse.copy(path, rounded, copy)
        else:
            disk_image.write_raw(disk, rounded, copy)

    return cache.file(key, f".{root.medium}", make)


def _changed_medium(root: Root, put: FileTree, dropped: tuple[str, ...], size_bytes: int, cache: Cache) -> Path:
    """Return a copy of a ready image in which some files are others."""
    path = Path(root.image or "")
    contents = [
        (name, entry if entry.source is None else (cache.digest(Path(entry.source)), entry.mode, entry.uid, entry.gid))
        for name, entry in put.entries
    ]
    key = key_of("changed-medium", _VERSION, cache.digest(path), root.start_bytes, contents, dropped, size_bytes)

    def make(copy: Path) -> None:
        if disk_image.form_of(path) == "raw":
            sparse.copy(path, size_bytes, copy)
        else:
            disk_image.write_raw(disk_image.opened(path), size_bytes, copy)
        ext_changes.change(copy, root.start_bytes, root.given, put, dropped)

    return cache.file(key, f".{root.medium}", make)


def attached(machine: Machine, place: RootMedium, file: str, storage: Storage | None) -> Machine:
    """Return a machine with a root's medium in its place: an NVDIMM, the card's slot, behind its disks, the flash."""
    if place == "pmem":
        return msgspec.structs.replace(machine, pmem=(*machine.pmem, file))
    if place == "sd":
        return msgspec.structs.replace(machine, sd=file)
    if place == "disk":
        return msgspec.structs.replace(machine, disks=(*machine.disks, file))
    number = (storage or Storage()).flash_bank or 0
    banks = [*machine.flash, *[""] * (number + 1 - len(machine.flash))]
    banks[number] = file
    return msgspec.structs.replace(machine, flash=tuple(banks))
