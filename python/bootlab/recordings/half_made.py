# SPDX-License-Identifier: MIT
"""Recordings that are being made: where they lie until they are whole, who makes them, what becomes of the others.

`boots/.KEY.MACHINE-TOKEN` is filled and then gets its name, KEY. As long as somebody fills it, he holds a lock of the
same name in `boots/.locks`, and one named KEY, so that nobody else makes the same boot.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bootlab.recordings import lock

_LOCKS = ".locks"
_COUNTER = ".fresh"
_NAME = re.compile(r"\.(?P<key>[^.]+)\.(?P<machine>[0-9a-f]*)-[0-9a-f]{12}(?P<rest>\..*)?")
_OLDER = re.compile(r"\.[^.]+\.\d+\.\d+\.\d+(\..*)?")
"""How bootlab 0.2 named them: `.KEY.PROCESS.THREAD.TIME`."""
_ABANDONED_S = 24 * 3600


@contextlib.contextmanager
def half_made(place: Path) -> Iterator[Path]:
    """Give the path of a folder in which the recording of `place` is made, and hold its lock. Raise OSError.

    What still lies there behind the block is removed: a recording that became whole was moved to its place.
    """
    work = place.with_name(f".{place.name}.{lock.this_machine()}-{os.urandom(6).hex()}")
    # Nobody waits for it, but who sweeps may look at it this very moment.
    with lock.held(place.parent / _LOCKS / work.name, threading.Event(), lambda: None):
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def making(place: Path, stop: threading.Event, waits: Callable[[], None]) -> Iterator[bool]:
    """Be the only one who makes the recording of `place`; who comes second waits. As :func:`lock.held`."""
    with lock.held(place.parent / _LOCKS / place.name, stop, waits) as alone:
        yield alone


def key_of(half: Path) -> str:
    """Return the name that a half-made recording will get."""
    return half.name.split(".")[1]


def reserve(boots: Path, taken: int, count: int) -> int:
    """Reserve numbers of fresh boots and return the first: above `taken`, and above all that anybody else reserved."""
    try:
        with lock.held(boots / _LOCKS / _COUNTER, threading.Event(), lambda: None):
            first = max(taken, _last(boots / _COUNTER)) + 1
            (boots / _COUNTER).write_text(f"{first + count - 1}\n", encoding="ascii")
            return first
    except OSError:
        # Boots that need it say what is wrong with the store.
        return taken + 1


def sweep(boots: Path) -> None:
    """Remove what a bootlab that was killed left half-made: what nobody holds the lock of.

    Of what was made on another machine, only what is a day old: there the lock may be known to that machine alone. So
    is what an older bootlab makes, which holds no lock.
    """
    with contextlib.suppress(OSError):
        for half in list(boots.glob(".*.*")):
            with contextlib.suppress(OSError):
                _sweep(boots, half)
        for left in list((boots / _LOCKS).glob("*")):
            if (free := lock.take(left)) is not None:
                free.release()


def _sweep(boots: Path, half: Path) -> None:
    named = _NAME.fullmatch(half.name)
    if named is None:
        if _OLDER.fullmatch(half.name) and _is_old(half):
            _remove(half)
        return
    if named["machine"] != lock.this_machine() and not _is_old(half):
        return
    name = half.name.removesuffix(named["rest"] or "")
    mine = lock.take(boots / _LOCKS / name)
    if mine is None:
        return
    try:
        if mine.real or _is_old(half):
            _remove(half)
    finally:
        mine.release()


def _is_old(path: Path) -> bool:
    newest_s = max((part.lstat().st_mtime for part in (path, *path.rglob("*"))), default=0.0)
    return time.time() - newest_s > _ABANDONED_S


def _remove(half: Path) -> None:
    if half.is_dir() and not half.is_symlink():
        shutil.rmtree(half, ignore_errors=True)
    else:
        os.unlink(half)  # noqa: PTH108 - the same for a link


def _last(counter: Path) -> int:
    try:
        return int(counter.read_text(encoding="ascii")[:20])
    except (OSError, ValueError):
        return 0
