# SPDX-License-Identifier: MIT
"""Kernels built by the workers of a real dask scheduler on this machine."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bootlab.builders.kbuild.make_run import BuildStopped
from bootlab.errors import KernelBuildError
from bootlab.model.source_build import KernelPatch
from bootlab.workers.answer import JobAnswer
from bootlab.workers.scheduled import Workers
from tests.builders.kbuild.fake_tree import request
from tests.workers.kernel_jobs import Place, results

pytest.importorskip("distributed", reason="pip install 'bootlab[dask]'")

from bootlab.workers.scheduled_builds import BuildDone, ScheduledBuilds
from tests.workers.scheduled_boots import Cluster

pytestmark = pytest.mark.slow


def patch(name):
    return KernelPatch(
        name=f"{name}.patch",
        text=f"--- a/src/{name}.c\n+++ b/src/{name}.c\n@@ -1 +1,2 @@\n int {name};\n+int patched;\n",
    )


@pytest.fixture
def place(tmp_path, monkeypatch):
    made = Place(tmp_path)
    monkeypatch.setenv("PATH", made.path)
    return made


@pytest.fixture
def workers(place, tmp_path):
    cluster = Cluster(tmp_path, 2, apart=True, path=place.path)
    try:
        with Workers(cluster.address) as found:
            found.client.wait_for_workers(2, timeout=60)
            found.processes = cluster.workers
            yield found
    finally:
        cluster.close()


@pytest.mark.parametrize("url", ["", "bucket"])
def test_kernels_side_by_side_a_worker_killed_and_all_as_built_here(place, workers, tmp_path, url):
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = ScheduledBuilds(workers, place.cache("asker"), url=f"file://{tmp_path}/{url}" if url else "")
    # By patches: the tiny tree's objects do not know that they depend on options.
    asked = [request(place.tree, patches=(patch(name),)) for name in ("one", "two")]
    with ThreadPoolExecutor(2) as pool:
        builder = place.builder("asker", elsewhere)
        flying = [pool.submit(builder.build, build, "x86_64") for build in asked]
        assert place.building(2) == [tmp_path / "cache0", tmp_path / "cache1"]
        os.kill(workers.processes[0].pid, signal.SIGKILL)
        place.go()
        remote = [one.result() for one in flying]
    for one, build in zip(remote, asked, strict=True):
        assert results(one.folder) == results(place.builder("local").build(build, "x86_64").folder)
    assert not list((tmp_path / "asker" / "kernels").glob("work/*/*/obj/*.o"))
    assert elsewhere.machines() == 1


def test_a_mistake_comes_back_and_the_end_of_a_build_too(place, workers):
    (place.tree / "src/two.c").write_text("#error two\n")
    elsewhere = ScheduledBuilds(workers, place.cache("asker"))
    with pytest.raises(KernelBuildError, match="#error two"):
        place.builder("asker", elsewhere).build(request(place.tree), "x86_64")
    (place.tree / "src/two.c").write_text("#slow\n")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.builder("asker", elsewhere).build, request(place.tree), "x86_64")
        place.building(1)
        elsewhere.end()
        with pytest.raises(BuildStopped):
            asked.result()


class _Interrupted(threading.Event):
    """Ctrl-C, where the one who waits looks whether it shall stop."""

    pressed = False

    def is_set(self):
        if self.pressed:
            raise KeyboardInterrupt
        return super().is_set()


def test_ctrl_c_ends_the_build_of_a_worker(place, workers):
    (place.tree / "src/three.c").write_text("#slow\n")
    elsewhere = ScheduledBuilds(workers, place.cache("asker"))
    stop = _Interrupted()

    class Asking:
        def obtain(self, order, observer, _stop=None):
            return elsewhere.obtain(order, observer, stop)

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.builder("asker", Asking()).build, request(place.tree), "x86_64")
        (cache,) = place.building(1)
        stop.pressed = True
        with pytest.raises(KeyboardInterrupt):
            asked.result()
    # Else it would still be built now that nothing holds it back.
    place.go()
    time.sleep(1)
    assert not list((cache / "kernels").glob("built/*"))


def test_what_no_worker_can_build_is_built_here(place, workers, monkeypatch):
    elsewhere = ScheduledBuilds(workers, place.cache("asker"))
    there = iter(workers.there())
    monkeypatch.setattr(
        elsewhere, "_waited", lambda *_: BuildDone(answer=JobAnswer(worker=next(there)), left="another compiler")
    )
    assert place.builder("asker", elsewhere).build(request(place.tree), "x86_64").image.is_file()
    assert next(there, None) is None, "each worker was asked"
