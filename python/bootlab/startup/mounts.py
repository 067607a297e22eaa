# SPDX-License-Identifier: MIT
"""What a start mounts: lines of `/etc/fstab`, `mount` commands of the scripts; and which files name the places."""

from __future__ import annotations

import itertools
import posixpath

import msgspec

from bootlab.model import fstab
from bootlab.startup.files import PROGRAM_MAX_BYTES, TreeFiles, norm
from bootlab.startup.scripts import Start


class Mount(msgspec.Struct, frozen=True):
    """One mount. `file`: where it is asked for. `start`, `end`: the bytes of the line or command there."""

    target: str
    type: str
    file: str
    start: int
    end: int
    is_command: bool


def find(files: TreeFiles, start: Start) -> tuple[Mount, ...]:
    """Return the mounts that a start makes: fstab's if somebody calls `mount -a`, and those of literal commands."""
    found: list[Mount] = []
    all_of_fstab = False
    for entry in start.entries:
        all_of_fstab |= entry.words[:1] != () and posixpath.basename(entry.words[0]) == "mount" and "-a" in entry.words
    for path, started in start.scripts.items():
        for command in started.script.commands if started.script else ():
            if posixpath.basename(command.name) != "mount":
                continue
            words = command.words[1:]
            if "-a" in words:
                all_of_fstab = True
            elif (
                None not in words
                and len(words) >= 2
                and (words[-1] or "").startswith("/")
                and "remount" not in " ".join(w or "" for w in words)
            ):
                kind = next((b for a, b in itertools.pairwise(words) if a == "-t"), "") or ""
                found.append(Mount(norm(words[-1] or ""), kind, path, command.start, command.end, is_command=True))
    return tuple(found) + (_of_fstab(files) if all_of_fstab else ())


def _of_fstab(files: TreeFiles) -> tuple[Mount, ...]:
    return tuple(
        Mount(norm(line.folder), line.fstype, "/etc/fstab", line.start, line.end, is_command=False)
        for line in fstab.read(files.text("/etc/fstab") or "")
        if line.folder.startswith("/") and "noauto" not in line.options and line.fstype != "swap"
    )


def named_by(files: TreeFiles, mount: Mount, read: list[str]) -> str:
    """Return a file among those that were read which names the mount point other than to mount it; "" for none.

    Links that lead there count too: a program may go through them.
    """
    targets = [
        mount.target,
        *(p for p, e in files.entries.items() if e.kind == "symlink" and files.real(p) == mount.target),
    ]
    for path in read:
        data = files.data(path, PROGRAM_MAX_BYTES)
        if data is None:
            continue
        if files.real(path) == files.real(mount.file):
            data = data[: mount.start] + data[mount.end :]
        if any(_names(data, target.encode()) for target in targets):
            return path
    return ""


def _names(data: bytes, target: bytes) -> bool:
    """Tell whether a path or one below it stands in some bytes: not as the beginning of a longer name."""
    at = data.find(target)
    while at >= 0:
        following = data[at + len(target) : at + len(target) + 1]
        if not (following.isalnum() or following in {b"_", b"-", b"."}):
            return True
        at = data.find(target, at + 1)
    return False
