"""One boot on a worker: checks that it would be the same boot here, makes it, puts it in its place at once.

The place is a folder that all machines share, or a URL: then files come from there, and the recording goes there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import EnvironmentFault
from bootlab.model.launch import Launch
from bootlab.model.system import System
from bootlab.targets import emulator, recording_dir
from bootlab.targets.base import BootPlan, Target
from bootlab.targets.shared_files import SharedFiles

_LOOK_EVERY_S = 0.5
_ASK_EVERY_S = 3.0
"""How often a worker asks a URL whether it shall stop: each time is a request that may cost something."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is sent. `folder`, `cache`: paths that are the same on every machine; of no meaning with `url`.

    `url`: where the machines share files instead. `files`: paths in the plan with the digests of their contents.
    """

    plan: BootPlan
    folder: str
    cache: str
    opener: Callable[[System, Cache], Target]
    url: str = ""
    files: tuple[tuple[str, str], ...] = ()


def stop_file(folder: Path) -> Path:
    """Return the file that tells a worker to end the machine of a boot."""
    return folder.with_name(f"{folder.name}.stop")


def boot_job(job: Job) -> str:
    """Boot, and return where the recording lies: its folder, or the name of the attempt. Runs on a worker."""
    if job.url:
        return _boot_over_url(job)
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
    asked = stop_file(folder).exists
    watch = threading.Thread(target=_watch, args=(asked, _LOOK_EVERY_S, stop, done), daemon=True)
    watch.start()
    try:
        job.opener(job.plan.system, cache).boot(job.plan, own, stop=stop)
        if not folder.exists():
            own.rename(folder)
    finally:
        done.set()
        shutil.rmtree(own, ignore_errors=True)
    return str(folder)


def boot_name(folder: Path) -> str:
    """Return the name of a boot among all machines: its key, and its number where it is one of several."""
    return folder.name.strip(".").split(".")[0]


def files_of(plan: BootPlan) -> tuple[str, ...]:
    """Return the files that a boot reads, as its plan names them."""
    launch = plan.launch
    if launch is None:
        return tuple(source for _, source in plan.carried)
    single = (launch.kernel, launch.initramfs, launch.dtb)
    return tuple(
        dict.fromkeys(
            (
                *(path for path in single if path is not None),
                *(medium.file for medium in launch.media),
                *(plugin.file for plugin in launch.plugins),
                *(source for _, source in plan.carried),
            )
        )
    )


def _boot_over_url(job: Job) -> str:
    cache = Cache(default_folder())
    shared = SharedFiles(job.url)
    name = boot_name(Path(job.folder))
    here = {path: str(shared.take(sha256, Path(path).suffix, cache)) for path, sha256 in job.files}
    plan = _placed(job.plan, here)
    _check(plan, cache)
    stop, done = threading.Event(), threading.Event()
    watch = threading.Thread(
        target=_watch, args=(lambda: shared.stop_asked(name), _ASK_EVERY_S, stop, done), daemon=True
    )
    with tempfile.TemporaryDirectory(prefix="boot-", dir=cache.root / "new") as place:
        folder = Path(place) / name
        watch.start()
        try:
            recording = job.opener(plan.system, cache).boot(plan, folder, stop=stop)
        finally:
            done.set()
        # Where the files lay on this machine is no part of a boot: the recording says what was planned.
        meta = msgspec.structs.replace(recording.meta, command=job.plan.command, launch=job.plan.launch)
        recording_dir.restate(folder, meta)
        return shared.keep(folder, name)


def _placed(plan: BootPlan, here: dict[str, str]) -> BootPlan:
    """Return a plan with this machine's emulator and copies of the files."""
    carried = tuple((name, here[source]) for name, source in plan.carried)
    launch = None if plan.launch is None else _placed_launch(plan.launch, emulator.find(plan.system.machine).path, here)
    return msgspec.structs.replace(plan, launch=launch, carried=carried)


def _placed_launch(launch: Launch, program: str, here: dict[str, str]) -> Launch:
    return msgspec.structs.replace(
        launch,
        emulator=program,
        kernel=here[launch.kernel] if launch.kernel is not None else None,
        initramfs=here[launch.initramfs] if launch.initramfs is not None else None,
        dtb=here[launch.dtb] if launch.dtb is not None else None,
        media=tuple(msgspec.structs.replace(medium, file=here[medium.file]) for medium in launch.media),
        plugins=tuple(msgspec.structs.replace(plugin, file=here[plugin.file]) for plugin in launch.plugins),
    )


def _watch(asked: Callable[[], bool], every_s: float, stop: threading.Event, done: threading.Event) -> None:
    while not done.wait(every_s):
        with contextlib.suppress(EnvironmentFault):
            if asked():
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
