"""Kernels that workers build before anybody waits for them, so that those of independent candidates come together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bootlab.builders.artefacts import build_system_kernel
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.errors import BootlabError
from bootlab.model.system import System

if TYPE_CHECKING:
    from bootlab.builders.kbuild import KernelBuilder
    from bootlab.builders.kbuild.elsewhere import BuiltElsewhere, Order


class _BuiltHere(Exception):
    """No worker can: whoever boots the system builds it, one after another."""


class _Only:
    """Kernels of workers, and no others."""

    def __init__(self, elsewhere: BuiltElsewhere) -> None:
        self._elsewhere = elsewhere

    def obtain(self, order: Order, observer: BuildObserver | None) -> bool:
        """Raise _BuiltHere where no worker can."""
        if not self._elsewhere.obtain(order, observer):
            raise _BuiltHere
        return True

    def end(self) -> None:
        """Nothing: the others end themselves."""


class BuildsAhead:
    """Asks for kernels, as many at a time as there are workers."""

    def __init__(self, elsewhere: BuiltElsewhere, cache: Cache, jobs: int, observer: BuildObserver) -> None:
        """Ask for nothing yet."""
        self._elsewhere = elsewhere
        self._cache = cache
        self._observer = observer
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="build")
        self._asked: set[str] = set()

    def ask(self, systems: Iterable[System]) -> None:
        """Have the kernels built of systems that need one."""
        for system in systems:
            build = system.kernel.build
            if build is None or build.prebuilt is not None:
                continue
            # Most variants change something else.
            name = repr((build, system.machine.arch, system.initramfs if build.embed_initramfs else None))
            if name not in self._asked:
                self._asked.add(name)
                self._pool.submit(self._build, system)

    def end(self) -> None:
        """End all that is being built, and wait for it."""
        self._elsewhere.end()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _build(self, system: System) -> None:
        # Whatever is wrong with it is said where the system is booted.
        with contextlib.suppress(BootlabError, OSError, _BuiltHere):
            build_system_kernel(system, self._cache, self._kernels())

    def _kernels(self) -> KernelBuilder:
        from bootlab.builders.kbuild import KernelBuilder  # noqa: PLC0415 - most systems name an image

        return KernelBuilder(self._cache, observer=self._observer, elsewhere=_Only(self._elsewhere))
