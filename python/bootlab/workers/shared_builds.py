# SPDX-License-Identifier: MIT
"""Kernels built by workers, of files that machines share: both ends of a job, without what hands jobs out.

Whoever asks hands over what decides the kernel; a worker builds it with its own tools, if these make the same one, and
hands it back as one file. What it comes to is the folder that a local build leaves.
"""

from __future__ import annotations

import abc
import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import built, kernel_archive, ordered, source, source_archive
from bootlab.builders.kbuild.compilation import Workplace
from bootlab.builders.kbuild.elsewhere import KernelOrder
from bootlab.builders.kbuild.make_run import BuildStopped
from bootlab.builders.kbuild.resolved import ResolvedKernel, embeds_only_files
from bootlab.errors import EnvironmentFault, KernelBuildError, ToolMissing
from bootlab.kernelsource.configuration import read_config
from bootlab.recordings.seal import sha256_of
from bootlab.workers.answer import JobAnswer, error_of
from bootlab.workers.shared_files import SharedFiles

_CONFIG, _SOURCE = "config", "source"
_ARCHIVE = ".tar.gz"
_SHOWS_WITHIN_S = 60.0
"""How late a network file system may show a kernel that another machine wrote."""
_LOOK_EVERY_S = 0.2


class LeftToOthers(EnvironmentFault):
    """This machine cannot build a kernel, or would build another one."""


class SharedBuilds(abc.ABC):
    """Has kernels built by workers. Several threads that ask for one kernel wait for one job."""

    def __init__(self, shared: SharedFiles, cache: Cache) -> None:
        """Share files with the workers; kernels come into `cache`."""
        self._shared = shared
        self._cache = cache
        self._lock = threading.Lock()
        self._asked: dict[str, Future[bool]] = {}
        self._stops: set[threading.Event] = set()
        self._ended = False

    def obtain(self, order: KernelOrder, observer: BuildObserver | None, stop: threading.Event | None = None) -> bool:
        """Put a kernel into its place; False: no worker can. Raise what a worker raised, or BuildStopped.

        `stop` ends the job that this call began. Who waits for that job in another thread begins it again.
        """
        stop = stop or threading.Event()
        mine: Future[bool] = Future()
        while True:
            with self._lock:
                asked = self._asked.setdefault(order.key, mine)
            if asked is mine:
                break
            try:
                return asked.result()
            except BuildStopped:
                if self._ended or stop.is_set():
                    raise
        try:
            with self._stoppable(stop):
                found = self._obtain(order, observer, stop)
        except KernelBuildError as fault:
            # It does not build at any other time either; the object folder of the worker would say so again.
            mine.set_exception(fault)
            raise
        except BaseException as fault:
            self._forget(order)
            mine.set_exception(fault)
            raise
        self._forget(order)
        mine.set_result(found)
        return found

    def end(self) -> None:
        """Ask for the end of every job."""
        with self._lock:
            self._ended = True
            for stop in self._stops:
                stop.set()

    @abc.abstractmethod
    def _made(
        self, order: KernelOrder, files: dict[str, str], shown: ShownBuild, stop: threading.Event
    ) -> JobAnswer | None:
        """Have a job done; return what became of it, None when no worker can do it, which `shown` is told."""

    @contextlib.contextmanager
    def _stoppable(self, stop: threading.Event) -> Iterator[None]:
        with self._lock:
            self._stops.add(stop)
            if self._ended:
                stop.set()
        try:
            yield
        finally:
            with self._lock:
                self._stops.discard(stop)

    def _forget(self, order: KernelOrder) -> None:
        with self._lock:
            self._asked.pop(order.key, None)

    def _obtain(self, order: KernelOrder, observer: BuildObserver | None, stop: threading.Event) -> bool:
        if (kept := self._shared.kernel(order.key)) and self._fetched(kept, order.place):
            return True
        if not embeds_only_files(read_config(order.config.read_text(encoding="utf-8"))):
            return False
        shown = ShownBuild(order, observer)
        try:
            answer = self._made(order, self._handed_over(order), shown, stop)
            if answer is not None:
                self._require(answer)
                self._settle(answer, order)
        finally:
            shown.over()
        return answer is not None

    def _settle(self, answer: JobAnswer, order: KernelOrder) -> None:
        """Put what a worker built into its place."""
        if not answer.attempt:
            raise BuildStopped("the build was stopped", hint="run the command again: it continues from there")
        until = time.monotonic() + _SHOWS_WITHIN_S
        # A worker that has this machine's cache has put it there.
        while built.load(order.place) is None and not self._fetched(answer.attempt, order.place):
            if time.monotonic() > until:
                raise EnvironmentFault(
                    f"{answer.worker} built a kernel, but {self._shared.url} does not have it",
                    hint="is the folder, or the bucket, the same on all machines?",
                )
            time.sleep(_LOOK_EVERY_S)

    def _handed_over(self, order: KernelOrder) -> dict[str, str]:
        """Put what decides a kernel where workers find it; return the digests."""
        archive = source_archive.packed(order.kernel, order.tree, self._cache)
        paths = {_CONFIG: order.config, _SOURCE: archive} | {path: Path(path) for path, *_ in order.kernel.embedded}
        files = {name: self._cache.digest(path) for name, path in paths.items()}
        for name, path in paths.items():
            self._shared.put(path, files[name])
        return files

    def _require(self, answer: JobAnswer) -> None:
        """Raise a worker's error, with the log on this machine."""
        if answer.log:
            with contextlib.suppress(EnvironmentFault):
                log = str(self._shared.take(answer.log, ".log", self._cache))
                hint = answer.hint.replace(answer.log_path, log)
                answer = msgspec.structs.replace(answer, hint=hint, log_path=log)
        answer.require()

    def _fetched(self, sha256: str, place: Path) -> bool:
        with _taken(self._shared, sha256, self._cache) as archive:
            if archive is not None:
                kernel_archive.unpack(archive, place)
        return archive is not None and built.load(place) is not None


