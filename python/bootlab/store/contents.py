# SPDX-License-Identifier: MIT
"""What lies in a store and in the build cache, and what of it is old: runs, recordings, files that can be made again.

Nothing younger than a day is old, whatever is asked for: another command may have just made it. What a run that stays
names is kept with it.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.store import runs

LEAST_S = 86_400.0
_KEY = re.compile(rb"[0-9a-f]{32}")
_DEEP = frozenset({"kernels", "programs", "loaders"})
"""Folders of the cache with kinds of folders in them."""
_NEVER = frozenset({"locks", "new", "digests"})


class Share(msgspec.Struct, frozen=True):
    """A part of a store: how many things, and their bytes."""

    name: str
    count: int
    bytes: int


class Old(msgspec.Struct, frozen=True):
    """Something that is old enough to go. `seconds`: since it was last written or read."""

    kind: str
    path: Path
    bytes: int
    seconds: float


def shares(folder: Path) -> list[Share]:
    """Return what lies in a folder, a share for each name in it, the largest first."""
    found = []
    for place in _inside(folder):
        count = (
            sum(not one.name.startswith(".") for one in _inside(place))
            if place.is_dir() and not place.is_symlink()
            else 1
        )
        found.append(Share(place.name, count, _size(place)))
    return sorted(found, key=lambda share: (-share.bytes, share.name))


def old_runs(store: Path, age_s: float) -> list[Old]:
    """Return the runs that ended so long ago, and the recordings as old that no other run names."""
    limit = time.time() - max(age_s, LEAST_S)
    gone, named = [], set()
    for place in _inside(store / "runs"):
        if not place.is_dir():
            continue
        if _newest(place) < limit and not (place / runs.CAMPAIGN_FILE).exists():
            gone.append(_old("run", place))
        else:
            named |= _keys(place / runs.RESULTS_FILE)
    for place in _inside(store / "boots"):
        if place.name.startswith(".") or not place.is_dir() or _newest(place, read=True) >= limit:
            continue
        if place.name.partition("-")[0].encode() not in named:
            gone.append(_old("recording", place))
    return gone


def old_built(cache: Cache, age_s: float) -> list[Old]:
    """Return what in the build cache was neither written nor read for so long. All of it can be made again."""
    limit = time.time() - max(age_s, LEAST_S)
    return [_old("built", place) for place in _units(cache.root) if _newest(place, read=True) < limit]


def remove(old: list[Old], cache: Cache | None = None) -> list[Old]:
    """Remove what is old; return what is gone. `cache`: whose digests go with its files."""
    gone = []
    for one in old:
        try:
            if one.path.is_dir() and not one.path.is_symlink():
                shutil.rmtree(one.path)
            else:
                one.path.unlink()
        except OSError:
            continue
        gone.append(one)
        if one.kind == "built" and cache is not None:
            (cache.root / "digests" / one.path.name).unlink(missing_ok=True)
        if one.kind == "recording":
            for note in one.path.parent.glob(f".machines/*/{one.path.name}"):
                note.unlink(missing_ok=True)
    return gone


def _units(root: Path) -> Iterator[Path]:
    for place in _inside(root):
        if place.name in _NEVER or not place.is_dir():
            continue
        for inner in _inside(place):
            if place.name in _DEEP and inner.is_dir():
                yield from _inside(inner)
            else:
                yield inner


def _keys(results: Path) -> set[bytes]:
    """Return everything in a run's results that may be the key of a recording."""
    try:
        return set(_KEY.findall(results.read_bytes()))
    except OSError:
        return set()


def _old(kind: str, place: Path) -> Old:
    return Old(kind, place, _size(place), time.time() - _newest(place, read=kind != "run"))


def _inside(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from sorted(folder.iterdir())


def _walk(place: Path) -> Iterator[Path]:
    yield place
    if place.is_dir() and not place.is_symlink():
        for inner in _inside(place):
            yield from _walk(inner)


def _size(place: Path) -> int:
    size = 0
    for path in _walk(place):
        with contextlib.suppress(OSError):
            found = path.lstat()
            size += 0 if path.is_dir() and not path.is_symlink() else found.st_size
    return size


def _newest(place: Path, *, read: bool = False) -> float:
    """Return when something in a place was last written, or read."""
    newest = 0.0
    for path in _walk(place):
        with contextlib.suppress(OSError):
            found = path.lstat()
            # Looking into a folder reads it.
            is_file = not path.is_dir() or path.is_symlink()
            newest = max(newest, found.st_mtime, found.st_atime if read and is_file else 0.0)
    return newest
