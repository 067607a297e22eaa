"""Kernels built by the workers of a folder: equal to local ones, side by side, never twice, ended, left to others."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

import bootlab
from bootlab.builders.kbuild import configuration, source_archive
from bootlab.builders.kbuild.make_run import BuildStopped
from bootlab.builders.kbuild.resolved import ResolvedKernel
from bootlab.errors import EnvironmentFault, KernelBuildError
from bootlab.experiments.bench import Bench
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import Kernel
from bootlab.targets import folder_builds, folder_worker, job_folder
from bootlab.targets.folder_builds import FolderBuilds
from bootlab.targets.folder_worker import FolderWorker
from bootlab.targets.job_file import BuildJobFile, DamagedJob, read_job, written
from bootlab.targets.job_folder import TRIES, JobFolder
from bootlab.targets.shared_files import SharedFiles
from tests.builders.kbuild.fake_tree import request
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive
from tests.targets.kernel_jobs import HEARTBEAT_S, Place, results

PATCH = KernelPatch(
    name="two.patch", text="--- a/src/two.c\n+++ b/src/two.c\n@@ -1 +1,2 @@\n int two;\n+int patched;\n"
)
KERNEL = ResolvedKernel(
    arch="arm", image="zImage", source="debian", version="6.1.9", identity="1" * 64, toolchain="gcc 12"
)
JOB = BuildJobFile(
    bootlab=bootlab.__version__, name="kernel_k", files={"config": "0" * 64, "source": "1" * 64}, key="k", kernel=KERNEL
)


class Seen:
    """What an observer of builds was told."""

    def __init__(self, started=lambda: None):
        self.events: list[tuple[object, ...]] = []
        self._started = started

    def build_started(self, label):
        self.events.append(("started", label))
        self._started()

    def build_progress(self, label, made, expected, name):
        self.events.append(("progress", label, made))

    def build_ended(self, label, wall_s):
        self.events.append(("ended", label))

    def build_noted(self, text):
        self.events.append(("noted", text))


@pytest.fixture
def place(tmp_path, monkeypatch):
    made = Place(tmp_path)
    monkeypatch.setenv("PATH", made.path)
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "worker"))
    # A worker that has not started yet on a busy machine is none that leaves everything to others.
    monkeypatch.setattr(folder_builds, "NOBODY_AFTER_S", 300.0)
    yield made
    made.close()


class Working:
    """A worker in a thread, as long as the `with` block."""

    def __init__(self, place):
        self.said: list[str] = []
        self.worker = FolderWorker(place.jobs, said=self.said.append)
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self):
        self._done = self._pool.submit(self.worker.run)
        return self

    def __exit__(self, *_):
        self.worker.end()
        self._done.result()
        self._pool.shutdown()

    def built(self):
        return [line for line in self.said if "done in" in line]


def without_recordings(folder):
    return [p.name for p in folder.rglob("*") if p.is_file() and not {"files", "kernels"} & set(p.parts)]


@contextlib.contextmanager
def at_work_on_one(place, elsewhere):
    """Give a worker that is in the middle of a build, and the future of who waits for it."""
    with Working(place) as at_work, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.builder("asker", elsewhere).build, request(place.tree), "x86_64")
        place.building(1)
        yield at_work, asked


def test_a_job_says_the_same_when_it_is_read():
    assert read_job("kernel_k.x.0.json", written(JOB), bootlab.__version__) == JOB
    assert b'"kind": "build"' in written(JOB)
    with pytest.raises(DamagedJob, match="not a job"):
        read_job("kernel_k.x.0.json", written(JOB).replace(b'"build"', b'"bake"'), bootlab.__version__)


@pytest.mark.parametrize("bucket", ["", "bucket"])
def test_a_kernel_of_a_worker_is_that_of_a_local_build(place, tmp_path, monkeypatch, bucket):
    # As on a machine that has the tree nowhere.
    monkeypatch.setattr(source_archive, "found_here", lambda _kernel, _cache: None)
    archive = tmp_path / "root.cpio.gz"
    archive.write_bytes(b"an initramfs")
    asked = [
        (request(place.tree), None),
        (request(place.tree, patches=(PATCH,), changes=((("C", "y"),),)), None),
        (request(place.tree, embed_initramfs=True), archive),
    ]
    # The first build waits until it is seen at work; one that ends between two looks is not.
    (place.tree / "src/three.c").write_text("#slow\n")
    seen = Seen(place.go)
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"), url=f"file://{tmp_path}/bucket" if bucket else "")
    with Working(place) as at_work:
        remote = [place.builder("asker", elsewhere, seen).build(build, "x86_64", file) for build, file in asked]
        assert len(at_work.built()) == 3
    local = [place.builder("local").build(build, "x86_64", file) for build, file in asked]
    for one, other in zip(remote, local, strict=True):
        assert one.folder.name == other.folder.name
        assert one.folder.is_relative_to(tmp_path / "asker")
        assert results(one.folder) == results(other.folder)
        assert msgspec.structs.replace(one.facts, wall_s=0, objects_built=0) == msgspec.structs.replace(
            other.facts, wall_s=0, objects_built=0
        )
    assert "int patched;" in remote[1].image.read_text()
    assert "an initramfs" in remote[2].image.read_text()
    assert f"CONFIG_INITRAMFS_SOURCE={tmp_path}/worker/" in remote[2].log.read_text(), "it takes its own copy"
    assert f'CONFIG_INITRAMFS_SOURCE="{archive}"' in remote[2].config.read_text()
    trees = [path for path in (tmp_path / "worker" / "kernels" / "sources").iterdir() if path.is_dir()]
    assert len(trees) == 1, "the source is fetched once"
    assert not list((tmp_path / "asker" / "kernels").glob("work/*/*/obj/*.o")), "nothing is compiled by who asks"
    assert without_recordings(place.jobs) == []
    events = [event[0] for event in seen.events]
    assert events == ["started", "progress", "ended"] * (len(events) // 3)
    assert "on worker" in str(seen.events[0][1])
    assert seen.events[1][2] == 3


def test_no_kernel_is_built_twice_by_two_commands(place):
    asked = [FolderBuilds(place.jobs, place.cache(name)) for name in ("one", "two", "three")]
    with Working(place) as first, Working(place) as second, ThreadPoolExecutor(4) as pool:
        at_once = [
            pool.submit(place.builder(name, elsewhere).build, request(place.tree), "x86_64")
            for name, elsewhere in zip(("one", "two", "one"), (asked[0], asked[1], asked[0]), strict=True)
        ]
        folders = [one.result().folder for one in at_once]
        third = place.builder("three", asked[2]).build(request(place.tree), "x86_64")
        logs = {(folder / "build.log").read_bytes() for folder in [*folders, third.folder]}
    assert len(logs) == 1, "all have the one build"
    assert len(first.built()) + len(second.built()) <= 2, "the third command needs no worker"


def test_a_worker_with_another_compiler_leaves_the_kernel_and_it_is_built_here(place, monkeypatch):
    monkeypatch.setattr(folder_builds, "NOBODY_AFTER_S", 1.0)
    real = folder_worker.check_tools
    monkeypatch.setattr(folder_worker, "check_tools", lambda k: real(msgspec.structs.replace(k, toolchain="gcc 99")))
    seen = Seen()
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with Working(place) as at_work:
        kernel = place.builder("asker", elsewhere, seen).build(request(place.tree), "x86_64")
        assert [line for line in at_work.said if "left to others" in line and "ordered with gcc 99" in line]
    assert kernel.image.is_file()
    (noted,) = [str(event[1]) for event in seen.events if event[0] == "noted"]
    assert "so it is built here" in noted
    assert "ordered with gcc 99" in noted
    assert without_recordings(place.jobs) == []


def test_a_worker_whose_tools_make_another_configuration_gives_the_kernel_back(place, monkeypatch):
    monkeypatch.setattr(folder_builds, "NOBODY_AFTER_S", 1.0)
    monkeypatch.setattr(configuration, "renewed", lambda _make, text, _log: text + "CONFIG_PLUGINS=y\n")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with Working(place) as at_work:
        assert place.builder("asker", elsewhere).build(request(place.tree), "x86_64").image.is_file()
        assert [line for line in at_work.said if "another configuration of it: CONFIG_PLUGINS=y" in line]
    assert not list((place.folder / "worker" / "kernels").glob("built/*"))


def test_without_a_worker_it_is_built_here_and_says_what_to_start(place, monkeypatch):
    monkeypatch.setattr(folder_builds, "NOBODY_AFTER_S", 0.3)
    seen = Seen()
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    assert place.builder("asker", elsewhere, seen).build(request(place.tree), "x86_64").image.is_file()
    assert f"bootlab worker {place.jobs}" in str(seen.events[0][1])


def test_a_kernel_that_does_not_build_fails_as_it_does_here(place, tmp_path):
    (place.tree / "src/two.c").write_text("#error two\n")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with Working(place) as at_work:
        for _ in range(2):
            with pytest.raises(KernelBuildError) as caught:
                place.builder("asker", elsewhere).build(request(place.tree), "x86_64")
        assert len([line for line in at_work.said if "does not build" in line]) == 1, "it is not asked for again"
    with pytest.raises(KernelBuildError) as local:
        place.builder("local").build(request(place.tree), "x86_64")
    assert caught.value.message == local.value.message
    log = caught.value.hint.removeprefix("the whole log: ").split()[0]
    assert log.startswith(str(tmp_path / "asker"))
    assert "error: #error two" in Path(log).read_text(encoding="utf-8")


def test_builds_that_nobody_waits_for_are_ended_and_the_worker_goes_on(place):
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with at_work_on_one(place, elsewhere) as (at_work, asked):
        elsewhere.end()
        with pytest.raises(BuildStopped):
            asked.result()
        assert [line for line in at_work.said if "stopped in" in line]
        place.go()
        again = FolderBuilds(place.jobs, place.cache("asker"))
        assert place.builder("asker", again).build(request(place.tree), "x86_64").facts.objects_built == 1
    assert without_recordings(place.jobs) == []


def test_a_build_that_was_guessed_ends_alone_and_who_wants_it_begins_it_again(place):
    """The worker goes on from the objects that are there."""
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    stop = threading.Event()
    orders = []

    class Guessed:
        def obtain(self, order, observer, _stop=None):
            orders.append(order)
            return elsewhere.obtain(order, observer, stop)

    with Working(place) as at_work, ThreadPoolExecutor(2) as pool:
        guess = pool.submit(place.builder("asker", Guessed()).build, request(place.tree), "x86_64")
        place.building(1)
        wanted = pool.submit(elsewhere.obtain, *orders, None)
        stop.set()
        with pytest.raises(BuildStopped):
            guess.result(60)
        place.go()
        assert wanted.result(60)
        assert len(at_work.built()) == 1
        assert [line for line in at_work.said if "stopped in" in line]
    assert without_recordings(place.jobs) == []


def test_a_worker_that_is_ended_gives_its_build_back(place):
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with ThreadPoolExecutor(1) as pool:
        with Working(place) as at_work:
            asked = pool.submit(place.builder("asker", elsewhere).build, request(place.tree), "x86_64")
            place.building(1)
        assert [line for line in at_work.said if "given back" in line]
        place.go()
        with Working(place):
            assert asked.result().image.is_file()


def test_a_build_that_kills_every_worker_fails(place):
    jobs = JobFolder(place.jobs)
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.builder("asker", elsewhere).build, request(place.tree), "x86_64")
        for number in range(TRIES):
            while not (offered := jobs.offered()):
                time.sleep(0.02)
            jobs.take_from_dead(jobs.claim(offered[0], f"w{number}"))
        with pytest.raises(EnvironmentFault, match=r"3 workers died while they made the kernel \w+, the last was w2"):
            asked.result()


def test_what_cannot_be_sent_is_built_here(place, tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "init").write_text("x")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    options = (("A", "y"), ("INITRAMFS_SOURCE", f'"{folder}"'))
    assert place.builder("asker", elsewhere).build(request(place.tree, options=options), "x86_64").image.is_file()


def test_a_damaged_kernel_in_the_folder_is_built_again(place):
    with Working(place) as at_work:
        first = FolderBuilds(place.jobs, place.cache("one"))
        kernel = place.builder("one", first).build(request(place.tree), "x86_64")
        shared = SharedFiles(str(place.jobs))
        (place.jobs / "files" / shared.kernel(kernel.folder.name)).write_bytes(b"torn")
        (place.folder / "worker" / "kernels" / "built" / kernel.folder.name).rename(place.folder / "away")
        second = FolderBuilds(place.jobs, place.cache("two"))
        assert results(place.builder("two", second).build(request(place.tree), "x86_64").folder) == results(
            kernel.folder
        )
        assert len(at_work.built()) == 2


@pytest.mark.slow
def test_two_candidates_are_built_side_by_side_by_two_workers(place, tmp_path):
    (place.tree / "src/three.c").write_text("#slow\n")
    plain = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=request(place.tree)))
    systems = [
        msgspec.structs.replace(
            plain, kernel=msgspec.structs.replace(plain.kernel, build=request(place.tree, changes=(((name, "y"),),)))
        )
        for name in ("C", "D")
    ]
    for _ in range(2):
        place.start_worker()
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    target = FakeTarget(additive(100))
    with Bench(target, tmp_path / "store", cache=place.cache("asker"), jobs=2, elsewhere=elsewhere) as bench:
        bench.build_ahead([*systems, systems[0]])
        caches = place.building(2)
        place.go()
        built = [
            place.builder("asker", elsewhere).build(system.kernel.build, system.machine.arch) for system in systems
        ]
    assert caches == [tmp_path / "worker0", tmp_path / "worker1"]
    assert elsewhere.machines() == 1, "both workers are here"
    assert len({kernel.folder for kernel in built}) == 2
    assert not list((tmp_path / "asker" / "kernels").glob("work/*/*/obj/*.o"))


def test_leaving_the_bench_ends_the_builds(place, tmp_path):
    (place.tree / "src/three.c").write_text("#slow\n")
    system = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=request(place.tree)))
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with Working(place) as at_work:
        target = FakeTarget(additive(100))
        with Bench(target, tmp_path / "store", cache=place.cache("asker"), jobs=2, elsewhere=elsewhere) as bench:
            bench.build_ahead([system])
            place.building(1)
        assert [line for line in at_work.said if "stopped in" in line]
    assert without_recordings(place.jobs) == []


@pytest.mark.slow
def test_a_killed_worker_loses_only_its_build(place, tmp_path, monkeypatch):
    monkeypatch.setattr(job_folder, "LOST_AFTER_S", 20 * HEARTBEAT_S)
    (place.tree / "src/three.c").write_text("#slow\n")
    victim = place.start_worker()
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.builder("asker", elsewhere).build, request(place.tree), "x86_64")
        (cache,) = place.building(1)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        place.go()
        heir = place.start_worker()
        kernel = asked.result()
        heir.terminate()
        assert heir.wait(60) == 0
    assert not list((cache / "kernels").glob("built/*"))
    assert list((tmp_path / "worker1" / "kernels").glob("built/*"))
    assert results(kernel.folder) == results(place.builder("local").build(request(place.tree), "x86_64").folder)
    assert without_recordings(place.jobs) == []


def test_ctrl_c_ends_the_build_of_a_worker(place, monkeypatch):
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = FolderBuilds(place.jobs, place.cache("asker"))
    interrupted = threading.Event()

    def look(self):
        if interrupted.is_set():
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(folder_builds._Look, "__call__", look)
    with at_work_on_one(place, elsewhere) as (at_work, asked):
        interrupted.set()
        with pytest.raises(KeyboardInterrupt):
            asked.result()
        assert [line for line in at_work.said if "stopped in" in line]
    assert without_recordings(place.jobs) == []
