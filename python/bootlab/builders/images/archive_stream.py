"""A tree as a tar archive: how image programs that read one get device nodes and owners without root."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import BinaryIO

from bootlab.builders.images.members import root_of, size_of
from bootlab.errors import UserError
from bootlab.model.tree import FileTree

_TYPES = {
    "file": tarfile.REGTYPE,
    "dir": tarfile.DIRTYPE,
    "symlink": tarfile.SYMTYPE,
    "char": tarfile.CHRTYPE,
    "block": tarfile.BLKTYPE,
    "fifo": tarfile.FIFOTYPE,
}


def write(tree: FileTree, out: BinaryIO) -> None:
    """Write a tree as a GNU tar archive with times of 0. Raise UserError for a file that cannot be read."""
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as archive:
        for member in root_of(tree).walk():
            entry = member.entry
            info = tarfile.TarInfo("." + member.path.rstrip("/"))
            info.type = _TYPES[entry.kind]
            info.mode = entry.mode & 0o7777
            info.uid, info.gid = entry.uid, entry.gid
            info.devmajor, info.devminor = entry.major, entry.minor
            info.linkname = entry.target or ""
            if entry.kind != "file":
                archive.addfile(info)
                continue
            info.size = size_of(member)
            if entry.source is None:
                archive.addfile(info, io.BytesIO((entry.text or "").encode()))
                continue
            try:
                with Path(entry.source).open("rb") as stream:
                    archive.addfile(info, stream)
            except OSError as error:
                raise UserError(
                    f"{entry.source}, for {member.path}, cannot be read: {error.strerror or error}",
                    hint=f"ls -l {entry.source}",
                ) from error
