# SPDX-License-Identifier: MIT
"""What each object adds to a kernel: written beside the artefacts, as long as the objects are there.

The linker joins equal strings, drops what is thrown away at the end and adds tables of its own, so that the objects'
sum is not the kernel's size: the difference stands in the report as a row of its own.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders import compress
from bootlab.builders.kbuild import elf_sections
from bootlab.builders.kbuild.elf_sections import KINDS, ElfFile, ElfUnreadable
from bootlab.errors import BootlabError
from bootlab.model.tree import Compression
from bootlab.recordings import sealed
from bootlab.recordings.sealed import Form

FILE = "objects.json"
# It is made while a kernel is built, and one of an older bootlab is taken as it is.
_FORM = Form(name="bootlab-objects", version=2, sealed_since=2, oldest=1)
_THIN = b"!<thin>\n"
_HEADER_BYTES = 60
_NAME_AT = re.compile(rb"/(\d+)(?: |$)")
_ALGORITHMS: tuple[Compression, ...] = ("gzip", "bzip2", "lzma", "xz", "lzo", "lz4", "zstd")
_SUFFIXES: dict[str, Compression] = {
    "gz": "gzip", "bz2": "bzip2", "lzma": "lzma", "lzo": "lzo", "lz4": "lz4", "zst": "zstd",
}  # fmt: skip


class ObjectSize(msgspec.Struct, frozen=True, kw_only=True):
    """One object (`mm/slub.o`) and the bytes of its sections by kind."""

    path: str
    text: int = 0
    rodata: int = 0
    data: int = 0
    bss: int = 0

    @property
    def loaded_bytes(self) -> int:
        """The bytes that stand in the image, before it is compressed."""
        return self.text + self.rodata + self.data


class ObjectSizes(msgspec.Struct, frozen=True, kw_only=True):
    """`objects.json`: all objects, the linked kernel's own sections, and folders compressed as the image is.

    `compressed_bytes`: the bytes of a folder's objects, compressed alone; empty when the image is not compressed.
    """

    format: str = "bootlab-objects"
    version: int = 2
    kernel: ObjectSize
    objects: tuple[ObjectSize, ...]
    algorithm: Compression = "none"
    compressed_bytes: dict[str, int] = {}


def folder_of(path: str) -> str:
    """Return the subsystem that an object belongs to: two folders deep, three below arch/ (`arch/arm/mm`)."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: 3 if parts[:1] == ["arch"] else 2]) or "."


def algorithm_of(options: dict[str, str], image: str) -> Compression:
    """Return how an image is compressed: by its name (`Image.gz`), or by the kernel's own decompressor."""
    if image in {"Image", "xipImage", "vmlinux"}:
        return "none"
    suffix = image.rpartition(".")[2]
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    return next((name for name in _ALGORITHMS if options.get(f"KERNEL_{name.upper()}") == "y"), "none")


def record(objects: Path, options: dict[str, str], image: str) -> ObjectSizes | None:
    """Read all objects of a build that ended well; None where there is no linked kernel that can be read."""
    try:
        kernel = elf_sections.read(objects / "vmlinux", names=True)
    except (OSError, ElfUnreadable):
        return None
    found: list[ObjectSize] = []
    pieces: dict[str, list[bytes]] = {}
    for path in sorted(_members(objects, kernel.defined)):
        with contextlib.suppress(OSError, ElfUnreadable):
            elf = elf_sections.read(objects / path)
            found.append(ObjectSize(path=path, **elf.sizes_bytes()))
            pieces.setdefault(folder_of(path), []).append(_bytes(objects / path, elf))
    algorithm = algorithm_of(options, image)
    return ObjectSizes(
        kernel=ObjectSize(path="vmlinux", **kernel.sizes_bytes()),
        objects=tuple(found),
        algorithm=algorithm,
        compressed_bytes={} if algorithm == "none" else dict(_compressed(pieces, algorithm)),
    )


def load(folder: Path) -> ObjectSizes | None:
    """Return what was written beside a kernel's artefacts; None when nothing that can be read is there."""
    return sealed.kept(folder / FILE, ObjectSizes, _FORM)


def save(sizes: ObjectSizes, folder: Path) -> None:
    """Write `objects.json`. Raise OSError."""
    sealed.keep(folder / FILE, sizes)


def _members(objects: Path, defined: frozenset[str]) -> set[str]:
    """Return the objects that the kernel is linked of. Of a library only what defines one of the kernel's names."""
    whole = objects / "vmlinux.a"
    # Before 6.1 there is no archive of all; each folder's archive holds those of the folders below it.
    archives = [whole] if whole.is_file() else sorted(objects.rglob("built-in.a"))
    found = {path for archive in archives for path in _archive(archive, objects)}
    for library in objects.rglob("lib.a"):
        for path in _archive(library, objects):
            with contextlib.suppress(OSError, ElfUnreadable):
                if elf_sections.read(objects / path, names=True).defined & defined:
                    found.add(path)
    return found


def _archive(archive: Path, objects: Path) -> Iterator[str]:
    """Return the members of a thin archive, relative to the object folder (ar(5); `ar cDPrST`)."""
    data = archive.read_bytes()
    if not data.startswith(_THIN):
        return
    names = b""
    offset = len(_THIN)
    root = objects.resolve()
    while offset + _HEADER_BYTES <= len(data):
        title = data[offset : offset + 16].rstrip()
        size = data[offset + 48 : offset + 58].strip()
        offset += _HEADER_BYTES
        if title in {b"/", b"//", b"/SYM64/"}:
            length = int(size) if size.isdigit() else len(data)
            if title == b"//":
                names = data[offset : offset + length]
            offset += length + length % 2
            continue
        # GNU ar leaves a slash in the last column for names of fifteen characters.
        if at := _NAME_AT.match(title):
            title = names[int(at[1]) :].partition(b"/\n")[0]
        path = (archive.parent / title.rstrip(b"/").decode("utf-8", "surrogateescape")).resolve()
        if path.is_relative_to(root):
            yield str(path.relative_to(root))


def _bytes(path: Path, elf: ElfFile) -> bytes:
    with path.open("rb") as file:
        parts = []
        for section in elf.sections:
            if section.kind != KINDS[-1]:
                file.seek(section.offset)
                parts.append(file.read(section.size))
    return b"".join(parts)


def _compressed(pieces: dict[str, list[bytes]], algorithm: Compression) -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory(prefix="bootlab-") as name:
        plain, packed = Path(name, "plain"), Path(name, "packed")
        for folder, parts in pieces.items():
            plain.write_bytes(b"".join(parts))
            # What packs the image was there a moment ago; without it the sizes are still worth having.
            with contextlib.suppress(BootlabError):
                yield folder, compress.compress(plain, packed, algorithm, None)
