# SPDX-License-Identifier: MIT
"""The file systems that a root can be packed as: how each is made, and what the kernel needs to read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import btrfs, cramfs, erofs, ext, f2fs, jffs2, romfs, squashfs, ubifs, xfs
from bootlab.builders.images.members import root_of, stored_bytes
from bootlab.errors import UserError
from bootlab.model.root import Root
from bootlab.model.storage import Storage
from bootlab.model.tree import FileTree

_VERSION = 2
"""Raise it when the same tree shall become another image than before."""
_CHUNK_BYTES = 1 << 20
# Below that mke2fs finds the smallest journal too large.
_EXT_LEAST_KIB = 4096


Behind = Literal["nothing", "erased", "ubi"]
"""What must lie behind an image: anything, erased flash, or erase blocks with UBI's headers."""


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """One way to pack a root. `id` begins with the kernel's name of the file system.

    `options`: what the kernel must have. `mtd`: those are for MTD itself, and other ones for block devices. `behind`:
    what the rest of the partition holds. `in_place`: programs run from the flash. `says`: what the kernel must print
    when it mounts it.
    """

    id: str
    title: str
    options: tuple[str, ...]
    make: Callable[[FileTree, Path, Storage], int]
    mtd: bool = False
    behind: Behind = "nothing"
    in_place: bool = False
    says: str = ""

    @property
    def fstype(self) -> str:
        """The kernel's name of the file system."""
        return Root(file_system=self.id).fstype


class Image(msgspec.Struct, frozen=True):
    """A packed root: the file and its size in bytes."""

    path: Path
    size_bytes: int


def _cramfs(*, in_place: bool) -> Callable[[FileTree, Path, Storage], int]:
    def make(tree: FileTree, path: Path, _: Storage) -> int:
        with path.open("wb") as out:
            return cramfs.write(tree, out, in_place=in_place)

    return make


def _romfs(tree: FileTree, path: Path, _: Storage) -> int:
    with path.open("w+b") as out:
        return romfs.write(tree, out)


def _jffs2(*, compressed: bool = True, summary: bool = False) -> Callable[[FileTree, Path, Storage], int]:
    def make(tree: FileTree, path: Path, storage: Storage) -> int:
        with path.open("wb") as out:
            erase = storage.flash_erase_kib << 10
            return jffs2.write(tree, out, erase_bytes=erase, compressed=compressed, summary=summary)

    return make


def _squashfs(compressor: squashfs.Compressor, block_kib: int = 128) -> Callable[[FileTree, Path, Storage], int]:
    return lambda tree, path, _: squashfs.write(tree, path, compressor=compressor, block_kib=block_kib)


def _erofs(compression: str) -> Callable[[FileTree, Path, Storage], int]:
    return lambda tree, path, _: erofs.write(tree, path, compression=compression)


def _ext(kind: ext.Kind, replayed_kib: int = 0) -> Callable[[FileTree, Path, Storage], int]:
    def make(tree: FileTree, path: Path, storage: Storage) -> int:
        size_kib = _fitting(kind, ext_kib(tree), storage)
        return ext.write(tree, path, kind=kind, size_kib=size_kib, replayed_kib=replayed_kib)

    return make


def _xfs(replayed_kib: int = 0) -> Callable[[FileTree, Path, Storage], int]:
    def make(tree: FileTree, path: Path, storage: Storage) -> int:
        _fitting("XFS", xfs.size_kib(tree), storage)
        return xfs.write(tree, path, replayed_kib=replayed_kib)

    return make


def _btrfs(tree: FileTree, path: Path, storage: Storage) -> int:
    _fitting("Btrfs", btrfs.size_kib(tree), storage)
    return btrfs.write(tree, path)


def _f2fs(tree: FileTree, path: Path, storage: Storage) -> int:
    _fitting("F2FS", f2fs.size_kib(tree), storage)
    return f2fs.write(tree, path)


def _fitting(name: str, size_kib: int, storage: Storage) -> int:
    if size_kib > storage.root_kib:
        raise UserError(
            f"the {name} image of this tree is {size_kib} KiB; there is room for {storage.root_kib} KiB",
            hint="raise storage.root_kib, or put the root on a card",
        )
    return size_kib