class ShownBuild:
    """One kernel that workers build, in a progress display."""

    def __init__(self, order: KernelOrder, observer: BuildObserver | None) -> None:
        """Show nothing yet."""
        self.order = order
        self._observer = observer
        self._label = ""
        self._began = 0.0

    def on(self, worker: str) -> None:
        """Say who builds it now; more than once, too."""
        label = f"{self.order.label} on {worker}"
        if self._observer is None or label == self._label:
            return
        self.over()
        self._label, self._began = label, time.monotonic()
        self._observer.build_started(label)

    def nobody(self, why: str) -> None:
        """Say that it is built here, and why."""
        if self._observer is not None:
            self._observer.build_noted(f"no worker builds the {self.order.label}, so it is built here: {why}")

    def over(self) -> None:
        """Say that nobody builds it any more."""
        if self._observer is None or not self._label:
            return
        there = built.load(self.order.place)
        if there is not None:
            self._observer.build_progress(self._label, there.facts.objects_built, None, "")
        self._observer.build_ended(self._label, time.monotonic() - self._began)
        self._label = ""


def made_here(
    kernel: ResolvedKernel,
    key: str,
    files: Mapping[str, str],
    shared: SharedFiles,
    cache: Cache,
    stop: threading.Event,
) -> str:
    """Build a kernel and hand it over, unless somebody did; return the digest of its archive. "": it was stopped.

    Raise LeftToOthers where this machine cannot make this kernel, and what building raises.
    """
    if kept := shared.kernel(key):
        with _taken(shared, kept, cache) as archive:
            if archive is not None:
                return kept
    at = Workplace(cache=cache, jobs=len(os.sched_getaffinity(0)), shares=True, stop=stop)
    found = built.load(at.place(key))
    try:
        if found is None:
            config = shared.take(files[_CONFIG], ".config", cache).read_text(encoding="utf-8")
            copies = {path: shared.take(files[path], "", cache) for path, *_ in kernel.embedded}
            tree = _source(kernel, files[_SOURCE], shared, cache)
            found = ordered.build_ordered(kernel, config, tree, at, copies)
    except (ordered.OtherKernel, ToolMissing) as fault:
        raise LeftToOthers(fault.message, hint=fault.hint) from fault
    except BuildStopped:
        return ""
    if found.folder.name != key:
        raise EnvironmentFault(f"the job for the kernel {key} describes another kernel", hint="run the command again")
    with tempfile.TemporaryDirectory(prefix="kernel-", dir=cache.root / "new") as folder:
        packed = Path(folder) / f"kernel{_ARCHIVE}"
        kernel_archive.pack(found.folder, packed)
        sha256 = cache.digest(packed)
        shared.put(packed, sha256)
    shared.note_kernel(key, sha256)
    return sha256


def answer_of(worker: str, fault: Exception, shared: SharedFiles) -> JobAnswer:
    """Return the answer that tells of an error, the log of a failed build handed over."""
    answer = error_of(worker, fault)
    if not answer.log_path:
        return answer
    with contextlib.suppress(EnvironmentFault, OSError):
        log = Path(answer.log_path)
        sha256 = sha256_of(log)
        shared.put(log, sha256)
        return msgspec.structs.replace(answer, log=sha256)
    return answer


def _source(kernel: ResolvedKernel, sha256: str, shared: SharedFiles, cache: Cache) -> source.SourceTree:
    """Return the source: this machine's own, or the one that was handed over, fetched and unpacked once."""
    own = source_archive.found_here(kernel, cache)
    if own is not None:
        return own
    place = source.unpacked_place(sha256, cache)
    if place.is_dir():
        return source_archive.unpacked(kernel, place, sha256, cache)
    with _taken(shared, sha256, cache) as archive:
        if archive is None:
            raise EnvironmentFault(f"{shared.url}/files/{sha256} is gone or damaged", hint="run the command again")
        return source_archive.unpacked(kernel, archive, sha256, cache)


@contextlib.contextmanager
def _taken(shared: SharedFiles, sha256: str, cache: Cache) -> Iterator[Path | None]:
    """Give a file that is needed for a moment, and large; None where it is gone or damaged."""
    path = None
    try:
        with contextlib.suppress(EnvironmentFault):
            path = shared.take(sha256, f".{os.getpid()}-{threading.get_ident()}{_ARCHIVE}", cache)
        yield path
    finally:
        if path is not None:
            path.unlink(missing_ok=True)
