# SPDX-License-Identifier: MIT
"""ext2, ext3 and ext4, by e2fsprogs: an empty file system, filled by debugfs, which needs no root for device nodes.

mke2fs can take a folder too, but then the order of the host's folders and the times of its files get into the image.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

from bootlab.builders.images import tool
from bootlab.builders.images.members import Member, blocks_of, root_of, size_of
from bootlab.errors import UserError
from bootlab.model.tree import FileTree

REPLAYED = "recovery complete"
"""What the kernel says when it has replayed a journal."""
_BLOCK_BYTES = 1024
# Inodes 1 to 10 (fs/ext4/ext4.h: EXT4_GOOD_OLD_FIRST_INO is 11); the root is one of them.
_RESERVED_INODES = 10
# fs/jbd2: a block of the journal starts with its magic number and its type; 2 is a commit.
_COMMIT = bytes.fromhex("c03b399800000002")
Kind = Literal["ext2", "ext3", "ext4"]
NOW = {"E2FSPROGS_FAKE_TIME": "1", "MKE2FS_CONFIG": "/dev/null", "E2FSPROGS_LIBMAGIC_SUPPRESS": "1"}
_FEATURES = {
    "ext2": "none,filetype,sparse_super,large_file,ext_attr,dir_index",
    "ext3": "none,filetype,sparse_super,large_file,ext_attr,dir_index,has_journal",
    "ext4": "none,filetype,sparse_super,large_file,ext_attr,dir_index,has_journal,extent,huge_file,flex_bg,"
    "metadata_csum,dir_nlink,extra_isize",
}
NODES = {"char": "c", "block": "b"}
"""Device nodes, as debugfs names their kinds."""


def write(tree: FileTree, image: Path, *, kind: Kind, size_kib: int, replayed_kib: int = 0) -> int:
    """Write a tree as an image of a given size; return that in bytes.

    `replayed_kib`: leave it as if the power had been cut, with so much in the journal that is to be written again.

    Raise ToolMissing, EnvironmentFault, and UserError when the tree does not fit or a name cannot be said to debugfs.
    """
    make = tool.find("mke2fs", "e2fsprogs", f"to make {kind} images")
    fill = tool.find("debugfs", "e2fsprogs", f"to fill {kind} images")
    root = root_of(tree)
    # The journal is the smallest there is; a root that is mounted read-only never uses it.
    journal = [] if kind == "ext2" else ["-J", "size=1"]
    members = sum(1 for _ in root.walk())
    inodes = members + 64
    words = ["-q", "-F", "-t", kind, "-b", "1024", "-I", "128" if kind == "ext2" else "256", "-O", _FEATURES[kind]]
    words += ["-m", "0", "-U", tool.UUID, "-E", f"hash_seed={tool.UUID},root_owner=0:0,lazy_itable_init=0"]
    while True:
        image.unlink(missing_ok=True)
        tool.run([make, *words, "-N", str(inodes), *journal, str(image), f"{size_kib}k"], environ=NOW)
        # mke2fs makes a multiple of 8 in each group of blocks, and rounds down: with many groups far fewer than asked.
        lacking = members + _RESERVED_INODES - _inodes_of(image)
        if lacking <= 0:
            break
        inodes += lacking
    with tempfile.TemporaryDirectory(prefix="bootlab-ext-", dir=image.parent) as folder:
        obey(fill, str(image), "\n".join(_commands(root, Path(folder))) + "\n")
    if replayed_kib:
        _leave_unclean(fill, image, replayed_kib)
    return image.stat().st_size


def _inodes_of(image: Path) -> int:
    """Return how many inodes a file system has (fs/ext4/ext4.h: s_inodes_count, the superblock's first field)."""
    with image.open("rb") as file:
        file.seek(1024)
        return int.from_bytes(file.read(4), "little")


def _leave_unclean(fill: str, image: Path, count: int) -> None:
    """Put the last blocks of an image, as they are, into its journal: replaying them costs time and changes nothing."""
    data = image.read_bytes()
    first = len(data) // _BLOCK_BYTES - count
    with tempfile.NamedTemporaryFile(prefix="bootlab-ext-", dir=image.parent) as blocks:
        blocks.write(data[first * _BLOCK_BYTES :])
        blocks.flush()
        obey(fill, str(image), f"jo\njw -b {first}-{first + count - 1} {blocks.name}\njc\n")
    data = image.read_bytes()
    changed = bytearray(data)
    at = data.find(_COMMIT)
    while at >= 0:
        # The commit's time is that of this machine: 8 bytes of seconds and 4 of nanoseconds (struct commit_header).
        changed[at + 48 : at + 60] = bytes(12)
        at = data.find(_COMMIT, at + 4)
    image.write_bytes(changed)


def _commands(root: Member, folder: Path) -> list[str]:
    lines = ["rmdir lost+found"]
    for number, member in enumerate(root.walk()):
        # mknod knows no paths: it makes the node in the folder that debugfs stands in.
        path, name, entry = quoted(member.path), quoted(member.name.decode()), member.entry
        if member is not root:
            lines.append(f"cd {quoted(member.path.rpartition('/')[0] or '/')}")
            if member.link_to:
                # It only makes the name; the count is set with the first one's other fields.
                lines.append(f"ln {quoted(member.link_to)} {path}")
                continue
            if entry.kind == "dir":
                lines.append(f"mkdir {name}")
            elif entry.kind == "symlink":
                _check_target(member)
                lines.append(f"symlink {name} {quoted(entry.target or '', member.path)}")
            elif entry.kind == "fifo":
                lines.append(f"mknod {name} p")
            elif entry.kind in NODES:
                lines.append(f"mknod {name} {NODES[entry.kind]} {entry.major} {entry.minor}")
            else:
                lines.append(f"write {quoted(_source(member, folder, number))} {name}")
        lines.append(f"sif {path} mode 0{member.mode:o}")
        lines += [f"sif {path} {field} {value}" for field, value in _fields(member)]
    return lines


def _check_target(member: Member) -> None:
    size = size_of(member)
    if size >= _BLOCK_BYTES:
        raise UserError(
            f"the target of {member.path} is {size} bytes; an ext image with blocks of {_BLOCK_BYTES} bytes holds less "
            "than a block",
            hint="make the link with a shorter target, or use SquashFS",
        )


def _fields(member: Member) -> list[tuple[str, int]]:
    entry = member.entry
    links = [("links_count", member.names)] if member.names > 1 else []
    return [
        *links,
        ("uid", entry.uid),
        ("gid", entry.gid),
        *((name, 0) for name in ("atime", "ctime", "mtime", "crtime")),
    ]


def _source(member: Member, folder: Path, number: int) -> str:
    if member.entry.source is not None:
        size_of(member)
        return member.entry.source
    path = folder / str(number)
    path.write_bytes(b"".join(blocks_of(member, 1 << 20)))
    return str(path)


def quoted(text: str, path: str = "") -> str:
    """Return a text as debugfs takes it. Raise UserError for what it cannot take."""
    # debugfs reads lines; within quotes a doubled quote is one (lib/ss/parse.c).
    if any(ord(c) < 32 or c == "\x7f" for c in text):
        raise UserError(
            f"{path or text!r}: a control character cannot be put into an ext image", hint="rename the file"
        )
    return '"' + text.replace('"', '""') + '"'


def obey(debugfs: str, image: str, script: str, *, fault: str = "", hint: str = "") -> None:
    """Change an image by debugfs' commands. Raise UserError, which begins with `fault`, for its first complaint.

    It ends well whatever happened: every line that is not a command's echo is a complaint, but for a few.
    """
    said = tool.run([debugfs, "-w", "-f", "/dev/stdin", image], environ=NOW, source=script.encode())
    asked = set(script.splitlines())
    for line in said.splitlines():
        text = line.removeprefix("debugfs: ").strip()
        if text and text not in asked and not text.startswith(("debugfs 1.", "Allocated inode:")):
            raise UserError(
                f"{fault}debugfs: {text[:200]}", hint=hint or "if the tree does not fit, raise storage.root_kib"
            )
