# SPDX-License-Identifier: MIT
"""A tree as a tar archive: how image programs that read one get device nodes and owners without root."""

from __future__ import annotations

import io
import tarfile
from typing import BinaryIO

from bootlab.builders.images.members import Member, blocks_of, root_of, size_of
from bootlab.model.tree import FileTree

_COPY_BYTES = 1 << 18
_TYPES = {
    "file": tarfile.REGTYPE,
    "dir": tarfile.DIRTYPE,
    "symlink": tarfile.SYMTYPE,
    "char": tarfile.CHRTYPE,
    "block": tarfile.BLKTYPE,
    "fifo": tarfile.FIFOTYPE,
}


def write(tree: FileTree, out: BinaryIO) -> None:
    """Write a tree as a GNU tar archive with times of 0 to an empty, seekable file.

    Zeros become holes of it, so that a sparse file of gigabytes costs no disk. Raise UserError for a file that cannot
    be read, or changes.
    """
    for member in root_of(tree).walk():
        out.write(_head(member).tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape"))
        if member.entry.kind == "file" and not member.link_to:
            size = 0
            for block in blocks_of(member, _COPY_BYTES):
                size += len(block)
                if block.count(0) == len(block):
                    out.seek(len(block), io.SEEK_CUR)
                else:
                    out.write(block)
            out.seek(-size % tarfile.BLOCKSIZE, io.SEEK_CUR)
    out.write(bytes(2 * tarfile.BLOCKSIZE))
    # What lies beyond the last write counts too.
    out.truncate(out.tell())


def _head(member: Member) -> tarfile.TarInfo:
    entry = member.entry
    info = tarfile.TarInfo("." + member.path.rstrip("/"))
    info.type = _TYPES[entry.kind]
    info.mode = entry.mode & 0o7777
    info.uid, info.gid = entry.uid, entry.gid
    info.devmajor, info.devminor = entry.major, entry.minor
    info.linkname = entry.target or ""
    if member.link_to:
        info.type, info.linkname = tarfile.LNKTYPE, "." + member.link_to
    elif entry.kind == "file":
        info.size = size_of(member)
    return info
