# SPDX-License-Identifier: MIT
"""A real dask scheduler and its workers on this machine: equal results, a worker killed in the middle, ends."""

from __future__ import annotations

import os
import signal
import threading
import time

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, TargetError, UserError
from bootlab.experiments.bench import Bench, bench_for
from bootlab.model.system import Clockwork
from bootlab.workers.scheduled import ScheduledTarget, Workers
from bootlab.workers.scheduled_job import Job, boot_job
from tests.experiments.fake_bench import SYSTEM, FakeTarget, system
from tests.experiments.optimize.killable import cost
from tests.experiments.optimize.test_resume import found, handed_over

pytest.importorskip("distributed", reason="pip install 'bootlab[dask]'")

from tests.workers.scheduled_boots import Cluster, opened, optimized, recordings


@pytest.fixture
def cluster(tmp_path):
    made = []

    def start(workers, **rest):
        made.append(Cluster(tmp_path, workers, **rest))
        return made[0]

    yield start
    for one in made:
        one.close()


@pytest.mark.slow
@pytest.mark.parametrize("over", ["a shared folder", "a URL"])
def test_a_killed_worker_loses_only_its_job_and_the_result_is_that_of_a_local_run(cluster, tmp_path, over):
    local = optimized(tmp_path / "local", tmp_path / "cache", None)
    url = f"file://{tmp_path}/bucket" if over == "a URL" else ""
    made = cluster(2, apart=bool(url))

    def kill() -> None:
        while len(made.boots()) < 15:
            time.sleep(0.01)
        # The one that just began a boot dies in it.
        victim = int(made.boots()[-1][0])
        os.kill(victim, signal.SIGKILL)

    with Workers(made.address) as workers:
        workers.client.wait_for_workers(2, timeout=30)
        killer = threading.Thread(target=kill)
        killer.start()
        remote = optimized(tmp_path / "remote", tmp_path / "cache", workers, url)
        killer.join()
    assert sum(worker.poll() is not None for worker in made.workers) == 1
    begun = [key for _, key in made.boots()]
    assert len(begun) - len(set(begun)) <= 1, "only the lost job is done again"
    assert len({pid for pid, _ in made.boots()}) == 2, "both worked"
    assert found(remote) == found(local)
    assert handed_over(remote) == handed_over(local)
    assert recordings(tmp_path / "remote") == recordings(tmp_path / "local")
    if url:
        with Workers(made.address) as workers:
            again = optimized(tmp_path / "another machine's", tmp_path / "cache", workers, url)
        assert found(again) == found(local)
        anew = [key for _, key in made.boots()][len(begun) :]
        assert len(anew) < len(begun) / 4, "another command takes the boots that lie at the URL"


def test_a_file_of_a_scheduler_that_was_killed_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("bootlab.workers.scheduled._WAIT_FOR_WORKERS_S", 0.2)
    path = tmp_path / "scheduler.json"
    path.write_text('{"address": "tcp://127.0.0.1:1"}')
    with pytest.raises(EnvironmentFault, match=r"no dask scheduler at tcp://127\.0\.0\.1:1") as caught:
        Workers(f"file:{path}")
    assert f"{path} may be of one that was killed" in caught.value.hint


def test_an_address_that_is_none_is_refused():
    with pytest.raises(UserError, match="not the address of a scheduler"):
        Workers("carrier-pigeon://roof:1")


def test_a_worker_of_another_version_refuses_a_boot(tmp_path):
    plan = FakeTarget(cost).plan(SYSTEM)
    job = Job(bootlab="9.9", plan=plan, folder=str(tmp_path / "x"), cache=str(tmp_path / "c"), opener=opened)
    with pytest.raises(EnvironmentFault, match=r"the command has 9\.9"):
        boot_job(job)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_worker_that_is_ended_gives_its_boot_to_another_and_all_end_with_the_scheduler(cluster, tmp_path):
    made = cluster(2, boot_s=5)
    with Workers(f"file:{made.file}") as workers:
        workers.client.wait_for_workers(2, timeout=60)
        target = ScheduledTarget(FakeTarget(cost), workers, Cache(tmp_path / "cache"), opener=opened)
        with Bench(target, tmp_path / "store", jobs=1) as bench:
            asked = bench.submit(system(), "x")
            while not made.boots():
                time.sleep(0.01)
            (first,) = [worker for worker in made.workers if worker.pid == int(made.boots()[0][0])]
            first.terminate()
            first.wait(60)
            assert asked.result().ok
    assert len({pid for pid, _ in made.boots()}) == 2
    made.scheduler.terminate()
    for process in (made.scheduler, *made.workers):
        process.wait(120)
    assert not made.file.exists()


@pytest.mark.slow
def test_leaving_the_bench_ends_the_machines(cluster, tmp_path):
    made = cluster(1, boot_s=600)
    with Workers(made.address) as workers:
        target = ScheduledTarget(FakeTarget(cost), workers, Cache(tmp_path / "cache"), opener=opened)
        with Bench(target, tmp_path / "store", jobs=1) as bench:
            bench.submit(system(), "long")
            while not made.boots():
                time.sleep(0.01)
        assert list((tmp_path / "store" / "boots").glob(".*.*")) == [], "nothing half-made is left"


def test_without_a_scheduler_there_is_a_hint(monkeypatch):
    monkeypatch.setattr("bootlab.workers.scheduled._WAIT_FOR_WORKERS_S", 0.2)
    with pytest.raises(EnvironmentFault, match="no dask scheduler") as caught:
        Workers("tcp://127.0.0.1:1")
    assert "dask scheduler" in caught.value.hint


def test_free_boots_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("bootlab.experiments.bench.check_first_program", lambda *_: None)
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"), target="fake")
    with pytest.raises(UserError, match="for the workers of a scheduler"):
        bench_for(free, tmp_path, Cache(tmp_path / "c"), target=FakeTarget(cost), share="s3://x")
    with pytest.raises(UserError, match="free mode"):
        bench_for(free, tmp_path, Cache(tmp_path / "c"), target=FakeTarget(cost), scheduler="tcp://127.0.0.1:1")


def test_a_worker_without_the_folder_says_so(tmp_path):
    plan = FakeTarget(cost).plan(SYSTEM)
    job = Job(plan=plan, folder=str(tmp_path / "nowhere" / "x"), cache=str(tmp_path / "c"), opener=opened)
    with pytest.raises(EnvironmentFault, match="has no folder"):
        boot_job(job)


def _never(_system, _cache):
    raise TargetError("this worker cannot", hint="take another")


@pytest.mark.slow
def test_what_a_worker_says_comes_back(cluster, tmp_path):
    made = cluster(1)
    with Workers(made.address) as workers:
        target = ScheduledTarget(FakeTarget(cost), workers, Cache(tmp_path / "cache"), opener=_never)
        with Bench(target, tmp_path / "store", jobs=1) as bench, pytest.raises(TargetError, match="cannot") as caught:
            bench.boot(system(), "x")
    assert caught.value.hint == "take another"
