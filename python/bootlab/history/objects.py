# SPDX-License-Identifier: MIT
"""Recordings by content, beside the database: a file each, named by the digest of what is in it.

A file is written whole, to the disk, before the database names it. So whatever the database has acknowledged is there,
and a writer that was killed leaves nothing but a file without a row, which `prune` removes after a day.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bootlab.errors import UserError, cannot_write

_DAY_S = 86_400
_MOST_BYTES = 2 << 30


class Objects:
    """Recordings in a folder: `FOLDER/ab/abcdef….tar.xz`."""

    def __init__(self, folder: Path) -> None:
        """Keep them in a folder, which is made when the first one comes."""
        self.folder = folder

    def add(self, recording: Path) -> str:
        """Keep a recording's folder; return its digest. The same recording is kept once."""
        data = packed(recording)
        digest = hashlib.sha256(data).hexdigest()
        place = self.path(digest)
        if place.is_file():
            # A file that is about to be pruned because no row named it must not go now.
            os.utime(place)
            return digest
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".new-", delete=False) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(place)
            _settle(place.parent)
            _settle(self.folder)
        except OSError as fault:
            raise cannot_write(f"{place} cannot be written", fault, self.folder) from fault
        return digest

    def path(self, digest: str) -> Path:
        """Return where the object with a digest is kept."""
        return self.folder / digest[:2] / f"{digest}.tar.xz"

    def intact(self, digest: str) -> bool:
        """Tell whether an object is there and holds what its name says."""
        try:
            return hashlib.sha256(self.path(digest).read_bytes()).hexdigest() == digest
        except OSError:
            return False

    def names(self, digest: str) -> frozenset[str]:
        """Return the names of a recording's files; none where it is gone or damaged."""
        if not self.intact(digest):
            return frozenset()
        with tarfile.open(self.path(digest)) as archive:
            return frozenset(member.name for member in archive if member.isreg())

    def extract(self, digest: str, folder: Path) -> Path:
        """Unpack a recording into a folder. Raise UserError when it is gone or damaged."""
        if not self.intact(digest):
            raise UserError(
                f"the recording {digest[:12]} is not in {self.folder}, or is damaged",
                hint="its times are still in the database; restore the folder from a backup",
            )
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(self.path(digest)) as archive:
            # Files of one folder are all that `packed` puts in, so nothing else comes out, wherever it says it belongs.
            for member in archive:
                if member.isreg() and (data := archive.extractfile(member)) is not None:
                    (folder / Path(member.name).name).write_bytes(data.read())
        return folder

    def prune(self, wanted: Iterable[str], *, now_s: float | None = None, dry: bool = False) -> tuple[int, int]:
        """Remove what is older than a day and not wanted; return how many files and bytes. `dry`: remove nothing.

        A younger one may belong to a writer whose row is not there yet.
        """
        keep = set(wanted)
        limit = (time.time() if now_s is None else now_s) - _DAY_S
        gone = size = 0
        for path in [*self.folder.glob("??/*.tar.xz"), *self.folder.glob("??/.new-*")]:
            if path.name.partition(".")[0] in keep:
                continue
            try:
                stat = path.stat()
                if stat.st_mtime > limit:
                    continue
                if not dry:
                    path.unlink()
            except FileNotFoundError:
                continue
            gone, size = gone + 1, size + stat.st_size
        return gone, size


def packed(folder: Path) -> bytes:
    """Return a folder as an archive that has the same bytes wherever and whenever it is made."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    if not files:
        raise UserError(f"{folder} is not a recording: it has no files", hint="bootlab boot SYSTEM.toml makes one")
    if sum(path.stat().st_size for path in files) > _MOST_BYTES:
        raise UserError(f"{folder} is larger than {_MOST_BYTES >> 30} GiB", hint="keep its times alone: --times-only")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz", preset=1, format=tarfile.PAX_FORMAT) as archive:
        for path in files:
            data = path.read_bytes()
            head = tarfile.TarInfo(path.name)
            head.size, head.mode, head.mtime = len(data), 0o644, 0
            archive.addfile(head, io.BytesIO(data))
    return buffer.getvalue()


def _settle(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
