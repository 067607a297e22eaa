# SPDX-License-Identifier: MIT
"""Kernels that workers build before anybody waits for them, so that those of independent candidates come together."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bootlab.builders.artefacts import build_system_kernel
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.errors import BootlabError
from bootlab.model.system import SystemDescription

if TYPE_CHECKING:
    from bootlab.builders.kbuild import KernelBuilder
    from bootlab.builders.kbuild.elsewhere import BuiltElsewhere, KernelOrder


class _BuiltHere(Exception):
    """No worker can: whoever boots the system builds it, one after another."""


class _Only:
    """Kernels of workers, and no others, until `stop`."""

    def __init__(self, elsewhere: BuiltElsewhere, stop: threading.Event) -> None:
        self._elsewhere = elsewhere
        self._stop = stop

    def obtain(self, order: KernelOrder, observer: BuildObserver | None, stop: threading.Event | None = None) -> bool:
        """Raise _BuiltHere where no worker can."""
        if not self._elsewhere.obtain(order, observer, stop or self._stop):
            raise _BuiltHere
        return True

    def machines(self) -> int:
        """Return how many machines the workers have."""
        return self._elsewhere.machines()

    def end(self) -> None:
        """Nothing: the others end themselves."""


class BuildsAhead:
    """Asks for kernels, as many at a time as there are workers."""

    def __init__(self, elsewhere: BuiltElsewhere, cache: Cache, jobs: int, observer: BuildObserver) -> None:
        """Ask for nothing yet."""
        self._elsewhere = elsewhere
        self._cache = cache
        self._observer = observer
        self._jobs = jobs
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="build")
        self._asked: set[str] = set()
        self._guessed: dict[str, threading.Event] = {}

    @property
    def guesses(self) -> int:
        """How many kernels can be built beside one that is waited for, each on a machine that is idle else."""
        return min(self._jobs, self._elsewhere.machines()) - 1

    def ask(self, systems: Iterable[SystemDescription]) -> None:
        """Have the kernels built of systems that need one."""
        for name, system in _named(systems).items():
            if name not in self._asked:
                self._asked.add(name)
                if self._guessed.pop(name, None) is None:
                    self._pool.submit(self._build, system, threading.Event())

    def guess(self, systems: Iterable[SystemDescription]) -> None:
        """Have kernels built that may be asked for, and end what was guessed before and is not among them."""
        wanted = _named(systems)
        for name in self._guessed.keys() - wanted.keys():
            self._guessed.pop(name).set()
        for name, system in wanted.items():
            if name not in self._asked and name not in self._guessed:
                self._guessed[name] = threading.Event()
                self._pool.submit(self._build, system, self._guessed[name])

    def end(self) -> None:
        """End all that is being built, and wait for it."""
        self._elsewhere.end()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _build(self, system: SystemDescription, stop: threading.Event) -> None:
        if stop.is_set():
            return
        # Whatever is wrong with it is said where the system is booted.
        with contextlib.suppress(BootlabError, OSError, _BuiltHere):
            build_system_kernel(system, self._cache, self._kernels(stop))

    def _kernels(self, stop: threading.Event) -> KernelBuilder:
        from bootlab.builders.kbuild import KernelBuilder  # noqa: PLC0415 - most systems name an image

        return KernelBuilder(self._cache, observer=self._observer, elsewhere=_Only(self._elsewhere, stop))


def _named(systems: Iterable[SystemDescription]) -> dict[str, SystemDescription]:
    """Return systems that need a kernel, by what decides it: most variants change something else."""
    found = {}
    for system in systems:
        build = system.kernel.build
        if build is not None and build.prebuilt is None:
            name = repr((build, system.machine.arch, system.initramfs if build.embed_initramfs else None))
            found[name] = system
    return found
