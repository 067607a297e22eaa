# SPDX-License-Identifier: MIT
"""A folder of this machine as a tree of files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats.names import check_name, check_target
from bootlab.model.tree import Entry, FileTree

_COUNT_MAX = 1_000_000
_KERNEL_S_OWN = frozenset({"proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "bpf", "configfs"})


def read_directory(folder: Path, *, owners: bool = False) -> FileTree:
    """Read a folder into entries owned by root. Nothing is followed: a symlink stays one.

    Sockets are left out: whoever listens makes them anew. Raise UserError for what cannot be read, and for names that
    are not UTF-8.
    Owners are taken over only with `owners`: whoever unpacked the folder is not always who owns it on the target.
    """
    _refuse_own_root(folder)
    made_up = _made_up()
    entries: dict[str, Entry] = {}
    todo = [(folder, "")]
    while todo:
        here, prefix = todo.pop()
        try:
            kind = made_up.get(here.stat().st_dev)
            found = sorted(os.scandir(here), key=lambda item: item.name) if kind is None else []
        except OSError as error:
            raise UserError(f"{here} cannot be read: {error.strerror}", hint=f"ls -ld {here}") from error
        if kind is not None:
            raise UserError(
                f"{here} is a file system of this machine's kernel ({kind}), not a part of a root tree",
                hint=f"umount {here}, or name a folder without it",
            )
        for item in found:
            name = check_name(f"{prefix}/{item.name}")
            try:
                status = item.stat(follow_symlinks=False)
            except OSError as error:
                raise _changed(folder, item.path, error) from error
            if stat.S_ISSOCK(status.st_mode):
                continue
            try:
                entry = _entry(Path(item.path), name, status)
            except OSError as error:
                raise _changed(folder, item.path, error) from error
            entries[name] = msgspec.structs.replace(entry, uid=status.st_uid, gid=status.st_gid) if owners else entry
            if len(entries) > _COUNT_MAX:
                raise UserError(
                    f"{folder} holds more than {_COUNT_MAX} files", hint="name the root file system's folder"
                )
            if stat.S_ISDIR(status.st_mode):
                todo.append((Path(item.path), name))
    return FileTree.of(entries).with_links_named()


def _refuse_own_root(folder: Path) -> None:
    try:
        is_root = folder.samefile("/")
    except OSError:
        # Whoever reads it says what is wrong.
        return
    if is_root:
        raise UserError(
            f"{folder} is the root of this machine itself", hint="name the folder that holds the system's own root tree"
        )


def _made_up() -> dict[int, str]:
    """Return the mounted file systems whose files the kernel makes up as they are read: kinds by device."""
    found: dict[int, str] = {}
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        # proc_pid_mountinfo(5): the third field is the device, and the kind stands behind " - ".
        head, _, tail = line.partition(" - ")
        fields, kind = head.split(), tail.partition(" ")[0]
        if kind in _KERNEL_S_OWN and len(fields) > 2:
            major, _, minor = fields[2].partition(":")
            found[os.makedev(int(major), int(minor))] = kind
    return found


def _changed(folder: Path, path: str, error: OSError) -> UserError:
    return UserError(
        f"{folder} changed while it was read: {path}: {error.strerror}",
        hint="let nothing write into it meanwhile, or read a copy of it: cp -a",
    )


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
