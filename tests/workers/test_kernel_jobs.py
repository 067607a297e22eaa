# SPDX-License-Identifier: MIT
"""Kernels built by a worker, of shared files: equal to local ones, never twice, ended, left to others.

The worker is in this process; those of a real scheduler are in `test_scheduled_builds.py`.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.kbuild import configuration, ordered, source_archive
from bootlab.builders.kbuild.make_run import BuildStopped
from bootlab.errors import KernelBuildError
from bootlab.experiments.bench import Bench
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import Kernel
from bootlab.workers.shared_files import SharedFiles
from tests.builders.kbuild.fake_tree import request
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive
from tests.workers.kernel_jobs import OneWorker, Place, results

PATCH = KernelPatch(
    name="two.patch", text="--- a/src/two.c\n+++ b/src/two.c\n@@ -1 +1,2 @@\n int two;\n+int patched;\n"
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
    return made


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
    seen = Seen()
    elsewhere = OneWorker(place, "asker", url=f"file://{tmp_path}/bucket" if bucket else "")
    remote = [place.builder("asker", elsewhere, seen).build(build, "x86_64", file) for build, file in asked]
    assert len(elsewhere.answers) == 3
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
    assert [event[0] for event in seen.events] == ["started", "progress", "ended"] * 3
    assert "on a worker" in str(seen.events[0][1])
    assert seen.events[1][2] == 3


def test_threads_that_want_one_kernel_wait_for_one_job_and_another_command_needs_none(place):
    (place.tree / "src/three.c").write_text("#slow\n")
    first = OneWorker(place, "one")
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(place.builder("one", first).build, request(place.tree), "x86_64") for _ in range(2)]
        place.building(1)
        place.go()
        folders = {one.result().folder for one in asked}
    assert len(folders) == len(first.answers) == 1
    other = OneWorker(place, "two")
    again = place.builder("two", other).build(request(place.tree), "x86_64")
    assert other.answers == []
    assert (again.folder / "build.log").read_bytes() == (folders.pop() / "build.log").read_bytes()


def test_a_worker_with_another_compiler_leaves_the_kernel_and_it_is_built_here(place, monkeypatch):
    real = ordered.check_tools
    monkeypatch.setattr(ordered, "check_tools", lambda k: real(msgspec.structs.replace(k, toolchain="gcc 99")))
    seen = Seen()
    elsewhere = OneWorker(place, "asker")
    kernel = place.builder("asker", elsewhere, seen).build(request(place.tree), "x86_64")
    assert kernel.image.is_file()
    (noted,) = [str(event[1]) for event in seen.events if event[0] == "noted"]
    assert "so it is built here" in noted
    assert "ordered with gcc 99" in noted


def test_a_worker_whose_tools_make_another_configuration_leaves_the_kernel(place, monkeypatch):
    monkeypatch.setattr(configuration, "renewed", lambda _make, text, _log: text + "CONFIG_PLUGINS=y\n")
    elsewhere = OneWorker(place, "asker")
    assert place.builder("asker", elsewhere).build(request(place.tree), "x86_64").image.is_file()
    (why,) = elsewhere.left
    assert "another configuration of it: CONFIG_PLUGINS=y" in why
    assert not list((place.folder / "worker" / "kernels").glob("built/*"))


def test_a_kernel_that_does_not_build_fails_as_it_does_here(place, tmp_path):
    (place.tree / "src/two.c").write_text("#error two\n")
    elsewhere = OneWorker(place, "asker")
    for _ in range(2):
        with pytest.raises(KernelBuildError) as caught:
            place.builder("asker", elsewhere).build(request(place.tree), "x86_64")
    assert len(elsewhere.answers) == 1, "it is not asked for again"
    with pytest.raises(KernelBuildError) as local:
        place.builder("local").build(request(place.tree), "x86_64")
    assert caught.value.message == local.value.message
    log = caught.value.hint.removeprefix("the whole log: ").split()[0]
    assert log.startswith(str(tmp_path / "asker"))
    assert "error: #error two" in Path(log).read_text(encoding="utf-8")


def test_builds_that_nobody_waits_for_are_ended_and_the_worker_goes_on_from_its_objects(place):
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = OneWorker(place, "asker")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.builder("asker", elsewhere).build, request(place.tree), "x86_64")
        place.building(1)
        elsewhere.end()
        with pytest.raises(BuildStopped):
            asked.result()
    assert [answer.attempt for answer in elsewhere.answers] == [""]
    place.go()
    again = OneWorker(place, "asker")
    assert place.builder("asker", again).build(request(place.tree), "x86_64").facts.objects_built == 1


def test_a_build_that_was_guessed_ends_alone_and_who_wants_it_begins_it_again(place):
    """The worker goes on from the objects that are there."""
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = OneWorker(place, "asker")
    stop = threading.Event()
    orders = []

    class Guessed:
        def obtain(self, order, observer, _stop=None):
            orders.append(order)
            return elsewhere.obtain(order, observer, stop)

    with ThreadPoolExecutor(2) as pool:
        guess = pool.submit(place.builder("asker", Guessed()).build, request(place.tree), "x86_64")
        place.building(1)
        wanted = pool.submit(elsewhere.obtain, *orders, None)
        stop.set()
        with pytest.raises(BuildStopped):
            guess.result(60)
        place.go()
        assert wanted.result(60)
    assert [bool(answer.attempt) for answer in elsewhere.answers] == [False, True]


def test_what_cannot_be_sent_is_built_here(place, tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "init").write_text("x")
    elsewhere = OneWorker(place, "asker")
    options = (("A", "y"), ("INITRAMFS_SOURCE", f'"{folder}"'))
    assert place.builder("asker", elsewhere).build(request(place.tree, options=options), "x86_64").image.is_file()
    assert elsewhere.answers == []


def test_a_damaged_kernel_among_the_shared_files_is_built_again(place):
    first = OneWorker(place, "one")
    kernel = place.builder("one", first).build(request(place.tree), "x86_64")
    shared = SharedFiles(str(place.shared))
    (place.shared / "files" / shared.kernel(kernel.folder.name)).write_bytes(b"torn")
    (place.folder / "worker" / "kernels" / "built" / kernel.folder.name).rename(place.folder / "away")
    second = OneWorker(place, "two")
    assert results(place.builder("two", second).build(request(place.tree), "x86_64").folder) == results(kernel.folder)
    assert len(second.answers) == 1


def test_leaving_the_bench_ends_the_builds(place, tmp_path):
    (place.tree / "src/three.c").write_text("#slow\n")
    system = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=request(place.tree)))
    elsewhere = OneWorker(place, "asker")
    target = FakeTarget(additive(100))
    with Bench(target, tmp_path / "store", cache=place.cache("asker"), jobs=2, elsewhere=elsewhere) as bench:
        bench.build_ahead([system])
        place.building(1)
    assert [answer.attempt for answer in elsewhere.answers] == [""]
