# SPDX-License-Identifier: MIT
"""The boots of a store: which are kept, what is read out of them, how one that was made gets its place."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from bootlab.errors import UserError
from bootlab.launch.boot_plan import NOT_KEPT, BootPlan
from bootlab.launch.read_anew import read_anew
from bootlab.model.recording import Recording
from bootlab.recordings import half_made, recording_dir
from bootlab.recordings.damage import set_aside
from bootlab.recordings.files import RECORDING_FILE

_MACHINES = ".machines"
"""Which recordings are of the same machine, a folder for each, with the recordings' keys as names."""


class KeptBoots:
    """The folder `boots` of a store, which several commands may use at once."""

    def __init__(self, folder: Path) -> None:
        """Look after a folder, and remove what commands that are gone left half-made in it."""
        self._folder = folder
        half_made.sweep(folder)

    def place(self, key: str) -> Path:
        """Return the folder of a recording."""
        return self._folder / key

    def fresh_number(self, count: int) -> int:
        """Return the first of so many numbers that no kept boot carries, and that no other command gets."""
        names = [place.name for place in self._folder.glob("*-*") if not place.name.startswith(".")]
        ends = [name.rsplit("-", 1)[1] for name in names]
        highest = max((int(end) for end in ends if end.isdecimal()), default=0)
        return half_made.reserve(self._folder, highest, count)

    def find(self, plan: BootPlan, key: str, damaged: Callable[[str], None]) -> Recording | None:
        """Return the kept recording of a plan, or what a kept one of the same machine tells; None: it must be booted.

        `damaged`: told of one that is not what was written. It is set aside.
        """
        place = self.place(key)
        kept = self._kept(place, plan.key, damaged)
        if kept is not None:
            return kept
        return self._read_anew(plan, place) if key == plan.key else None

    @contextlib.contextmanager
    def making(self, key: str, stop: threading.Event, waits: Callable[[], None]) -> Iterator[bool]:
        """Be the only one who makes a boot; `waits` is called when another command makes it. Raise OSError.

        False: `stop` was set meanwhile.
        """
        with half_made.making(self.place(key), stop, waits) as alone:
            yield alone

    def half_made(self, key: str) -> contextlib.AbstractContextManager[Path]:
        """Give the path of a folder to make a recording in. Raise OSError."""
        return half_made.half_made(self.place(key))

    def put(self, work: Path, plan: BootPlan, key: str) -> None:
        """Give a recording its place. Raise OSError."""
        self._move(work, self.place(key))
        if plan.machine_key and plan.purpose == "timing":
            noted = self._folder / _MACHINES / plan.machine_key
            noted.mkdir(parents=True, exist_ok=True)
            (noted / key).touch()

    def _kept(self, place: Path, key: str, damaged: Callable[[str], None]) -> Recording | None:
        if not (place / RECORDING_FILE).is_file():
            return None
        try:
            kept = recording_dir.load(place, whole=True, key=key)
        except UserError as fault:
            aside = set_aside(place)
            damaged(f"{fault.message}; it is kept as {aside}" if aside else fault.message)
            return None
        return None if kept.meta.outcome in NOT_KEPT or kept.meta.host_limit else kept

    def _read_anew(self, plan: BootPlan, place: Path) -> Recording | None:
        """Return the recording of a plan that another boot of the same machine holds already, None when none does."""
        if not plan.machine_key or plan.purpose != "timing" or plan.awaited:
            return None
        for noted in sorted((self._folder / _MACHINES / plan.machine_key).glob("*")):
            kept = self.place(noted.name)
            if not (kept / RECORDING_FILE).is_file():
                continue
            try:
                with half_made.half_made(place) as work:
                    if read_anew(kept, plan, work) is not None:
                        self._move(work, place)
                        return recording_dir.load(place)
            except (OSError, UserError):
                # A boot tells, and says what is wrong with the store.
                continue
        return None

    def _move(self, work: Path, place: Path) -> None:
        if place.exists():
            shutil.rmtree(place)
        work.rename(place)
