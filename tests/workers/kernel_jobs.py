# SPDX-License-Identifier: MIT
"""Kernels of the tiny tree that workers build: the machines, a worker in this process, and what holds its builds back.

A tree with `#slow` in a file waits until the file `go` is beside the tools.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.builders.kbuild.elsewhere import KernelOrder
from bootlab.workers.answer import JobAnswer
from bootlab.workers.shared_builds import LeftToOthers, SharedBuilds, ShownBuild, answer_of, made_here
from bootlab.workers.shared_files import SharedFiles
from tests.builders.kbuild.fake_tree import make_tree

_WAIT_S = 120.0


class Place:
    """Machines that have nothing in common but shared files: one that asks, and workers, each with its cache."""

    def __init__(self, folder: Path) -> None:
        """Make the tools and the tree."""
        self.folder = folder
        self.shared = folder / "shared"
        self.tree = make_tree(folder / "linux")
        self.tools = folder / "bin"
        self.tools.mkdir()
        for name in ("bison", "flex", "bc"):
            (self.tools / name).symlink_to("/bin/true")
        wait = f"#!/bin/sh\nwhile [ ! -e {self.tools}/go ]; do /bin/sleep 0.05; done\n"
        (self.tools / "sleep").write_text(wait)
        (self.tools / "sleep").chmod(0o755)
        self.path = f"{self.tools}:{os.environ['PATH']}"

    def cache(self, name: str) -> Cache:
        return Cache(self.folder / name)

    def builder(self, name: str, elsewhere=None, observer=None) -> KernelBuilder:
        return KernelBuilder(self.cache(name), jobs=1, elsewhere=elsewhere, observer=observer)

    def building(self, count: int) -> list[Path]:
        """Wait until so many workers are in the middle of a build; return their caches."""
        until = time.monotonic() + _WAIT_S
        found: list[Path] = []
        while time.monotonic() < until:
            time.sleep(0.02)
            try:
                places = [p.relative_to(self.folder) for p in self.folder.rglob("obj/waiting")]
            except FileNotFoundError:
                # A folder that somebody renamed while it was looked through.
                continue
            found = sorted({self.folder / place.parts[0] for place in places})
            if len(found) >= count:
                return found
        # Else who waits for the builds waits for ever, and nothing says why.
        self.go()
        raise AssertionError(f"{len(found)} workers build at once, not {count}")

    def go(self) -> None:
        """Let slow builds go on."""
        (self.tools / "go").touch()


class OneWorker(SharedBuilds):
    """Has kernels built by a worker in the thread that asks: what every engine shares, without one."""

    def __init__(self, place: Place, name: str, *, url: str = "") -> None:
        """Ask as the machine `name`; the worker has the cache of the machine `worker`."""
        super().__init__(SharedFiles(url or str(place.shared)), place.cache(name))
        self._worker = place.cache("worker")
        self.answers: list[JobAnswer] = []
        self.left: list[str] = []

    def machines(self) -> int:
        return 1

    def _made(
        self, order: KernelOrder, files: dict[str, str], shown: ShownBuild, stop: threading.Event
    ) -> JobAnswer | None:
        shown.on("a worker")
        try:
            attempt = made_here(order.kernel, order.key, files, self._shared, self._worker, stop)
            answer = JobAnswer(worker="worker", attempt=attempt)
        except LeftToOthers as fault:
            self.left.append(fault.message)
            shown.nobody(fault.message)
            return None
        except Exception as fault:  # noqa: BLE001 - whoever asked is told
            answer = answer_of("worker", fault, self._shared)
        self.answers.append(answer)
        return answer


def results(folder: Path) -> dict[str, bytes]:
    """Return what a kernel is, and not how long it took or what make said."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.name not in {"build.log", "kernel.json"}
    }
