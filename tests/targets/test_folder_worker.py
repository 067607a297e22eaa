"""Boots over a folder of jobs: by workers in threads, and by processes of which one is killed; equal to local ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

import bootlab
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, TargetError, UserError
from bootlab.experiments.bench import Bench, bench_for
from bootlab.model.recording import Outcome
from bootlab.model.system import Clockwork
from bootlab.targets import folder_target, job_folder
from bootlab.targets.folder_target import FolderTarget
from bootlab.targets.folder_worker import FolderWorker
from bootlab.targets.job_file import JobFile
from bootlab.targets.job_folder import JobFolder
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive, system
from tests.experiments.optimize.killable import cost
from tests.experiments.optimize.test_resume import found, handed_over
from tests.targets.folder_boots import HEARTBEAT_S
from tests.targets.scheduled_boots import ENVIRONMENT, optimized_on, recordings

COST = additive(100, a=10, b=20)


class Place:
    """A folder of jobs, and what asks and works there."""

    def __init__(self, folder):
        self.folder = folder
        self.booted = FakeTarget(COST)
        self.said: list[str] = []
        self.jobs = JobFolder(folder / "jobs")

    def target(self, url=""):
        return FolderTarget(FakeTarget(COST), self.jobs.path, Cache(self.folder / "cache"), url=url)

    def worker(self, opened=None):
        target = opened or self.booted
        return FolderWorker(self.jobs.path, opener=lambda _system, _cache: target, said=self.said.append)

    def offer(self, name="k", **other):
        plan = msgspec.structs.replace(FakeTarget(COST).plan(SYSTEM), key=name)
        return self.jobs.offer(
            JobFile(**{"bootlab": bootlab.__version__, "files": {}, "plan": plan, "name": name} | other)
        )

    def files(self):
        """Return the files that are not recordings."""
        return [path.name for path in self.jobs.path.rglob("*") if path.is_file() and "boots" not in path.parts]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "worker's"))
    return Place(tmp_path)


@pytest.mark.parametrize("bucket", ["", "bucket"])
def test_a_boot_by_a_worker_is_that_of_a_local_one(place, tmp_path, bucket):
    worker = place.worker()
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(worker.run)
        for store, target in (
            ("local", FakeTarget(COST)),
            ("remote", place.target(f"file://{tmp_path}/bucket" if bucket else "")),
        ):
            with Bench(target, tmp_path / store, jobs=2) as bench:
                asked = [bench.submit(system(*params), "x") for params in ((), ("a",), ("a", "b"))]
                asked.append(bench.submit(system(), "x", fresh=1))
                bench.wait_all(asked)
        worker.end()
        assert done.result() == 4
    assert recordings(tmp_path / "remote") == recordings(tmp_path / "local")
    assert len(place.booted.booted) == 4
    assert place.files() == [], "jobs and answers are gone"
    holds_boots = tmp_path / "bucket" if bucket else place.jobs.path
    assert len(list(holds_boots.glob("boots/*/*/recording.json"))) == 4


def test_what_lies_in_the_folder_is_never_booted_again(place, tmp_path):
    first, second = place.offer(), place.offer()
    assert place.worker().run(once=True) == 2
    one, two = place.jobs.take_answer(first), place.jobs.take_answer(second)
    assert one.attempt == two.attempt != ""
    assert len(place.booted.booted) == 1
    with Bench(place.target(), tmp_path / "store", jobs=1) as bench:
        assert bench.submit_plan(msgspec.structs.replace(place.booted.plan(SYSTEM), key="k"), "x").result().ok
    assert len(place.booted.booted) == 1, "no worker is there"
    place.offer("k-1")
    place.offer("k-1")
    assert place.worker().run(once=True) == 2
    assert len(place.booted.booted) == 3, "boots that are asked for anew are their own"


def test_two_workers_never_make_the_same_boot_at_once(place):
    for number in range(12):
        place.offer(f"k{number % 4}")
    workers = [place.worker() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        done = [pool.submit(worker.run, once=True) for worker in workers]
        assert sum(one.result() for one in done) == 12
    assert len(place.booted.booted) == 4


def test_a_torn_job_is_answered_and_the_others_are_done(place):
    torn, whole = place.offer("torn"), place.offer("whole")
    path = place.jobs.path / "offered" / torn.file
    path.write_bytes(path.read_bytes()[:500])
    assert place.worker().run(once=True) == 1
    with pytest.raises(UserError, match="not a job"):
        place.jobs.take_answer(torn).require()
    assert place.jobs.take_answer(whole).attempt


def test_a_worker_leaves_the_jobs_of_another_version_to_others(place):
    other = place.offer("other", bootlab="9.9")
    own = place.offer("own")
    assert place.worker().run(once=True) == 1
    assert place.jobs.take_answer(own).attempt
    assert place.jobs.offered() == [other]
    assert [line for line in place.said if "left to others" in line and "9.9" in line]


class _Slow(FakeTarget):
    """Boots that end when they are stopped."""

    def __init__(self):
        super().__init__(COST, hold=threading.Event())
        self.begun = threading.Event()

    def boot(self, plan, folder, **rest):
        self.begun.set()
        return super().boot(plan, folder, **rest)


def test_a_worker_that_is_ended_gives_its_job_back(place):
    slow = _Slow()
    ticket = place.offer()
    worker = place.worker(slow)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(worker.run)
        assert slow.begun.wait(10)
        worker.end()
        assert done.result() == 0
    assert place.jobs.offered() == [ticket]
    assert place.worker().run(once=True) == 1


def test_a_worker_that_was_given_up_for_dead_ends_its_boot(place, monkeypatch):
    monkeypatch.setattr(job_folder, "HEARTBEAT_S", 0.05)
    slow = _Slow()
    place.offer()
    worker = place.worker(slow)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(worker.run, once=True)
        assert slow.begun.wait(10)
        (claimed,) = place.jobs.claimed()
        place.jobs.take_from_dead(claimed)
        while not [line for line in place.said if "taken away" in line]:
            assert not done.done()
            time.sleep(0.01)
        slow.hold.set()
        assert done.result() == 1, "it takes it again, as any worker may"


def test_leaving_the_bench_ends_the_boot_of_a_worker(place, tmp_path):
    slow = _Slow()
    worker = place.worker(slow)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(worker.run)
        with Bench(place.target(), tmp_path / "store", jobs=1) as bench:
            running, waiting = bench.submit(system(), "long"), bench.submit(system("a"), "longer")
            assert slow.begun.wait(10)
        assert running.result().meta.outcome is Outcome.INTERRUPTED
        assert waiting.cancelled()
        worker.end()
        done.result()
    assert place.files() == []
    assert list((tmp_path / "store" / "boots").glob("*")) == []


def test_without_a_worker_a_boot_can_be_stopped_and_says_what_to_start(place, tmp_path, monkeypatch):
    monkeypatch.setattr(folder_target, "_NOBODY_AFTER_S", 0.1)
    stop, said = threading.Event(), []

    def told(progress):
        said.append(progress.word)
        stop.set()

    plan = place.booted.plan(SYSTEM)
    recording = place.target().boot(plan, tmp_path / ".k.1.2.3", stop=stop, progress=told)
    assert recording.meta.outcome is Outcome.INTERRUPTED
    assert said == [f"no worker has taken it yet; start one, here or elsewhere: bootlab worker {place.jobs.path}"]
    assert place.files() == []


def test_what_a_worker_says_comes_back(place, tmp_path):
    class Never(FakeTarget):
        def boot(self, plan, folder, **rest):
            raise TargetError("this worker cannot", hint="take another")

    worker = place.worker(Never(COST))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(worker.run)
        with Bench(place.target(), tmp_path / "store", jobs=1) as bench, pytest.raises(TargetError) as caught:
            bench.boot(system(), "x")
        worker.end()
    assert (caught.value.message, caught.value.hint) == ("this worker cannot", "take another")


def test_free_boots_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("bootlab.experiments.bench.check_first_program", lambda *_: None)
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"), target="fake")
    with pytest.raises(UserError, match="free mode"):
        bench_for(free, tmp_path, Cache(tmp_path / "c"), target=FakeTarget(COST), scheduler=f"folder:{tmp_path}/jobs")


def test_a_folder_that_went_away_ends_a_worker_with_an_error(place):
    worker = place.worker()
    (place.jobs.path / "claimed").rmdir()
    with pytest.raises(EnvironmentFault, match="can no longer be used"):
        worker.run()


@pytest.mark.slow
def test_a_killed_worker_loses_only_its_job_and_the_result_is_that_of_a_local_run(tmp_path, monkeypatch):
    local = optimized_on(FakeTarget(cost), tmp_path / "local")
    monkeypatch.setattr(job_folder, "LOST_AFTER_S", 10 * HEARTBEAT_S)
    log = tmp_path / "boots.log"
    log.touch()

    def boots():
        return [line.split() for line in log.read_text().splitlines()]

    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.targets.folder_boots", str(tmp_path / "jobs")],
            env=ENVIRONMENT | {"BOOTLAB_TEST_LOG": str(log), "BOOTLAB_CACHE": str(tmp_path / f"cache{number}")},
            stdout=subprocess.DEVNULL,
        )
        for number in range(2)
    ]

    def kill() -> None:
        while len(boots()) < 15:
            time.sleep(0.01)
        os.kill(int(boots()[-1][0]), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    try:
        killer.start()
        target = FolderTarget(FakeTarget(cost), tmp_path / "jobs", Cache(tmp_path / "cache"))
        remote = optimized_on(target, tmp_path / "remote")
        killer.join()
        begun = [key for _, key in boots()]
        pids = {pid for pid, _ in boots()}
        target = FolderTarget(FakeTarget(cost), tmp_path / "jobs", Cache(tmp_path / "cache"))
        again = optimized_on(target, tmp_path / "another command's")
        (left,) = [worker for worker in workers if worker.poll() is None]
        left.terminate()
        assert left.wait(30) == 0
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    assert len(begun) - len(set(begun)) <= 1, "only the lost job is done again"
    assert len(pids) == 2, "both worked"
    assert found(remote) == found(local)
    assert handed_over(remote) == handed_over(local)
    assert recordings(tmp_path / "remote") == recordings(tmp_path / "local")
    assert found(again) == found(local)
    assert len(boots()) - len(begun) < len(begun) / 4, "another command takes the boots that lie in the folder"
