# SPDX-License-Identifier: MIT
"""Compressing an initramfs in the formats that the kernel unpacks, with the same bytes every time.

Which format and which limits: the kernel's `usr/Makefile` and `lib/decompress_*.c`. xz carries a CRC32 check and a
small dictionary, because the kernel knows no CRC64 and allocates the dictionary. lz4 is the legacy frame. zstd's
largest window, of level 22, is 128 MiB, which is exactly what `lib/decompress_unzstd.c` takes.
"""

from __future__ import annotations

import bz2
import lzma
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import BinaryIO, Protocol

from bootlab.errors import EnvironmentFault, ToolMissing, cannot_write
from bootlab.model.tree import Compression

LEVELS: dict[Compression, range | None] = {
    "none": None,
    "gzip": range(1, 10),
    "bzip2": range(1, 10),
    "lzma": range(10),
    "xz": range(10),
    "lzo": range(1, 10),
    "lz4": range(1, 13),
    "zstd": range(1, 23),
}
"""Levels of each format; the last one is the best."""

_TOOLS: dict[Compression, tuple[str, str]] = {"lzo": ("lzop", "lzop"), "lz4": ("lz4", "lz4"), "zstd": ("zstd", "zstd")}
_CHUNK_BYTES = 1 << 20
_XZ_DICTIONARY_BYTES = 1 << 20


class _Stream(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def available() -> tuple[Compression, ...]:
    """Return the formats that this machine can write, in the model's order."""
    return tuple(name for name in LEVELS if name not in _TOOLS or shutil.which(_TOOLS[name][0]))


def compress(source: Path, destination: Path, compression: Compression, level: int | None = None) -> int:
    """Compress a file into another; return the new size in bytes. `level` None is the format's best.

    Raise ToolMissing when a program is not installed, EnvironmentFault when it fails or the disk does.
    """
    levels = LEVELS[compression]
    if level is None and levels is not None:
        level = levels.stop - 1
    try:
        if compression in _TOOLS:
            _run_tool(source, destination, compression, level or 0)
        else:
            with source.open("rb") as data, destination.open("wb") as out:
                _pump(data, out, _stream(compression, level or 0))
        return destination.stat().st_size
    except OSError as error:
        raise cannot_write(f"cannot write {destination}", error, destination.parent) from error


def _pump(data: BinaryIO, out: BinaryIO, stream: _Stream | None) -> None:
    if stream is None:
        shutil.copyfileobj(data, out, _CHUNK_BYTES)
        return
    while chunk := data.read(_CHUNK_BYTES):
        out.write(stream.compress(chunk))
    out.write(stream.flush())


def _stream(compression: Compression, level: int) -> _Stream | None:
    if compression == "gzip":
        # wbits 31: a gzip header, which zlib writes without time and name.
        return zlib.compressobj(level, zlib.DEFLATED, 31)
    if compression == "bzip2":
        return bz2.BZ2Compressor(level)
    if compression == "lzma":
        return lzma.LZMACompressor(lzma.FORMAT_ALONE, preset=level)
    if compression == "xz":
        filters = [{"id": lzma.FILTER_LZMA2, "preset": level, "dict_size": _XZ_DICTIONARY_BYTES}]
        return lzma.LZMACompressor(lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=filters)
    return None


def _run_tool(source: Path, destination: Path, compression: Compression, level: int) -> None:
    tool, package = _TOOLS[compression]
    program = shutil.which(tool)
    if program is None:
        raise ToolMissing(tool, package=package, needed_for=f"to compress the initramfs with {compression}")
    arguments = {
        "lzo": [f"-{level}"],
        "lz4": ["-l", f"-{level}"],
        # The size makes the window no larger than the data. The kernel checks no gzip checksum either.
        "zstd": [f"-{level}", "--ultra", "--single-thread", "--no-check", f"--stream-size={source.stat().st_size}"],
    }[compression]
    with source.open("rb") as data, destination.open("wb") as out:
        done = subprocess.run([program, *arguments, "-c"], stdin=data, stdout=out, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-300:]
        raise EnvironmentFault(
            f"{tool} failed with code {done.returncode}: {said}", hint=f"try it by hand: {tool} {' '.join(arguments)}"
        )
    if compression == "lzo":
        _clear_lzop_time(destination)


def _clear_lzop_time(path: Path) -> None:
    """Set mode and time in lzop's header to 0: the two things in it that do not come from the data."""
    with path.open("r+b") as file:
        head = bytearray(file.read(64))
        # Magic 9, version 2, library 2, needed version 2, method 1, level 1, flags 4, mode 4, time 4+4, name length 1,
        # name, and a checksum of 4 over everything after the magic (lib/decompress_unlzo.c:parse_header()).
        length = head[33]
        end = 34 + length
        head[21:33] = bytes(12)
        checksum = zlib.crc32 if int.from_bytes(head[17:21], "big") & 0x1000 else zlib.adler32
        head[end : end + 4] = checksum(bytes(head[9:end])).to_bytes(4, "big")
        file.seek(0)
        file.write(head[: end + 4])
