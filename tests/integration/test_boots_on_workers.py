# SPDX-License-Identifier: MIT
"""Real machines of `bootlab worker`s that share nothing but a URL and their scheduler's file.

Their boots are byte for byte those of local boots, though one worker is killed in one.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.experiments.bench import Bench, bench_for
from bootlab.model.system import Goal
from bootlab.recordings.files import RECORDING_FILE

pytest.importorskip("distributed", reason="pip install 'bootlab[dask]'")

from tests.workers.scheduled_boots import Cluster

BOOTS = 8


def _variants(system):
    """Return the first half second of a boot, each time with another clock: enough machine for every kind of file."""
    early = msgspec.structs.replace(system, goal=Goal(console="Memory: "), check=type(system.check)(), marks=())
    return [
        msgspec.structs.replace(early, clock=msgspec.structs.replace(early.clock, seed=seed)) for seed in range(BOOTS)
    ]


def _made(bench: Bench, systems) -> None:
    with bench:
        for future in [bench.submit(one, f"seed {one.clock.seed}") for one in systems]:
            assert future.result().ok


def _without_the_host(store: Path) -> dict[str, object]:
    """Return all files of all recordings, without dates, how long the host took, and what follows from it.

    The emulator's own words on its terminal (no sound card, ...) are the host's, too.
    """
    found: dict[str, object] = {}
    for path in sorted((store / "boots").glob("[!.]*/*")):
        data: object = path.read_bytes()
        if path.name == RECORDING_FILE:
            document = json.loads(path.read_bytes())
            for word in ("wall_s", "made_at"):
                document["meta"].pop(word)
            document.pop("digest")
            document["files"].pop("emulator.log", None)
            data = document
        if path.name != "emulator.log":
            found[f"{path.parent.name}/{path.name}"] = data
    return found


def _emulators(parent: int) -> list[int]:
    """Return the machines that a worker runs."""
    children = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(word) for file in children for word in file.read_text().split()]


@pytest.mark.qemu
def test_workers_that_share_a_url_boot_what_is_booted_here(small, tmp_path):
    systems = _variants(small)
    cache = tmp_path / "planner"
    _made(bench_for(systems[0], tmp_path / "local", Cache(cache), jobs=2), systems)
    made = Cluster(tmp_path, 2, apart=True)
    killed: list[int] = []

    def kill() -> None:
        while not killed:
            for worker in made.workers:
                if _emulators(worker.pid):
                    os.kill(worker.pid, signal.SIGKILL)
                    killed.append(worker.pid)
                    return
            time.sleep(0.01)

    killer = threading.Thread(target=kill, daemon=True)
    try:
        bench = bench_for(
            systems[0],
            tmp_path / "remote",
            Cache(cache),
            jobs=4,
            scheduler=f"file:{made.file}",
            share=f"file://{tmp_path}/bucket",
        )
        killer.start()
        _made(bench, systems)
    finally:
        made.close()
    assert killed, "a worker died in a boot"
    local, remote = _without_the_host(tmp_path / "local"), _without_the_host(tmp_path / "remote")
    assert len({name.split("/")[0] for name in local}) == BOOTS
    assert local == remote
    assert list(tmp_path.glob("cache*/shared/*")), "workers boot their own copies"
