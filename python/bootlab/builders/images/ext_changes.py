# SPDX-License-Identifier: MIT
"""A copy of a ready ext image with a few files changed, by debugfs: no root, no mount, and nothing is packed anew.

Everything that is not changed keeps its place, so that two variants differ in what was changed and in nothing else.
"""

from __future__ import annotations

import posixpath
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from bootlab.builders.images import ext, tool
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree

_TIMES = ("atime", "ctime", "mtime", "crtime")
_LINKS_MAX = 40
_FILE = Entry(kind="file")
_MISSING = "File not found by ext2_lookup"


def change(image: Path, start_bytes: int, given: FileTree, put: FileTree, dropped: tuple[str, ...]) -> None:
    """Change the ext file system that begins at a byte of an image. `given`: what is known of its tree.

    Raise ToolMissing, EnvironmentFault, and UserError for what does not fit or debugfs cannot be told.
    """
    debugfs = tool.find("debugfs", "e2fsprogs", "to change a copy of a ready image")
    known = given.as_dict()
    device = f"{image}?offset={start_bytes}" if start_bytes else str(image)
    places = {path: _real(path, known) for path in (*dropped, *(path for path, _ in put.entries))}
    absent = _absent(debugfs, device, places.values())
    old = [place for path, place in places.items() if place not in absent and known.get(place, _FILE).kind != "dir"]
    folders = [path for path in absent if path not in places.values()]
    with tempfile.TemporaryDirectory(prefix="bootlab-ext-", dir=image.parent) as folder:
        lines = [f"rm {ext.quoted(place)}" for place in old]
        for path in folders:
            lines += [f"mkdir {ext.quoted(path)}", *_fields(path, Entry(kind="dir"))]
        for number, (path, entry) in enumerate(put.entries):
            lines += _made(places[path], entry, Path(folder) / str(number))
        hint = "is the file system full? Make the image larger, or give its tree in place of it"
        ext.obey(debugfs, device, "\n".join(lines) + "\n", fault="the copy of the image cannot be changed: ", hint=hint)


def _made(path: str, entry: Entry, spare: Path) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    # mknod and write know no paths: they make a name in the folder that debugfs stands in.
    yield f"cd {ext.quoted(folder or '/')}"
    if entry.kind == "symlink":
        yield f"symlink {ext.quoted(name)} {ext.quoted(entry.target or '')}"
    elif entry.kind == "dir":
        yield f"mkdir {ext.quoted(path)}"
    elif entry.kind == "fifo":
        yield f"mknod {ext.quoted(name)} p"
    elif entry.kind in ext.NODES:
        yield f"mknod {ext.quoted(name)} {ext.NODES[entry.kind]} {entry.major} {entry.minor}"
    else:
        source = entry.source
        if source is None:
            spare.write_text(entry.text or "", encoding="utf-8")
            source = str(spare)
        yield f"write {ext.quoted(source)} {ext.quoted(name)}"
    yield from _fields(path, entry)


def _fields(path: str, entry: Entry) -> Iterator[str]:
    kinds = {"dir": 0o040000, "symlink": 0o120000, "fifo": 0o010000, "char": 0o020000, "block": 0o060000}
    yield f"sif {ext.quoted(path)} mode 0{kinds.get(entry.kind, 0o100000) | entry.mode:o}"
    for name, value in (("uid", entry.uid), ("gid", entry.gid), *((name, 0) for name in _TIMES)):
        yield f"sif {ext.quoted(path)} {name} {value}"


def _real(path: str, known: dict[str, Entry]) -> str:
    """Return a path with its folder behind the links that are known."""
    folder, name = posixpath.split(path)
    for _ in range(_LINKS_MAX):
        parts = [part for part in folder.split("/") if part]
        for depth in range(1, len(parts) + 1):
            prefix = "/" + "/".join(parts[:depth])
            entry = known.get(prefix)
            if entry is not None and entry.kind == "symlink" and entry.target:
                folder = posixpath.normpath(posixpath.join(posixpath.dirname(prefix), entry.target, *parts[depth:]))
                break
        else:
            return posixpath.join(folder, name)
    raise UserError(f"{path} cannot be put into the image: its folder is a link in a loop", hint="make the link again")


def _absent(debugfs: str, device: str, paths: Iterable[str]) -> list[str]:
    """Return what of some paths and their folders the image does not have yet, outer ones first."""
    wanted: dict[str, None] = {}
    for path in sorted(set(paths)):
        parts = [part for part in path.split("/") if part]
        wanted |= {"/" + "/".join(parts[:depth]): None for depth in range(1, len(parts) + 1)}
    if not wanted:
        return []
    script = "".join(f"testi {ext.quoted(path)}\n" for path in wanted)
    said = tool.run([debugfs, "-f", "/dev/stdin", device], environ=ext.NOW, source=script.encode())
    return [path for path in wanted if re.search(rf"^{re.escape(path)}: {_MISSING}", said, re.MULTILINE)]
