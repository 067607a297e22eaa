# SPDX-License-Identifier: MIT
"""A recording that comes over the network: an archive of its files, unpacked within limits."""

from __future__ import annotations

import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from starlette.requests import Request

from bootlab.errors import UserError

MOST_BYTES = 64 << 20
MOST_UNPACKED_BYTES = 256 << 20
_MOST_FILES = 64
_HINT = "tar -C RECORDING -cJf boot.tar.xz ."


async def body(request: Request) -> IO[bytes]:
    """Return what a request carries, on the disk. Raise UserError where it is larger than `MOST_BYTES`."""
    file = tempfile.TemporaryFile(prefix="bootlab-serve-")  # noqa: SIM115 - the caller closes it
    try:
        size = 0
        async for part in request.stream():
            size += len(part)
            _within(size, MOST_BYTES, "the recording is larger than")
            file.write(part)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def unpacked(archive: IO[bytes]) -> Iterator[Path]:
    """Unpack an archive (tar, plain or packed) of one folder's files for as long as the block lasts. Raise UserError.

    An archive with anything but plain files in one folder is refused as a whole: folders in it, links, devices, names
    that lead elsewhere, a name twice.
    """
    with tempfile.TemporaryDirectory(prefix="bootlab-serve-") as name:
        try:
            _unpack(archive, Path(name))
        except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError) as fault:
            raise UserError(f"this is not an archive of a recording: {fault}", hint=_HINT) from fault
        yield Path(name)


def _unpack(archive: IO[bytes], folder: Path) -> None:
    size = files = 0
    with tarfile.open(fileobj=archive, mode="r|*") as members:
        for member in members:
            base = member.name.removeprefix("./")
            if member.isdir() and base in {"", "."}:
                continue
            data = members.extractfile(member) if member.isreg() else None
            if data is None or "/" in base or base in {"", ".", ".."} or (folder / base).exists():
                raise UserError(f"the archive holds {member.name[:80]!r}, which is no part of a recording", hint=_HINT)
            size, files = size + member.size, files + 1
            _within(size, MOST_UNPACKED_BYTES, "the archive unpacks to more than")
            if files > _MOST_FILES:
                raise UserError(f"the archive holds more than {_MOST_FILES} files", hint=_HINT)
            (folder / base).write_bytes(data.read())


def _within(size: int, most: int, what: str) -> None:
    if size > most:
        raise UserError(f"{what} {most >> 20} MiB", hint=_HINT)
