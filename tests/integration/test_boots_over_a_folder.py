"""Real machines of `bootlab worker` over a folder: byte for byte those of local boots, one worker killed in a boot."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.experiments.bench import bench_for
from bootlab.targets import job_folder
from tests.integration.test_boots_on_workers import BOOTS, _emulators, _made, _variants, _without_the_host
from tests.targets.scheduled_boots import ENVIRONMENT


def _worker(jobs: Path, log: Path) -> subprocess.Popen[bytes]:
    environment = ENVIRONMENT | {"BOOTLAB_CACHE": str(log.with_suffix(".cache"))}
    with log.open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "bootlab.cli", "worker", str(jobs)], env=environment, stderr=said
        )


@pytest.mark.qemu
def test_workers_of_a_folder_boot_what_is_booted_here(small, tmp_path, monkeypatch):
    # The command looks for dead workers too: it needs no patience of half a minute here.
    monkeypatch.setattr(job_folder, "LOST_AFTER_S", 12.0)
    systems = _variants(small)
    cache, jobs = Cache(tmp_path / "planner"), tmp_path / "jobs"
    _made(bench_for(systems[0], tmp_path / "local", cache, jobs=2), systems)
    logs = [tmp_path / f"worker{number}.log" for number in range(2)]
    workers = [_worker(jobs, log) for log in logs]
    killed: list[subprocess.Popen[bytes]] = []

    def kill() -> None:
        while not killed:
            for worker in workers:
                if _emulators(worker.pid):
                    os.kill(worker.pid, signal.SIGKILL)
                    killed.append(worker)
                    return
            time.sleep(0.01)

    killer = threading.Thread(target=kill, daemon=True)
    try:
        bench = bench_for(systems[0], tmp_path / "remote", cache, jobs=4, scheduler=f"folder:{jobs}")
        killer.start()
        _made(bench, systems)
        (left,) = [worker for worker in workers if worker not in killed]
        left.terminate()
        assert left.wait(30) == 0
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    said = "".join(log.read_text() for log in logs)
    assert f"{BOOTS} jobs done" in said, said
    local, remote = _without_the_host(tmp_path / "local"), _without_the_host(tmp_path / "remote")
    assert len({name.split("/")[0] for name in local}) == BOOTS
    assert local == remote
    assert list(tmp_path.glob("worker*.cache/shared/*")), "workers boot their own copies"
    left_over = [path for name in ("offered", "claimed", "answers", "stop") for path in (jobs / name).iterdir()]
    assert left_over == []
