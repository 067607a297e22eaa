# SPDX-License-Identifier: MIT
"""Kernels built by the workers of a dask scheduler."""

from __future__ import annotations

import contextlib
import threading
import time
from urllib.parse import urlsplit

import msgspec

from bootlab import __version__
from bootlab.builders.cache import Cache, default_folder
from bootlab.builders.kbuild.elsewhere import KernelOrder
from bootlab.builders.kbuild.resolved import ResolvedKernel
from bootlab.errors import EnvironmentFault
from bootlab.workers.answer import JobAnswer
from bootlab.workers.scheduled import Workers
from bootlab.workers.scheduled_job import ASK_EVERY_S, require_version, watch_for_stop
from bootlab.workers.shared_builds import LeftToOthers, SharedBuilds, ShownBuild, answer_of, made_here
from bootlab.workers.shared_files import SharedFiles

_LOOK_EVERY_S = 0.2
_ENDS_WITHIN_S = 60.0
"""How long a worker has to end a build that nobody wants any more: it asks for that every few seconds."""


class BuildJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is sent. `bootlab`: its version here. `url`: where the machines share files."""

    bootlab: str = __version__
    key: str
    kernel: ResolvedKernel
    files: tuple[tuple[str, str], ...]
    url: str


class BuildDone(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker sends back: an answer, or why it leaves the kernel to others."""

    answer: JobAnswer
    left: str = ""


class ScheduledBuilds(SharedBuilds):
    """Has kernels built by the workers of a scheduler."""

    def __init__(self, workers: Workers, cache: Cache, *, url: str = "") -> None:
        """Share files over a URL, or in a folder of the cache, which all machines then share."""
        self._workers = workers
        super().__init__(SharedFiles(url or str(cache.root.absolute() / "kernels" / "shared")), cache)

    def machines(self) -> int:
        """Return how many machines have workers."""
        return max(1, len({urlsplit(address).hostname for address in self._workers.there()}))

    def _made(
        self, order: KernelOrder, files: dict[str, str], shown: ShownBuild, stop: threading.Event
    ) -> JobAnswer | None:
        job = BuildJob(key=order.key, kernel=order.kernel, files=tuple(files.items()), url=self._shared.url)
        left: dict[str, str] = {}
        number = 0
        while True:
            there = self._workers.there()
            able = [worker for worker in there if worker not in left]
            if there and not able:
                shown.nobody("; ".join(sorted(set(left.values()))))
                return None
            # Two commands that want one kernel have one job: the same name. Who comes back without it asks again.
            name = f"{_name_of(order.key)}-{number}"
            number += 1
            shown.on(f"a worker of {self._workers.address}")
            done = self._waited(job, name, able if left else None, stop)
            if done.left:
                left[done.answer.worker] = done.left
            elif done.answer.attempt or done.answer.error or stop.is_set():
                return done.answer
            else:
                # Another command had it stopped, or the workers are gone that it was for.
                time.sleep(ASK_EVERY_S)

    def _waited(self, job: BuildJob, name: str, able: list[str] | None, stop: threading.Event) -> BuildDone:
        future = self._workers.client.submit(build_job, job, key=name, pure=False, workers=able)
        ended = threading.Event()
        future.add_done_callback(lambda _future: ended.set())
        ends_at: float | None = None
        try:
            while not ended.wait(_LOOK_EVERY_S if able is None else ASK_EVERY_S):
                if stop.is_set() and ends_at is None:
                    self._ask_to_stop(job)
                    ends_at = time.monotonic() + _ENDS_WITHIN_S
                if ends_at is not None and time.monotonic() > ends_at:
                    raise EnvironmentFault("a worker did not stop its build", hint="look at the worker's own log")
                if able is not None and not set(able) & set(self._workers.there()):
                    future.cancel()
                    return BuildDone(answer=JobAnswer(worker=""))
            done = self._workers.result(future, "build a kernel")
        except KeyboardInterrupt:
            self._ask_to_stop(job)
            ended.wait(_ENDS_WITHIN_S)
            self._forget_stop(job)
            raise
        finally:
            future.release()
            if ends_at is not None:
                self._forget_stop(job)
        if not isinstance(done, BuildDone):
            raise EnvironmentFault(f"a worker of {self._workers.address} answered {type(done).__name__}")
        return done

    def _ask_to_stop(self, job: BuildJob) -> None:
        with contextlib.suppress(EnvironmentFault):
            self._shared.ask_to_stop(_name_of(job.key))

    def _forget_stop(self, job: BuildJob) -> None:
        with contextlib.suppress(EnvironmentFault):
            self._shared.forget_stop(_name_of(job.key))


def _name_of(key: str) -> str:
    """Return the name of the job that builds a kernel."""
    return f"kernel_{key}"


def build_job(job: BuildJob) -> BuildDone:
    """Build a kernel into this machine's own cache and hand it over. Runs on a worker."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

    worker = str(get_worker().address)
    shared = SharedFiles(job.url)
    stop, done = threading.Event(), threading.Event()
    name = _name_of(job.key)
    watch = threading.Thread(
        target=watch_for_stop, args=(lambda: shared.stop_asked(name), ASK_EVERY_S, stop, done), daemon=True
    )
    watch.start()
    try:
        require_version(job.bootlab)
        cache = Cache(default_folder())
        attempt = made_here(job.kernel, job.key, dict(job.files), shared, cache, stop)
        return BuildDone(answer=JobAnswer(worker=worker, attempt=attempt))
    except LeftToOthers as fault:
        return BuildDone(answer=JobAnswer(worker=worker), left=fault.message)
    except Exception as fault:  # noqa: BLE001 - whoever asked is told
        return BuildDone(answer=answer_of(worker, fault, shared))
    finally:
        done.set()
