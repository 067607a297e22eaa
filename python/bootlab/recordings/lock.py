# SPDX-License-Identifier: MIT
"""Locks between processes that the kernel drops when their holder ends, however it ends.

`flock(2)` on a file. It holds between processes, threads, and containers on one machine, whatever numbers their
processes have. On NFS, Linux asks the server for it (since 2.6.12), so it holds between machines too; a machine that
crashes is forgotten by an NFSv4 server after its lease (90 s). Two things are different there: `local_lock` or `nolock`
among the mount's options keep locks on each machine, and some network file systems have none. Whoever needs to know
whether a lock can be trusted between machines asks for `Lock.real`, and for the machine (`this_machine`).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

_LOG = logging.getLogger("bootlab")
_LOOK_EVERY_S = 0.2
_NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})


class Lock:
    """A lock that is held. `real`: False on a file system without locks, where it keeps nobody out."""

    def __init__(self, path: Path, file: BinaryIO, *, real: bool, stays: bool) -> None:
        """Hold what was taken. `stays`: its file is not there for the lock alone."""
        self.real = real
        self._stays = stays
        self._path = path
        self._file = file

    def __del__(self) -> None:
        """Let go of what nobody can release any more."""
        self._file.close()

    def release(self) -> None:
        """Let it go, and remove its file unless that stays."""
        # While it is held: who waits for it looks whether its file is still there.
        if not self._stays:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self._file.close()


def take(path: Path, *, stays: bool = False) -> Lock | None:
    """Take a lock now; None where somebody else holds it. Its file is made, and its folder. Raise OSError.

    `stays`: the file has a meaning of its own, and is not removed with the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            file.close()
            if fault.errno in _NO_LOCKS:
                _tell_no_locks(path.parent)
                return Lock(path, path.open("ab"), real=False, stays=stays)
            if fault.errno in {errno.EWOULDBLOCK, errno.EACCES}:
                return None
            raise
        if _is(path, file):
            return Lock(path, file, real=True, stays=stays)
        # It was released between the two calls, and its file removed.
        file.close()


@contextlib.contextmanager
def held(path: Path, stop: threading.Event, waits: Callable[[], None]) -> Iterator[bool]:
    """Hold a lock as long as the block runs, waiting for it. Raise OSError.

    False, without the lock, when `stop` was set while somebody else held it. `waits`: called once before waiting.
    """
    lock = take(path)
    if lock is None:
        waits()
        while lock is None and not stop.wait(_LOOK_EVERY_S):
            lock = take(path)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.release()


@functools.cache
def this_machine() -> str:
    """Return what names this machine's kernel since it was started: the same in all its containers, or "" unknown."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip().replace("-", "")[:12]
    except (OSError, ValueError):
        return ""


def _is(path: Path, file: BinaryIO) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    own = os.fstat(file.fileno())
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


@functools.cache
def _tell_no_locks(folder: Path) -> None:
    _LOG.warning("%s: this file system has no locks, so two commands on one store may make the same boot twice", folder)
