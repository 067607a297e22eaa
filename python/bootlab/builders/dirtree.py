"""A folder of this machine as a tree of files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

from bootlab.builders.names import check_name, check_target
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree

_COUNT_MAX = 1_000_000


def read_directory(folder: Path, *, owners: bool = False) -> FileTree:
    """Read a folder into entries owned by root. Nothing is followed: a symlink stays one.

    Sockets are left out: whoever listens makes them anew. Raise UserError for what cannot be read, and for names that
    are not UTF-8.
    Owners are taken over only with `owners`: whoever unpacked the folder is not always who owns it on the target.
    """
    entries: dict[str, Entry] = {}
    todo = [(folder, "")]
    while todo:
        here, prefix = todo.pop()
        try:
            found = sorted(os.scandir(here), key=lambda item: item.name)
        except OSError as error:
            raise UserError(f"{here} cannot be read: {error.strerror}", hint=f"ls -ld {here}") from error
        for item in found:
            name = check_name(f"{prefix}/{item.name}")
            status = item.stat(follow_symlinks=False)
            if stat.S_ISSOCK(status.st_mode):
                continue
            entry = _entry(Path(item.path), name, status)
            entries[name] = msgspec.structs.replace(entry, uid=status.st_uid, gid=status.st_gid) if owners else entry
            if len(entries) > _COUNT_MAX:
                raise UserError(
                    f"{folder} holds more than {_COUNT_MAX} files", hint="name the root file system's folder"
                )
            if stat.S_ISDIR(status.st_mode):
                todo.append((Path(item.path), name))
    return FileTree.of(entries).with_links_named()


def _entry(path: Path, name: str, status: os.stat_result) -> Entry:
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode):
        if not os.access(path, os.R_OK):
            raise UserError(f"{path} cannot be read", hint=f"check its permissions: ls -l {path}")
        linked = f"{status.st_dev}:{status.st_ino}" if status.st_nlink > 1 else ""
        return Entry(kind="file", source=str(path), mode=mode, linked=linked)
    if stat.S_ISDIR(status.st_mode):
        return Entry(kind="dir", mode=mode)
    if stat.S_ISLNK(status.st_mode):
        return Entry(kind="symlink", target=check_target(name, str(path.readlink())), mode=0o777)
    if stat.S_ISFIFO(status.st_mode):
        return Entry(kind="fifo", mode=mode)
    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
        return Entry(
            kind="char" if stat.S_ISCHR(status.st_mode) else "block",
            mode=mode,
            major=os.major(status.st_rdev),
            minor=os.minor(status.st_rdev),
        )
    raise UserError(f"{path} is no file that a root tree can hold", hint=f"remove it: rm {path}")
