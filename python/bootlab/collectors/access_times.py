# SPDX-License-Identifier: MIT
"""Access times of a tree that a board has booted from: which files were used, with a right clock and with a wrong one.

The kernel sets them when a file is read, mapped or executed, a folder listed, a link followed
(`fs/inode.c:touch_atime()`). On a mount with `noatime` it never does. With `relatime`, which the kernel takes where
nothing is said, it does when the time is not younger than that of the last change, or a day old: a mark set here is
older than both, so the first access shows; comparing with a marker file needs `strictatime`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import UserError
from bootlab.model.accesses import Access, Accesses, Kind, MethodState

MARK_NS = 1_000_000_001
"""A second and a nanosecond into 1970, which no clock shows for long."""
_MARK_COARSE_NS = 1_000_000_000
"""The same on a file system that keeps whole seconds."""
_PLAUSIBLE_S = 946_684_800
"""2000-01-01: a clock before that was never set."""
_COUNT_MAX = 1_000_000
_KINDS: dict[int, Kind] = {stat.S_IFREG: "read", stat.S_IFDIR: "listed", stat.S_IFLNK: "followed"}

Way = Literal["mark", "newer", "since"]


class AccessTimes(msgspec.Struct, frozen=True, kw_only=True):
    """What a tree's access times tell. `way`: what they were compared with; `unused`: regular files, and their bytes.

    `warnings`: what makes the answer doubtful.
    """

    way: Way
    accesses: Accesses
    names: int
    unused_files: int
    unused_bytes: int
    warnings: tuple[str, ...] = ()


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """How many names were marked; `refused`: those that could not be, and the first one's reason."""

    names: int
    refused: int = 0
    reason: str = ""


def mark(tree: Path) -> Marked:
    """Give every file, folder and link of a tree an access time that nothing else has. Raise UserError."""
    names = refused = 0
    reason = ""
    # A folder's own mark comes after what it holds: where we may not look without a trace, looking reads the folder.
    for path, _ in reversed(_walk(tree)):
        try:
            status = path.lstat()
            os.utime(path, ns=(MARK_NS, status.st_mtime_ns), follow_symlinks=False)
            names += 1
        except OSError as fault:
            refused += 1
            reason = reason or f"{path}: {fault.strerror}"
    if not names:
        raise UserError(
            f"no access time below {tree} could be set: {reason or 'it is empty'}",
            hint="mount it read-write, as root: mount -o remount,rw TREE",
        )
    return Marked(names=names, refused=refused, reason=reason)


def read(tree: Path, *, since_ns: int | None = None, newer: str | None = None) -> AccessTimes:
    """Tell which names of a tree were used: since the mark, since a time, or since a file of the tree was last written.

    Raise UserError when the tree cannot be read, or nothing in it carries what is compared with.
    """
    found = _walk(tree)
    warnings = list(_of_mount(tree))
    way: Way = "mark"
    limit_ns = 0
    if newer is not None:
        way, limit_ns = "newer", _marker(tree, newer).st_mtime_ns
    elif since_ns is not None:
        way, limit_ns = "since", since_ns
    elif not any(_is_marked(status) for _, status in found):
        raise UserError(
            f"nothing below {tree} has bootlab's mark, so access times alone prove nothing",
            hint="before the boot: bootlab rootfs atime TREE --mark   (or compare: --newer FILE, --since TIME)",
        )
    seen, unused, unused_bytes = [], 0, 0
    for path, status in found:
        used = not _is_marked(status) if way == "mark" else status.st_atime_ns >= limit_ns
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        if used and kind is not None:
            name = "/" + str(path.relative_to(tree))
            seen.append(Access(path=name, method="atime", kind=kind))
        elif kind == "read":
            unused += 1
            unused_bytes += status.st_size
    warnings += _of_clock(way, [status for _, status in found], limit_ns)
    text = {
        "mark": "access times other than the mark",
        "newer": f"access times not older than the last write to {newer}",
        "since": "access times not older than the time given",
    }[way]
    return AccessTimes(
        way=way,
        accesses=Accesses(methods=(MethodState(name="atime", works=True, text=text),), seen=tuple(seen)),
        names=len(found),
        unused_files=unused,
        unused_bytes=unused_bytes,
        warnings=tuple(warnings),
    )


def _walk(tree: Path) -> list[tuple[Path, os.stat_result]]:
    """Return what lies below a folder on its own file system, a folder before what it holds. Looked at before read."""
    try:
        device = tree.stat().st_dev
    except OSError as fault:
        raise UserError(f"{tree} cannot be read: {fault.strerror}", hint=f"ls -ld {tree}") from fault
    if not tree.is_dir():
        raise UserError(
            f"{tree} is not a folder", hint="mount the board's root and name the folder that it is mounted on"
        )
    found: list[tuple[Path, os.stat_result]] = []
    todo = [tree]
    while todo:
        folder = todo.pop()
        try:
            inside = [folder / name for name in _listed(folder)]
        except OSError as fault:
            raise UserError(f"{folder} cannot be read: {fault.strerror}", hint="read it as root") from fault
        for path in inside:
            status = path.lstat()
            if status.st_dev != device:
                continue
            found.append((path, status))
            if len(found) > _COUNT_MAX:
                raise UserError(f"{tree} holds more than {_COUNT_MAX} files", hint="name the root's own folder")
            if stat.S_ISDIR(status.st_mode):
                todo.append(path)
    return found


def _listed(folder: Path) -> list[str]:
    """Return what a folder holds without changing its access time, where we may."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOATIME)
    except PermissionError:
        return sorted(path.name for path in folder.iterdir())
    try:
        with os.scandir(handle) as inside:
            return sorted(item.name for item in inside)
    finally:
        os.close(handle)


def _is_marked(status: os.stat_result) -> bool:
    return status.st_atime_ns in {MARK_NS, _MARK_COARSE_NS}


def _marker(tree: Path, name: str) -> os.stat_result:
    path = tree / name.lstrip("/")
    try:
        return path.stat(follow_symlinks=False)
    except OSError as fault:
        raise UserError(
            f"the marker {path} cannot be read: {fault.strerror}",
            hint="let the board's first script write it: touch /marker",
        ) from fault


def _of_mount(tree: Path) -> list[str]:
    """Warn of how the tree is mounted here, which says how it may have been on the board."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        device = tree.stat().st_dev
    except OSError:
        return []
    number = f"{os.major(device)}:{os.minor(device)}"
    options = next((words[5] for words in map(str.split, reversed(lines)) if len(words) > 5 and words[2] == number), "")
    if "noatime" in options.split(","):
        return ["it is mounted with noatime here; a board that mounts it so changes no access time at all"]
    return []


def _of_clock(way: Way, states: list[os.stat_result], limit_ns: int) -> list[str]:
    times = [status.st_atime_ns for status in states if not _is_marked(status)]
    if way == "since" and times and max(times) < limit_ns:
        return ["no access time is that young: was the board's clock wrong? Compare with a marker file: --newer FILE"]
    early = sum(time_ns < _PLAUSIBLE_S * 1_000_000_000 for time_ns in times)
    if way == "since" and early:
        return [f"{early} access times are before the year 2000: the board's clock was wrong for a while; use --mark"]
    return []
