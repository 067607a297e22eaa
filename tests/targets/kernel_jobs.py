"""Kernels of the tiny tree that workers build: a worker as a process, and what holds its builds back.

`kernel_jobs.py FOLDER` is a worker. A tree with `#slow` in a file waits there until the file `go` is beside the tools.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.targets import job_folder
from bootlab.targets.folder_worker import FolderWorker
from tests.builders.kbuild.fake_tree import make_tree
from tests.targets.scheduled_boots import ENVIRONMENT

HEARTBEAT_S = 0.2
_WAIT_S = 120.0


class Place:
    """Machines that have nothing in common but a folder of jobs: one that asks, and workers, each with its cache."""

    def __init__(self, folder: Path) -> None:
        """Make the tools and the tree."""
        self.folder = folder
        self.jobs = folder / "jobs"
        self.tree = make_tree(folder / "linux")
        self.tools = folder / "bin"
        self.tools.mkdir()
        for name in ("bison", "flex", "bc"):
            (self.tools / name).symlink_to("/bin/true")
        wait = f"#!/bin/sh\nwhile [ ! -e {self.tools}/go ]; do /bin/sleep 0.05; done\n"
        (self.tools / "sleep").write_text(wait)
        (self.tools / "sleep").chmod(0o755)
        self.path = f"{self.tools}:{os.environ['PATH']}"
        self._workers: list[subprocess.Popen[bytes]] = []

    def cache(self, name: str) -> Cache:
        return Cache(self.folder / name)

    def builder(self, name: str, elsewhere=None, observer=None) -> KernelBuilder:
        return KernelBuilder(self.cache(name), jobs=1, elsewhere=elsewhere, observer=observer)

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker as a process, with a cache of its own."""
        cache = self.folder / f"worker{len(self._workers)}"
        self._workers.append(
            subprocess.Popen(
                [sys.executable, "-m", "tests.targets.kernel_jobs", str(self.jobs)],
                env=ENVIRONMENT | {"BOOTLAB_CACHE": str(cache), "PATH": self.path},
                stdout=subprocess.DEVNULL,
            )
        )
        return self._workers[-1]

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

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
            worker.wait()


def results(folder: Path) -> dict[str, bytes]:
    """Return what a kernel is, and not how long it took or what make said."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.name not in {"build.log", "kernel.json"}
    }


def main(folder: Path) -> None:
    """Take jobs until somebody ends it."""
    job_folder.HEARTBEAT_S, job_folder.LOST_AFTER_S = HEARTBEAT_S, 20 * HEARTBEAT_S
    worker = FolderWorker(folder)
    signal.signal(signal.SIGTERM, lambda _number, _frame: worker.end())
    with ThreadPoolExecutor(1) as pool:
        pool.submit(worker.run).result()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
