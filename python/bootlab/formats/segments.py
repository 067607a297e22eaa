# SPDX-License-Identifier: MIT
"""The pieces of an existing initramfs: archives and compressed archives one after another, as the kernel takes them.

`init/initramfs.c:unpack_to_rootfs()`: at a piece's start, zeros are padding, "0" starts a bare archive, and anything
else must be a known compressed format (`lib/decompress.c`) that holds archives only.
"""

from __future__ import annotations

import bz2
import lzma
import mmap
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

from bootlab.errors import ToolMissing, UserError
from bootlab.formats import magics
from bootlab.formats.frames import FRAME_ENDS, BadFrame
from bootlab.model.tree import Compression

Bytes = mmap.mmap | bytes
SIZE_MAX_BYTES = 2 << 30
"""What all pieces of one archive may unpack to: more than any initramfs, less than what fills a disk."""

_CHUNK_BYTES = 1 << 18
# A header may ask for 4 GiB; no machine that boots from an initramfs would give that to its decompressor.
_DICTIONARY_MAX_BYTES = 256 << 20
_MAGICS: tuple[tuple[bytes, Compression], ...] = (
    (magics.GZIP, "gzip"),
    (magics.BZIP2, "bzip2"),
    (magics.LZMA, "lzma"),
    (magics.XZ + b"\0", "xz"),
    (b"\x89LZO\x00\x0d\x0a\x1a\x0a", "lzo"),
    (magics.LZ4_OF_THE_KERNEL, "lz4"),
    (magics.ZSTD, "zstd"),
)


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def _lzma() -> _Decoder:
    return lzma.LZMADecompressor(memlimit=_DICTIONARY_MAX_BYTES)


class _Inflate:
    """zlib's object with the face of bz2's and lzma's."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


def compression_at(data: Bytes, offset: int) -> Compression | None:
    """Name the compressed format that starts at an offset, or None."""
    start = data[offset : offset + 9]
    return next((name for magic, name in _MAGICS if start.startswith(magic)), None)


def expand(data: Bytes, offset: int, name: str, out: BinaryIO, room_bytes: int) -> int:
    """Unpack the compressed piece at an offset into a file; return the offset behind it.

    Raise UserError when it is damaged or larger than `room_bytes`, ToolMissing when its program is not installed.
    """
    try:
        if name in FRAME_ENDS:
            end = FRAME_ENDS[name](data, offset)
            _expand_by_tool(data, offset, end, name, out, room_bytes)
            return end
        return _expand_here(data, offset, name, out, room_bytes)
    except (zlib.error, lzma.LZMAError, OSError, EOFError, BadFrame) as error:
        raise _damaged(name, offset) from error


def _expand_here(data: Bytes, offset: int, name: str, out: BinaryIO, room_bytes: int) -> int:
    decoders: dict[str, Callable[[], _Decoder]] = {"gzip": _Inflate, "bzip2": bz2.BZ2Decompressor}
    decoder = decoders.get(name, _lzma)()
    position = offset
    while not decoder.eof:
        chunk = b""
        if decoder.needs_input:
            chunk = data[position : position + _CHUNK_BYTES]
            position += len(chunk)
            if not chunk:
                raise _damaged(name, offset)
        room_bytes -= out.write(decoder.decompress(chunk, _CHUNK_BYTES))
        if room_bytes < 0:
            raise _too_large()
    return position - len(decoder.unused_data)


def _expand_by_tool(data: Bytes, offset: int, end: int, name: str, out: BinaryIO, room_bytes: int) -> None:
    tool = {"lzo": "lzop"}.get(name, name)
    program = shutil.which(tool)
    if program is None:
        raise ToolMissing(tool, package=tool, needed_for=f"to read an initramfs compressed with {name}")
    arguments = ["-dc", "--memory=128MB"] if name == "zstd" else ["-dc"]
    # A file and not a pipe as input, so that nobody waits for anybody.
    with tempfile.TemporaryFile() as piece:
        for start in range(offset, end, _CHUNK_BYTES):
            piece.write(data[start : min(start + _CHUNK_BYTES, end)])
        piece.seek(0)
        with subprocess.Popen(
            [program, *arguments], stdin=piece, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as run:
            while run.stdout is not None and room_bytes >= 0 and (chunk := run.stdout.read(_CHUNK_BYTES)):
                room_bytes -= out.write(chunk)
            if room_bytes < 0:
                run.kill()
                raise _too_large()
    if run.returncode:
        raise _damaged(name, offset)


def _damaged(name: str, offset: int) -> UserError:
    return UserError(f"the {name} data at byte {offset} is damaged or cut off", hint="copy or build the archive again")


def _too_large() -> UserError:
    return UserError(
        f"it unpacks to more than {SIZE_MAX_BYTES >> 30} GiB", hint="name a folder instead: [initramfs] dir = ..."
    )