def ext_kib(tree: FileTree) -> int:
    """Return the size of an ext2, ext3 or ext4 image for a tree in KiB: whole MiB, with room for a journal."""
    members = list(root_of(tree).walk())
    blocks_kib = sum(-(-stored_bytes(member) // 1024) for member in members)
    return max(-(-(blocks_kib + blocks_kib // 50 + len(members) * 2 + 1536) // 1024) * 1024, _EXT_LEAST_KIB)


def _ubifs(tree: FileTree, path: Path, storage: Storage) -> int:
    return ubifs.write(tree, path, erase_bytes=storage.flash_erase_kib << 10, room_bytes=storage.root_kib << 10)


_MTD_CRAMFS = ("CRAMFS", "CRAMFS_MTD")
FORMATS: tuple[Format, ...] = (
    Format(id="cramfs", title="CRAMFS", options=_MTD_CRAMFS, make=_cramfs(in_place=False), mtd=True),
    Format(
        id="cramfs-xip", title="CRAMFS, executed in place", options=_MTD_CRAMFS,
        make=_cramfs(in_place=True), mtd=True, in_place=True,
    ),
    Format(id="romfs", title="ROMFS", options=("ROMFS_FS",), make=_romfs),
    Format(
        id="jffs2", title="JFFS2", options=("JFFS2_FS", "JFFS2_ZLIB"), make=_jffs2(), behind="erased"
    ),
    Format(
        id="jffs2-summary", title="JFFS2 with summary",
        options=("JFFS2_FS", "JFFS2_ZLIB", "JFFS2_SUMMARY"), make=_jffs2(summary=True), behind="erased",
    ),
    Format(
        id="jffs2-raw", title="JFFS2 uncompressed", options=("JFFS2_FS",),
        make=_jffs2(compressed=False), behind="erased",
    ),
    Format(
        id="ubifs", title="UBIFS", options=("MTD_UBI", "UBIFS_FS", "UBIFS_FS_ZLIB"), make=_ubifs,
        behind="ubi",
    ),
    *(
        Format(
            id=f"squashfs-{name}", title=f"SquashFS {name}",
            options=("SQUASHFS", squashfs.KERNEL_OPTIONS[name]), make=_squashfs(name),
        )
        for name in squashfs.KERNEL_OPTIONS
    ),
    Format(
        id="squashfs-gzip-4k", title="SquashFS gzip, blocks of 4 KiB",
        options=("SQUASHFS", "SQUASHFS_ZLIB"), make=_squashfs("gzip", 4),
    ),
    Format(
        id="squashfs-raw", title="SquashFS uncompressed", options=("SQUASHFS", "SQUASHFS_ZLIB"),
        make=_squashfs("none"),
    ),
    Format(id="erofs", title="EROFS uncompressed", options=("EROFS_FS",), make=_erofs("")),
    Format(
        id="erofs-lz4hc", title="EROFS lz4hc", options=("EROFS_FS", "EROFS_FS_ZIP"),
        make=_erofs("lz4hc"),
    ),
    Format(id="ext2", title="ext2", options=("EXT2_FS",), make=_ext("ext2")),
    Format(id="ext3", title="ext3", options=("EXT4_FS",), make=_ext("ext3")),
    Format(id="ext4", title="ext4", options=("EXT4_FS",), make=_ext("ext4")),
    Format(
        id="ext3-unclean", title="ext3, journal of 512 KiB to replay", options=("EXT4_FS",),
        make=_ext("ext3", 512), says=ext.REPLAYED,
    ),
    Format(
        id="ext4-unclean", title="ext4, journal of 512 KiB to replay", options=("EXT4_FS",),
        make=_ext("ext4", 512), says=ext.REPLAYED,
    ),
    Format(id="xfs", title="XFS", options=("XFS_FS",), make=_xfs()),
    Format(
        id="xfs-unclean", title="XFS, log of 512 KiB to replay", options=("XFS_FS",),
        make=_xfs(512), says=xfs.REPLAYED,
    ),
    Format(
        id="xfs-norecovery", title="XFS, log of 512 KiB left alone", options=("XFS_FS",),
        make=_xfs(512), says=xfs.NOT_REPLAYED,
    ),
    Format(id="btrfs", title="Btrfs", options=("BTRFS_FS",), make=_btrfs),
    Format(id="f2fs", title="F2FS", options=("F2FS_FS",), make=_f2fs),
)  # fmt: skip

BY_ID = {form.id: form for form in FORMATS}


def build(form: Format, tree: FileTree, storage: Storage, cache: Cache) -> Image:
    """Return a tree's image in a format, from the cache or made. Raise what making it raises."""
    key = key_of("image", _VERSION, form.id, storage.flash_erase_kib, storage.root_kib, _contents(tree, cache))

    def make(path: Path) -> None:
        form.make(tree, path, storage)

    path = cache.file(key, f".{form.id}", make)
    return Image(path, path.stat().st_size)


def _contents(tree: FileTree, cache: Cache) -> list[object]:
    """Return everything of a tree that decides an image's bytes; the digests of its files."""
    parts: list[object] = []
    for member in root_of(tree).walk():
        entry = member.entry
        content = cache.digest(Path(entry.source)) if entry.source is not None else entry.text
        parts.append(
            (
                member.path,
                member.link_to,
                member.mode,
                entry.uid,
                entry.gid,
                entry.target,
                entry.major,
                entry.minor,
                content,
            )
        )
    return parts


def flash_bank(image: Image, storage: Storage, cache: Cache, behind: Behind) -> Path:
    """Return the contents of a flash bank whose first partition holds an image. Raise UserError when it is small."""
    room = storage.root_kib << 10
    if image.size_bytes > room:
        raise UserError(
            f"the image is {image.size_bytes} bytes and the partition {room}", hint="raise storage.root_kib"
        )

    def make(path: Path) -> None:
        with path.open("wb") as out, image.path.open("rb") as source:
            while chunk := source.read(_CHUNK_BYTES):
                out.write(chunk)
            if behind == "erased":
                out.write(b"\xff" * (room - image.size_bytes))
            elif behind == "ubi":
                erase_bytes = storage.flash_erase_kib << 10
                out.write(ubifs.filler(image.path, erase_bytes) * ((room - image.size_bytes) // erase_bytes))
            out.truncate(storage.flash_bank_mib << 20)

    key = key_of("flash-bank", _VERSION, cache.digest(image.path), storage.root_kib, storage.flash_bank_mib, behind)
    return cache.file(key, ".pflash", make)
