# SPDX-License-Identifier: MIT
"""Boots on other machines: planned here, made by the workers of a dask scheduler, put into a folder or a URL of all.

A job is one boot. It needs nothing of any other job, so a worker that dies loses only its own: the scheduler gives it
to another one. The recording is that of a local boot, byte for byte, but for how long the host took.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bootlab.builders.cache import Cache
from bootlab.errors import BootlabError, EnvironmentFault, UserError
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.target import ProgressSink, Target
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings import recording_dir
from bootlab.recordings.files import RECORDING_FILE
from bootlab.targets.choose import target_for
from bootlab.workers.scheduled_job import SHARE_FOLDERS, Job, boot_job, stop_file
from bootlab.workers.scheduler_address import FORMS, address_of, scheduler_file
from bootlab.workers.shared_boots import Opener, boot_name, hand_over, interrupted, kept_elsewhere
from bootlab.workers.shared_files import SharedFiles

if TYPE_CHECKING:
    from distributed import Client, Future

_LOOK_EVERY_S = 0.2
_WAIT_FOR_WORKERS_S = 30.0
_SHOWS_WITHIN_S = 10.0
_ENDS_WITHIN_S = 30.0
"""How long a worker has to end a machine that nobody wants any more."""


class Workers:
    """The workers of one scheduler. Use as a context manager: leaving it lets them go."""

    def __init__(self, scheduler: str) -> None:
        """Connect to an address, or to that in the scheduler's file (`file:PATH`).

        Raise UserError for what names no scheduler, EnvironmentFault when there is none, no worker, or no dask.
        """
        try:
            from distributed import Client  # noqa: PLC0415 - an extra
        except ImportError as fault:
            raise EnvironmentFault(
                "--scheduler needs dask.distributed, which is not installed", hint="pip install 'bootlab[dask]'"
            ) from fault
        address = self.address = address_of(scheduler, _WAIT_FOR_WORKERS_S)
        try:
            self.client: Client = Client(address, timeout=_WAIT_FOR_WORKERS_S, set_as_default=False)
        except ValueError as fault:
            raise UserError(f"{address} is not the address of a scheduler: {fault}", hint=FORMS) from fault
        except OSError as fault:
            raise EnvironmentFault(
                f"there is no dask scheduler at {address}: {fault}", hint=_to_start(scheduler)
            ) from fault
        try:
            self.client.wait_for_workers(1, timeout=_WAIT_FOR_WORKERS_S)
        except (OSError, TimeoutError) as fault:
            self.client.close()
            raise EnvironmentFault(
                f"the scheduler at {address} has no workers",
                hint=f"on each machine: bootlab worker {scheduler}",
            ) from fault

    def __enter__(self) -> Self:
        """Return them."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect."""
        self.client.close()

    def result(self, future: Future[Any], what: str) -> object:
        """Return what a worker came to that was to do `what`. Raise its error, EnvironmentFault when several died."""
        try:
            return future.result()
        except BootlabError:
            raise
        except Exception as fault:
            raise EnvironmentFault(
                f"the workers at {self.address} could not {what}: {type(fault).__name__}: {fault}",
                hint="their logs say more; `dask scheduler` shows who is there",
            ) from fault

    def there(self) -> list[str]:
        """Return the addresses of those that are there now."""
        return [str(address) for address in self.client.nthreads()]

    @property
    def threads(self) -> int:
        """How many boots they make at a time."""
        threads: int = sum(self.client.nthreads().values())
        return max(1, threads)


class ScheduledTarget:
    """A target whose machines run on workers. Plans, and so builds, are made here, into the shared cache."""

    def __init__(
        self, target: Target, workers: Workers, cache: Cache, *, opener: Opener = target_for, url: str = ""
    ) -> None:
        """Boot what `target` plans. `opener` opens the target of a system on a worker.

        `url`: the machines share no folder, but this URL. Raise EnvironmentFault when it cannot be used.
        """
        self._target = target
        self._workers = workers
        self._cache = cache
        self._opener = opener
        self._shared = SharedFiles(url) if url else None

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Plan as the target does."""
        return self._target.plan(system, purpose)

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Have a worker boot it. Raise EnvironmentFault when none can: several died of it, or they lack something."""
        del progress
        folder = folder.absolute()
        shared = self._shared
        if shared is not None and (kept := kept_elsewhere(shared, boot_name(folder), folder)) is not None:
            return kept[1]
        job = Job(
            plan=plan,
            folder=str(folder),
            cache=str(self._cache.root.absolute()),
            opener=self._opener,
            url=shared.url if shared is not None else "",
            files=tuple(hand_over(plan, shared, self._cache).items()) if shared is not None else (),
        )
        # One name a job: a boot that is asked for anew must not get the result of the earlier one.
        future = self._workers.client.submit(boot_job, job, key=f"boot-{folder.name}", pure=False)
        try:
            place = self._waited(future, stop, lambda: _ask_to_stop(shared, folder))
        finally:
            future.release()
            _forget_stop(shared, folder, asked=stop.is_set())
        if shared is None:
            return _settled(folder)
        if not place:
            return interrupted(plan, folder)
        shared.fetch(boot_name(folder), place, folder)
        return recording_dir.load(folder)

    def _waited(self, future: Future[Any], stop: threading.Event, ask_to_stop: Callable[[], None]) -> str:
        ended = threading.Event()
        future.add_done_callback(lambda _future: ended.set())
        ends_at: float | None = None
        while not ended.wait(_LOOK_EVERY_S):
            if stop.is_set() and ends_at is None:
                with contextlib.suppress(OSError, EnvironmentFault):
                    ask_to_stop()
                ends_at = time.monotonic() + _ENDS_WITHIN_S
            if ends_at is not None and time.monotonic() > ends_at:
                raise EnvironmentFault("a worker did not stop its machine", hint="look at the worker's own log")
        return str(self._workers.result(future, "make a boot"))


def _to_start(scheduler: str) -> str:
    path = scheduler_file(scheduler)
    if path is None:
        return "start one: dask scheduler --port 8786"
    return f"{path} may be of one that was killed; start one: dask scheduler --port 0 --scheduler-file {path}"


def _ask_to_stop(shared: SharedFiles | None, folder: Path) -> None:
    if shared is None:
        stop_file(folder).touch()
    else:
        shared.ask_to_stop(boot_name(folder))


def _forget_stop(shared: SharedFiles | None, folder: Path, *, asked: bool) -> None:
    if shared is None:
        stop_file(folder).unlink(missing_ok=True)
    elif asked:
        with contextlib.suppress(EnvironmentFault):
            shared.forget_stop(boot_name(folder))


def _settled(folder: Path) -> Recording:
    """Return the recording: a network folder may tell of it later than the scheduler does."""
    until = time.monotonic() + _SHOWS_WITHIN_S
    while not (folder / RECORDING_FILE).is_file():
        if time.monotonic() > until:
            raise EnvironmentFault(
                f"a worker wrote {folder}, but this machine does not see it",
                hint=SHARE_FOLDERS,
            )
        time.sleep(_LOOK_EVERY_S)
    return recording_dir.load(folder)
