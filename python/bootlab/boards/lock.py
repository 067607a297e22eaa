# SPDX-License-Identifier: MIT
"""One board, one boot: a lock that every bootlab on this machine sees, and that the kernel drops with its holder."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Self

from bootlab.errors import TargetError, cannot_write
from bootlab.model.real_board import Board

_POLL_S = 0.1
_FOLDER = Path("/run/lock")


class BoardBusy(TargetError):
    """Another bootlab has the board."""


class BoardLock:
    """The board while the block lasts. The guard holds the same lock, until it has switched the board off."""

    def __init__(self, board: Board, stop: Event, told: Callable[[str], None] | None = None) -> None:
        """Wait for a board, as long as its limits say; `told` hears who has it."""
        self._board = board
        self._stop = stop
        self._told = told
        self._identity = identity_of(board)
        self.descriptor: int | None = None

    def __enter__(self) -> Self:
        """Take the lock. Raise BoardBusy when the board does not come free in time, or the wait is stopped."""
        if not self._identity:
            return self
        path = _path(self._identity)
        try:
            descriptor = _opened(path)
        except OSError as fault:
            raise cannot_write(f"{path}: the lock of {self._board.name}", fault, path.parent) from fault
        until = time.monotonic() + self._board.limits.wait_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = _holder(descriptor)
                if self._stop.is_set() or time.monotonic() > until:
                    os.close(descriptor)
                    raise self._busy(holder) from None
                if self._told is not None:
                    self._told(f"waiting: {holder} has the board")
                self._stop.wait(_POLL_S)
                continue
            break
        self.descriptor = descriptor
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go. The file stays: who waits for it has it open."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None

    def _busy(self, holder: str) -> BoardBusy:
        name = self._board.name
        if self._stop.is_set():
            return BoardBusy(f"stopped while {holder} had the board {name}", hint="run the same command again")
        return BoardBusy(
            f"{holder} has had the board {name} for {self._board.limits.wait_s:g} s",
            hint="wait for it or end it; limits.wait_s in board.toml says how long to wait",
        )


def lock_is_held(identity: str) -> tuple[bool, int | None]:
    """Return whether a bootlab of this machine has a board, and the process that took it; a guard may hold it longer.

    The lock is shared for an instant to see it: who comes just then tries again a tenth of a second later.
    """
    try:
        descriptor = os.open(_path(identity), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False, None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        said = os.pread(descriptor, 32, 0).strip()
        return True, int(said) if said.isdigit() else None
    finally:
        os.close(descriptor)
    return False, None


def waiting_for(identity: str) -> tuple[int, ...]:
    """Return the processes that wait for a board: they have its lock's file open, and hold no lock (proc(5): fdinfo).

    Those of other users cannot be seen.
    """
    path, found = str(_path(identity).resolve()), set()
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            process = descriptor.parent.parent
            if str(descriptor.readlink()) == path and "lock:" not in (process / "fdinfo" / descriptor.name).read_text():
                found.add(int(process.name))
    return tuple(sorted(found))


def identity_of(board: Board) -> str:
    """Return what makes two board files the same board: its console, place or host; "" where nobody can say yet."""
    if board.serial is not None:
        device = board.serial.device
        # A link that comes with the power leads to another terminal each time.
        named = "://" in device or board.serial.with_power
        return f"serial {device if named else os.path.realpath(device)}"
    if board.labgrid is not None:
        place = board.labgrid
        # The coordinator may be named by the environment's file alone; the same name elsewhere only waits.
        if place.place:
            return f"labgrid {place.place}"
        return f"labgrid {os.path.realpath(place.config)} {place.role}" if place.config is not None else ""
    return f"ssh {board.ssh.host}" if board.ssh is not None else ""


def _path(identity: str) -> Path:
    folder = _FOLDER if os.access(_FOLDER, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    return folder / f"bootlab-board-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.lock"


def _opened(path: Path) -> int:
    """Open the lock's file. Where another user made it, it is opened to read: flock needs no more."""
    flags = os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.suppress(PermissionError):
        descriptor = os.open(path, flags | os.O_RDWR | os.O_CREAT, 0o644)
        with contextlib.suppress(OSError):
            # Other users need it as well, whatever the umask is.
            os.fchmod(descriptor, 0o644)
        return descriptor
    return os.open(path, flags | os.O_RDONLY)


def _holder(descriptor: int) -> str:
    said = os.pread(descriptor, 32, 0).strip()
    return f"bootlab (process {said.decode()})" if said.isdigit() else "another bootlab"
