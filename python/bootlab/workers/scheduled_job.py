# SPDX-License-Identifier: MIT
"""One boot on a worker: checks that it would be the same boot here, makes it, puts it in its place at once.

The place is a folder that all machines share, or a URL: then files come from there, and the recording goes there.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab import __version__
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault
from bootlab.launch.boot_plan import BootPlan
from bootlab.recordings.half_made import half_made, key_of
from bootlab.workers.shared_boots import Opener, boot_copies, boot_name, check
from bootlab.workers.shared_files import SharedFiles

SHARE_FOLDERS = "put store and cache into a folder that all machines share, under the same path"

_LOOK_EVERY_S = 0.5
ASK_EVERY_S = 3.0
"""How often a worker asks a URL whether it shall stop: each time is a request that may cost something."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is sent. `folder`, `cache`: paths that are the same on every machine; of no meaning with `url`.

    `bootlab`: its version where the boot was planned.
    `url`: where the machines share files instead. `files`: paths in the plan with the digests of their contents.
    """

    bootlab: str = __version__
    plan: BootPlan
    folder: str
    cache: str
    opener: Opener
    url: str = ""
    files: tuple[tuple[str, str], ...] = ()


def require_version(planned_by: str) -> None:
    """Raise EnvironmentFault where another version of bootlab asks: this one could make another boot of it."""
    if planned_by != __version__:
        raise EnvironmentFault(
            f"{socket.gethostname()} has bootlab {__version__}, the command has {planned_by}",
            hint="install one version of bootlab on all machines",
        )


def stop_file(folder: Path) -> Path:
    """Return the file that tells a worker to end the machine of a boot."""
    return folder.with_name(f"{folder.name}.stop")


def boot_job(job: Job) -> str:
    """Boot, and return where the recording lies: its folder, or the name of the attempt. Runs on a worker."""
    require_version(job.bootlab)
    if job.url:
        return _boot_over_url(job)
    folder = Path(job.folder)
    if not folder.parent.is_dir():
        raise EnvironmentFault(
            f"{socket.gethostname()} has no folder {folder.parent}",
            hint=SHARE_FOLDERS,
        )
    cache = Cache(Path(job.cache))
    check(job.plan, cache)
    # A job that was given to another worker, because this one was taken for dead, must not write into the same folder.
    stop, done = threading.Event(), threading.Event()
    asked = stop_file(folder).exists
    watch = threading.Thread(target=watch_for_stop, args=(asked, _LOOK_EVERY_S, stop, done), daemon=True)
    watch.start()
    try:
        with half_made(folder.with_name(key_of(folder))) as own:
            job.opener(job.plan.system, cache).boot(job.plan, own, stop=stop)
            if not folder.exists():
                own.rename(folder)
    finally:
        done.set()
    return str(folder)


def _boot_over_url(job: Job) -> str:
    shared = SharedFiles(job.url)
    name = boot_name(Path(job.folder))
    stop, done = threading.Event(), threading.Event()
    watch = threading.Thread(
        target=watch_for_stop, args=(lambda: shared.stop_asked(name), ASK_EVERY_S, stop, done), daemon=True
    )
    watch.start()
    try:
        return boot_copies(job.plan, name, dict(job.files), shared, job.opener, stop)
    finally:
        done.set()


def watch_for_stop(asked: Callable[[], bool], every_s: float, stop: threading.Event, done: threading.Event) -> None:
    """Set `stop` once somebody asks for that, until `done` is set."""
    while not done.wait(every_s):
        with contextlib.suppress(EnvironmentFault):
            if asked():
                stop.set()
                return
