# SPDX-License-Identifier: MIT
"""XFS, by xfsprogs: made and filled by mkfs.xfs from a prototype, which needs neither root nor a copy of the tree."""

from __future__ import annotations

import hashlib
import stat
import tempfile
from pathlib import Path

from bootlab.builders.images import sparse, steady, tool, xfs_log
from bootlab.builders.images.members import Member, blocks_of, root_of, size_of
from bootlab.errors import UserError
from bootlab.model.tree import FileTree

REPLAYED = "Ending recovery"
"""What the kernel says when it has replayed a log."""
NOT_REPLAYED = "no-recovery mode"
"""What the kernel says when it was told to leave the log alone (fs/xfs/xfs_log.c)."""
FILE_MAX_BYTES = (1 << 31) - 1
# What an inode of 512 bytes has room for. Longer ones mkfs.xfs puts into a block without the header that it must have.
TARGET_MAX_BYTES = 336
_NEEDED_FOR = "to make XFS images"
# mkfs.xfs since 5.19 makes none that are smaller.
_LEAST_MIB = 300
_GROUPS = 4
_BLOCK_BYTES = 4096
_INODE_BYTES = 512
# The log, and each allocation group's own headers.
_OWN_MIB, _OWN_GROUP_MIB = 128, 4
# Said, not left to the version: kernels since 5.10 mount this.
_FEATURES = f"crc=1,finobt=1,reflink=1,rmapbt=0,bigtime=1,inobtcount=1,uuid={tool.UUID}"
_TYPES = {"file": "-", "dir": "d", "symlink": "l", "char": "c", "block": "b", "fifo": "p"}


def size_kib(tree: FileTree) -> int:
    """Return the size of an image for a tree in KiB. mkfs.xfs wants each file in one piece of an allocation group."""
    sizes = [size_of(member) for member in root_of(tree).walk()]
    needed = sum(-(-size // _BLOCK_BYTES) * _BLOCK_BYTES + 2 * _INODE_BYTES for size in sizes)
    largest = max(sizes) * 9 >> 23
    return max((needed * 5 >> 22) + _OWN_MIB, _GROUPS * (largest + _OWN_GROUP_MIB), _LEAST_MIB) << 10


def write(tree: FileTree, image: Path, *, replayed_kib: int = 0) -> int:
    """Write a tree as an image; return its size in bytes. Names that are hard links of one file become copies.

    `replayed_kib`: leave it as if the power had been cut, with so much in the log that is to be written again.

    Raise ToolMissing, EnvironmentFault, and UserError when a file is too large or a name cannot be said to mkfs.xfs.
    """
    program = tool.find("mkfs.xfs", "xfsprogs", _NEEDED_FOR)
    editor = tool.find("xfs_db", "xfsprogs", _NEEDED_FOR)
    root = root_of(tree)
    with tempfile.TemporaryDirectory(prefix="bootlab-xfs-", dir=image.parent) as work:
        folder = Path(work)
        full = folder / "image"
        sparse.create(full, size_kib(tree) << 10)
        (folder / "prototype").write_bytes("\n".join(["-", "0 0", *_lines(root, folder), ""]).encode())
        words = [program, "-q", "-p", "prototype", "-d", f"agcount={_GROUPS}", "-m", _FEATURES, "image"]
        tool.run(words, environ=steady.search_paths(_NEEDED_FOR), folder=folder)
        _set_sticky(editor, root, full)
        if replayed_kib:
            xfs_log.leave_unclean(full, replayed_kib << 10)
        # The log is written as zeros, 64 MiB of them.
        sparse.copy(full, 0, image)
    return image.stat().st_size


def _lines(member: Member, folder: Path) -> list[str]:
    """Return a member's lines of the prototype; those of a folder's members, and its end, follow it."""
    entry = member.entry
    name = [] if member.path == "/" else [_word(member.name.decode(), member.path)]
    flags = ("u" if entry.mode & stat.S_ISUID else "-") + ("g" if entry.mode & stat.S_ISGID else "-")
    words = [*name, f"{_TYPES[entry.kind]}{flags}{entry.mode & 0o777:03o}", str(entry.uid), str(entry.gid)]
    if entry.kind == "file":
        words.append(_content(member, folder))
    elif entry.kind == "symlink":
        if size_of(member) > TARGET_MAX_BYTES:
            raise UserError(
                f"the target of {member.path} is {size_of(member)} bytes; mkfs.xfs puts no more than "
                f"{TARGET_MAX_BYTES} into a link",
                hint="make the link with a shorter target, or use another file system",
            )
        words.append(_word(entry.target or "", member.path))
    elif entry.kind in {"char", "block"}:
        words += [str(entry.major), str(entry.minor)]
    line = [" ".join(words)]
    if entry.kind == "dir":
        line += [text for inner in member.members for text in _lines(inner, folder)] + ["$"]
    return line


def _content(member: Member, folder: Path) -> str:
    if size_of(member) > FILE_MAX_BYTES:
        raise UserError(
            f"{member.path} is {size_of(member)} bytes; mkfs.xfs allows files below 2 GiB",
            hint="leave it out, or use ext4",
        )
    path = folder / hashlib.sha256(member.path.encode()).hexdigest()
    if member.entry.source is not None:
        path.symlink_to(Path(member.entry.source).absolute())
    else:
        path.write_bytes(b"".join(blocks_of(member, 1 << 20)))
    return path.name


def _word(text: str, path: str) -> str:
    """Return a word of the prototype, which knows no quotes: spaces end one, and a colon begins a comment."""
    if not text or text == "$" or text.startswith(":") or any(c.isascii() and c.isspace() for c in text):
        raise UserError(
            f"{path!r}: {text!r} cannot be put into an XFS image; mkfs.xfs allows no spaces in names and targets",
            hint="rename the file, or use another file system",
        )
    return text


def _set_sticky(editor: str, root: Member, image: Path) -> None:
    """Set what a prototype has no letter for: the bit of /tmp that keeps others' files."""
    for member in root.walk():
        if member.entry.mode & stat.S_ISVTX:
            mode = f"write core.mode 0{member.mode:o}"
            tool.run([editor, "-x", "-c", f"path {member.path}", "-c", mode, str(image)])
