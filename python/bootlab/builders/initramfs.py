# SPDX-License-Identifier: MIT
"""An initramfs out of a tree of files: packed, compressed, cached."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from bootlab.builders import cpio
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.compress import compress
from bootlab.model.system import Initramfs
from bootlab.model.tree import FileTree

_EARLY = ("/kernel/x86/microcode/", "/kernel/firmware/acpi/")
"""Paths that find_cpio_data() of lib/earlycpio.c is asked for: in a compressed archive it finds none of them."""

_VERSION = 1
"""Raise it when the same tree shall be packed in another way than before."""


def build_initramfs(initramfs: Initramfs, cache: Cache) -> Path:
    """Return the archive of an initramfs: the one it was read from, if nothing was changed.

    Raise what packing and compressing raise.
    """
    given = initramfs.as_given
    if given is not None:
        return _as_given(Path(given.path), initramfs.padding_bytes, cache)
    key = key_of(*_inputs(initramfs, cache))

    def make(path: Path) -> None:
        if initramfs.compression == "none":
            with path.open("wb") as out:
                _write(initramfs, out)
            return
        early = _early(initramfs.tree)
        late = initramfs.tree.without(frozenset(path for path, _ in early.entries))
        plain, packed = (path.with_name(path.name + end) for end in (".cpio", ".packed"))
        try:
            with plain.open("wb") as out:
                _write(msgspec.structs.replace(initramfs, tree=late), out)
            if not early.entries:
                compress(plain, path, initramfs.compression, initramfs.level)
                return
            compress(plain, packed, initramfs.compression, initramfs.level)
            with path.open("wb") as out, packed.open("rb") as rest:
                cpio.write(early, out)
                # The kernel takes what follows at a word's boundary only.
                out.write(bytes(-out.tell() % 4))
                shutil.copyfileobj(rest, out)
        finally:
            plain.unlink(missing_ok=True)
            packed.unlink(missing_ok=True)

    return cache.file(key, f".cpio{_suffix(initramfs)}", make)


def _early(tree: FileTree) -> FileTree:
    """Return what the kernel looks for in the bytes of the archive, before it can unpack: microcode, ACPI tables."""
    return FileTree(tuple((path, entry) for path, entry in tree.entries if path.startswith(_EARLY)))


def _as_given(archive: Path, padding_bytes: int, cache: Cache) -> Path:
    if not padding_bytes:
        return archive

    def make(path: Path) -> None:
        with archive.open("rb") as source, path.open("wb") as out:
            shutil.copyfileobj(source, out)
            # The kernel takes padding in whole words only (init/initramfs.c: unpack_to_rootfs()).
            out.write(bytes(-out.tell() % 4 + padding_bytes))

    return cache.file(key_of("padded", _VERSION, cache.digest(archive), padding_bytes), ".cpio", make)


def _write(initramfs: Initramfs, out: BinaryIO) -> None:
    cpio.write(initramfs.tree, out)
    out.write(bytes(initramfs.padding_bytes))


def _suffix(initramfs: Initramfs) -> str:
    return "" if initramfs.compression == "none" else f".{initramfs.compression}"


def _inputs(initramfs: Initramfs, cache: Cache) -> Iterator[object]:
    yield "initramfs", _VERSION, initramfs.compression, initramfs.level
    if initramfs.padding_bytes:
        yield "padding", initramfs.padding_bytes
    if initramfs.compression != "none" and _early(initramfs.tree).entries:
        yield "early part not compressed"
    planned = cpio.plan(initramfs.tree)
    cpio.check_sizes(planned)
    links = cpio.hard_links(planned)
    for path, entry in planned:
        if path in links:
            yield "linked", links[path].first
        content = cache.digest(Path(entry.source)) if entry.source is not None else entry.text
        yield path, entry.kind, entry.mode, entry.uid, entry.gid, entry.target, entry.major, entry.minor, content
