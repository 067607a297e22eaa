# SPDX-License-Identifier: MIT
"""Boots of the fake target on workers of a real scheduler, each noted in a file, and an optimisation of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from bootlab import techniques
from bootlab.api.optimizing import carried_out, planned, wishes_of
from bootlab.builders.cache import Cache
from bootlab.experiments.bench import Bench
from bootlab.workers.scheduled import ScheduledTarget, Workers
from bootlab.workers.shared_boots import boot_name
from tests.conftest import REPOSITORY
from tests.experiments.fake_bench import SYSTEM, FakeTarget
from tests.experiments.optimize.killable import OWN, cost

ENVIRONMENT = os.environ | {"PYTHONPATH": f"{REPOSITORY / 'python'}:{REPOSITORY}:{os.environ.get('PYTHONPATH', '')}"}


class Noted(FakeTarget):
    """Boots that take a while; the file of their worker tells of each."""

    def boot(self, plan, folder, *, stop, progress=None):
        with (Path(os.environ["BOOTLAB_TEST_LOG"])).open("a", encoding="utf-8") as log:
            log.write(f"{os.getpid()} {boot_name(folder)}\n")
        until = time.monotonic() + float(os.environ.get("BOOTLAB_TEST_BOOT_S", "0.05"))
        while time.monotonic() < until and not stop.is_set():
            time.sleep(0.01)
        return super().boot(plan, folder, stop=stop, progress=progress)


def opened(_system, _cache):
    """Open the target on a worker."""
    return Noted(cost)


class Cluster:
    """A scheduler and workers as processes of this machine."""

    def __init__(
        self, folder: Path, workers: int, boot_s: float = 0.05, *, apart: bool = False, path: str = os.environ["PATH"]
    ) -> None:
        """`apart`: each worker has a cache of its own, as on machines that share a URL only. `path`: its tools."""
        self.log = folder / "boots.log"
        self.file = folder / "scheduler.json"
        self._said = (folder / "cluster.log").open("wb")
        own = {"BOOTLAB_TEST_LOG": str(self.log), "BOOTLAB_TEST_BOOT_S": str(boot_s), "PATH": path}
        self._environment = ENVIRONMENT | own
        self.log.touch()
        # As `dask scheduler` does, but with this Python.
        self.scheduler = self._start(
            *("distributed.cli.dask_scheduler", "--scheduler-file", str(self.file)),
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        )
        while not self.file.exists():
            assert self.scheduler.poll() is None, (folder / "cluster.log").read_text()
            time.sleep(0.05)
        self.workers = [
            self._start(
                *("bootlab.cli", "worker", f"file:{self.file}", "--boots", "1"),
                **({"BOOTLAB_CACHE": str(folder / f"cache{number}")} if apart else {}),
                DASK_TEMPORARY_DIRECTORY=str(folder / f"worker{number}"),
            )
            for number in range(workers)
        ]

    def _start(self, module, *words, **own):
        return subprocess.Popen(
            [sys.executable, "-m", module, *words],
            env=self._environment | own,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
        )

    @property
    def address(self):
        return json.loads(self.file.read_text())["address"]

    def boots(self):
        """Return pid of the worker and key of the boot, for each that was begun."""
        return [tuple(line.split(" ", 1)) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def close(self):
        for process in [*self.workers, self.scheduler]:
            if process.poll() is None:
                process.kill()
            process.wait()
        self._said.close()


def recordings(store):
    """Return every file of every recording, but for the date of each boot: a remote boot's is that of a local one."""
    places = [p for p in (store / "boots").rglob("*") if p.is_file() and p.parent.name != ".locks"]
    return {str(p.relative_to(store)): _undated(p) for p in places}


def _undated(path):
    if path.name != "recording.json":
        return path.read_bytes()
    document = json.loads(path.read_bytes())
    assert document["meta"].pop("made_at")
    del document["digest"]
    return document


def optimized(store, cache_folder, workers: Workers | None, url: str = ""):
    """Optimise fake boots, here or by workers; return the run's folder."""
    target = FakeTarget(cost)
    if workers is None:
        return optimized_on(target, store)
    return optimized_on(ScheduledTarget(target, workers, Cache(cache_folder), opener=opened, url=url), store)


def optimized_on(target, store):
    """Optimise fake boots on a target; return the run's folder."""
    old = techniques.all_techniques, techniques.get
    techniques.all_techniques = lambda: OWN
    techniques.get = {one.id: one for one in OWN}.__getitem__
    try:
        with Bench(target, store, jobs=2) as bench:
            base, plan, said = planned(bench, SYSTEM, wishes_of(rounds=2))
            return carried_out(bench, store, base, plan, said).run.folder
    finally:
        techniques.all_techniques, techniques.get = old
