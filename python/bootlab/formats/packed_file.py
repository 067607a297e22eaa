# SPDX-License-Identifier: MIT
"""Files packed for the way: a disk image (`.img.xz`, `.wic.gz`), a kernel that QEMU does not unpack (`Image.zst`)."""

from __future__ import annotations

import lzma
import mmap
import posixpath
import re
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path
from typing import BinaryIO

from bootlab.errors import UserError, cannot_write
from bootlab.formats.segments import Bytes, compression_at, expand
from bootlab.formats.whole_file import read_whole

_KERNEL_MAX_BYTES = 1 << 30
_LAYERS_MAX = 4
_ROOM_LEFT_BYTES = 1 << 30
_PIECE_BYTES = 1 << 20
_DISK_NAME = re.compile(r"[^/]+\.(?:raw|img|qcow2|wic)")
# arch/arm64/include/asm/image.h
_ARM64_AT, _ARM64 = 0x38, b"ARM\x64"
# drivers/firmware/efi/libstub/zboot-header.S: where the packed kernel lies in the EFI program that unpacks it.
_ZBOOT = (b"MZ\0\0zimg", 8, 12)


class BareKernel:
    """A kernel without what it was packed in. `note`: what was done; "" where QEMU takes the file as it is."""

    def __init__(self, data: bytes, note: str) -> None:
        """Join both."""
        self.data = data
        self.note = note


def bare_kernel(path: Path) -> BareKernel | None:
    """Return the kernel in a packed file; None for one that QEMU loads as it is.

    QEMU unpacks an arm64 Image that gzip packed, once, and nothing else (hw/core/loader.c). Newer ones know zboot too.
    Raise UserError for a file that was cut off.
    """
    data = read_whole(path, _KERNEL_MAX_BYTES, "kernel image", "name the kernel image")
    packers: list[str] = []
    while len(packers) < _LAYERS_MAX:
        start = _payload(path, data)
        name = compression_at(data, start)
        if name is None:
            break
        packers.append(f"an EFI program (zboot) and {name}" if start else name)
        data = _expanded(path, data, start, name)
    if not packers or (packers == ["gzip"] and data[_ARM64_AT : _ARM64_AT + len(_ARM64)] == _ARM64):
        return None
    return BareKernel(data, f"it was unpacked: QEMU does not load a kernel in {', in '.join(packers)}")


def unpacked_disk(path: Path, folder: Path) -> Path:
    """Return the disk image inside a packed file, unpacked into a folder. Raise UserError for what is damaged."""
    place = folder / (path.stem if path.suffix in {".gz", ".xz", ".bz2", ".zst", ".lzma"} else f"{path.name}.raw")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        room = shutil.disk_usage(folder).free - _ROOM_LEFT_BYTES
        with (
            path.open("rb") as file,
            place.open("wb") as out,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            holes = _Holes(out)
            offset = 0
            while offset < len(data) and (name := compression_at(data, offset)) is not None:
                before = out.tell()
                offset = expand(data, offset, name, holes, max(0, room))  # type: ignore[arg-type]
                room -= out.tell() - before
            out.truncate()
    except UserError as error:
        place.unlink(missing_ok=True)
        raise UserError(f"{path} cannot be unpacked to {place}: {error.message}", hint=error.hint) from error
    except OSError as error:
        place.unlink(missing_ok=True)
        raise cannot_write(f"{path} cannot be unpacked to {place}", error, folder) from error
    return place


def archived_disk(path: Path, folder: Path) -> Path | None:
    """Return the disk image that lies alone in a tar archive, taken out into a folder; None where none or several do.

    Raise UserError for an archive that is damaged, too large, or packed with what Python does not unpack.
    """
    found: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                name = posixpath.normpath(member.name)
                if member.isreg() and _DISK_NAME.fullmatch(name):
                    found.append(folder / name)
                    if len(found) == 1:
                        _taken_out(archive, member, found[0])
    except (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, UserError) as error:
        _remove(found)
        raise UserError(f"the disk cannot be taken out of {path}: {error}", hint="copy the archive again") from error
    except OSError as error:
        _remove(found)
        raise cannot_write(f"the disk cannot be taken out of {path}", error, folder) from error
    if len(found) != 1:
        _remove(found)
        return None
    return found[0]


def _taken_out(archive: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> None:
    room = shutil.disk_usage(place.parent).free - _ROOM_LEFT_BYTES
    if member.size > room:
        raise UserError(f"{place.name} has {member.size:,} bytes, and there is room for {max(0, room):,}")
    with place.open("wb") as out:
        # None stands for what is no regular file.
        if (source := archive.extractfile(member)) is not None:
            shutil.copyfileobj(source, _Holes(out), _PIECE_BYTES)
        out.truncate(member.size)


def _remove(made: list[Path]) -> None:
    for place in made[:1]:
        place.unlink(missing_ok=True)


class _Holes:
    """A file that is written: stretches of zeros take no room on the disk."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, data: bytes) -> int:
        if data and data.count(0) == len(data):
            self._out.seek(len(data), 1)
            return len(data)
        return self._out.write(data)


def _payload(path: Path, data: bytes) -> int:
    """Return where the packed kernel of a zboot image starts; 0 for any other file."""
    magic, offset_at, length_at = _ZBOOT
    if not data.startswith(magic):
        return 0
    start, length = (int.from_bytes(data[at : at + 4], "little") for at in (offset_at, length_at))
    if start + length > len(data):
        raise UserError(
            f"{path} is cut off: {len(data):,} of at least {start + length:,} bytes are there",
            hint="copy or build the kernel again",
        )
    return start


def _expanded(path: Path, data: Bytes, start: int, name: str) -> bytes:
    with tempfile.TemporaryFile() as out:
        try:
            expand(data, start, name, out, _KERNEL_MAX_BYTES)
        except UserError as error:
            raise UserError(f"{path}: {error.message}", hint="copy or build the kernel again") from error
        out.seek(0)
        return out.read()
