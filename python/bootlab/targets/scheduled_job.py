"""One boot on a worker: checks that it would be the same boot here, makes it, puts it in its place at once."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault
from bootlab.model.system import System
from bootlab.targets import emulator
from bootlab.targets.base import BootPlan, Target

_LOOK_EVERY_S = 0.5


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is sent. `folder`, `cache`: paths that are the same on every machine."""

    plan: BootPlan
    folder: str
    cache: str
    opener: Callable[[System, Cache], Target]


def stop_file(folder: Path) -> Path:
    """Return the file that tells a worker to end the machine of a boot."""
    return folder.with_name(f"{folder.name}.stop")


def boot_job(job: Job) -> str:
    """Boot, and return where the recording lies. Runs on a worker."""
    folder = Path(job.folder)
    if not folder.parent.is_dir():
        raise EnvironmentFault(
            f"{socket.gethostname()} has no folder {folder.parent}",
            hint="store and cache must lie in a folder that all machines share, under the same path",
        )
    cache = Cache(Path(job.cache))
    _check(job.plan, cache)
    # A job that was given to another worker, because this one was taken for dead, must not write into the same folder.
    own = folder.with_name(f"{folder.name}.{socket.gethostname().replace('.', '-')}-{os.getpid()}")
    shutil.rmtree(own, ignore_errors=True)
    stop, done = threading.Event(), threading.Event()
    watch = threading.Thread(target=_watch, args=(stop_file(folder), stop, done), daemon=True)
    watch.start()
    try:
        job.opener(job.plan.system, cache).boot(job.plan, own, stop=stop)
        if not folder.exists():
            own.rename(folder)
    finally:
        done.set()
        shutil.rmtree(own, ignore_errors=True)
    return str(folder)


def _watch(file: Path, stop: threading.Event, done: threading.Event) -> None:
    while not done.wait(_LOOK_EVERY_S):
        if file.exists():
            stop.set()
            return


def _check(plan: BootPlan, cache: Cache) -> None:
    """Raise EnvironmentFault where this machine would boot something else, or with another emulator."""
    if plan.launch is None:
        return
    here = socket.gethostname()
    found = emulator.find(plan.system.machine)
    if found.version != plan.emulator_version:
        raise EnvironmentFault(
            f"{here} has {found.version}, the boot was planned for {plan.emulator_version}",
            hint="install one version of QEMU on all machines: another one is another boot",
        )
    for name, path in (("kernel", plan.launch.kernel), ("initramfs", plan.launch.initramfs)):
        if path is None or name not in plan.sha256:
            continue
        if not Path(path).is_file():
            raise EnvironmentFault(
                f"{here} has no {path}", hint="cache and images must lie in a folder that all machines share"
            )
        if cache.digest(Path(path)) != plan.sha256[name]:
            raise EnvironmentFault(f"{here} has another {path}", hint="share one folder; do not copy it")
