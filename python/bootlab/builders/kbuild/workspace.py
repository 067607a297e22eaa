# SPDX-License-Identifier: MIT
"""Object folders: one for each build, kept when it is cut off, started from the objects of the nearest kernel."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bootlab.builders.kbuild.overlay import OBJECTS
from bootlab.errors import EnvironmentFault
from bootlab.recordings import sealed

KEPT = 6
"""Object folders that are kept for later builds, over all source trees and compilers (some 100 MB each)."""

_COUNTED = 3
"""Of so many the objects that would have to be built again are counted: some tenths of a second each."""

_DONE = "done.json"
_DEPENDS = re.compile(rb"include/config/(\w+)\)")


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What stands beside the objects of a build that ended well."""

    config: dict[str, str]
    patches: str
    objects: int


class Workspace:
    """The object folders of one source tree and compiler: `family` names both and the architecture."""

    def __init__(self, root: Path, family: str) -> None:
        """Open `root/family`, making it."""
        self._root = root
        self.folder = root / family
        self.folder.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def locked(self, slot: str) -> Iterator[Path]:
        """Hold a slot's lock while something is built in it; who comes second waits. Return the slot's folder."""
        with (self.folder / f"{slot}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield self.folder / slot

    def start(
        self, slot: Path, config: dict[str, str], patches: str, whole: Callable[[], int | None]
    ) -> tuple[bool, int | None]:
        """Prepare a slot's object folder: what a build cut off left, else a copy of the nearest one, else nothing.

        Return whether objects of other patches were taken over, and how many objects will be made, when that is known.
        `whole` says how many a build from nothing makes; it is asked only where that matters.
        """
        objects = slot / OBJECTS
        if objects.is_dir():
            all_of_them = whole()
            return False, None if all_of_them is None else max(0, all_of_them - _count(objects))
        base = self._nearest(config, patches)
        if base is None:
            objects.mkdir(parents=True)
            return False, whole()
        place, done = base
        with _shared(place) as free:
            if not free:
                objects.mkdir(parents=True)
                return False, whole()
            _copy(place, slot)
        return done.patches != patches, _depending(objects, _changed(config, done.config))

    def finish(self, slot: Path, config: dict[str, str], patches: str) -> int:
        """Note that a slot's objects are whole; remove the folders that nobody has used for longest."""
        count = _count(slot / OBJECTS)
        done = Done(config=config, patches=patches, objects=count)
        sealed.keep(slot / _DONE, done)
        for place, _ in _all_done(self._root)[KEPT:]:
            with _alone(place) as free:
                if free:
                    shutil.rmtree(place, ignore_errors=True)
        return count

    def _nearest(self, config: dict[str, str], patches: str) -> tuple[Path, Done] | None:
        def options(pair: tuple[Path, Done]) -> int:
            return len(_changed(config, pair[1].config)) + (pair[1].patches != patches)

        def objects(pair: tuple[Path, Done]) -> tuple[int, int]:
            return _depending(pair[0] / OBJECTS, _changed(config, pair[1].config)), options(pair)

        # Patched files are made newer than all objects; unpatching has no such way, so the base is unpatched or equal.
        fit = [(place, done) for place, done in self._kept() if done.patches in {"", patches}]
        # Three options may touch every object (HZ) and five hardly any: of those that differ least, objects decide.
        best = min(sorted(fit, key=options)[:_COUNTED], key=objects, default=None)
        if best is not None:
            os.utime(best[0] / _DONE)
        return best

    def _kept(self) -> list[tuple[Path, Done]]:
        return [pair for pair in _all_done(self._root) if pair[0].parent == self.folder]


def _all_done(root: Path) -> list[tuple[Path, Done]]:
    found = []
    for place in root.glob(f"*/*/{_DONE}"):
        with contextlib.suppress(OSError):
            if (done := sealed.kept(place, Done)) is not None:
                found.append((place.stat().st_mtime_ns, place.parent, done))
    return [(folder, done) for _, folder, done in sorted(found, key=lambda item: -item[0])]


@contextlib.contextmanager
def _shared(place: Path) -> Iterator[bool]:
    with _flock(place, fcntl.LOCK_SH) as free:
        yield free


@contextlib.contextmanager
def _alone(place: Path) -> Iterator[bool]:
    with _flock(place, fcntl.LOCK_EX) as free:
        yield free


@contextlib.contextmanager
def _flock(place: Path, how: int) -> Iterator[bool]:
    with place.with_name(f"{place.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield (place / OBJECTS).is_dir()


def _copy(before: Path, now: Path) -> None:
    """Copy the objects of one slot into another, whole or not at all."""
    source, destination = before / OBJECTS, now / OBJECTS
    # Hard links would be faster, but what kbuild writes with `>` would change the base's file too.
    work = destination.with_name(f".{destination.name}.new")
    shutil.rmtree(work, ignore_errors=True)
    work.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["cp", "-a", "--reflink=auto", str(source), str(work)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        shutil.rmtree(work, ignore_errors=True)
        raise EnvironmentFault(
            f"the objects in {source} cannot be copied: {done.stderr.strip()[-200:]}",
            hint=f"is there room, and may you write there? df -h {destination.parent}; ls -ld {destination.parent}",
        )
    _name_folder(work, before, now)
    work.rename(destination)


def _name_folder(objects: Path, before: Path, now: Path) -> None:
    """Name the slot where objects will lie in the commands that make noted, instead of that where they were made.

    kbuild names no such folder, but the build of the kernel's own tools does (tools/build/Makefile.build), and so does
    what maps the paths in debug information. Make takes a command that differs for a reason to build again; and objtool
    built again is newer than every object that it has checked (scripts/Makefile.lib: cmd_gen_objtooldep).
    """
    old, new = str(before).encode(), str(now).encode()
    for folder, _, files in os.walk(objects):
        for name in files:
            if name.startswith(".") and name.endswith(".cmd"):
                path = Path(folder, name)
                text = path.read_bytes()
                if old in text:
                    path.write_bytes(text.replace(old, new))


def _commands(objects: Path) -> Iterator[bytes]:
    """Return what kbuild noted of each object made of C or assembler for the kernel itself."""
    for folder, _, files in os.walk(objects):
        for name in files:
            if name.startswith(".") and name.endswith(".o.cmd"):
                with contextlib.suppress(OSError):
                    text = Path(folder, name).read_bytes()
                    if b"\nsource_" in text and b"HOSTCC" not in text and b"/kconfig.h" in text:
                        yield text


def _count(objects: Path) -> int:
    return sum(1 for _ in _commands(objects))


def _changed(config: dict[str, str], other: dict[str, str]) -> set[str]:
    # To make, an option that is off and one that is not there are the same.
    return {name for name in config.keys() | other.keys() if config.get(name, "n") != other.get(name, "n")}


def _depending(objects: Path, changed: set[str]) -> int:
    names = {name.encode() for name in changed}
    return sum(1 for text in _commands(objects) if names.intersection(_DEPENDS.findall(text)))
