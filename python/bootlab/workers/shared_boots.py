# SPDX-License-Identifier: MIT
"""Boots of files that machines share over a URL: both ends of a job, without what hands jobs out.

The planner hands over what a boot reads; a worker boots its own copies and hands the recording over. The recording says
what was planned, so that it is that of a local boot.
"""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch import emulator
from bootlab.launch.boot_plan import NOT_KEPT, BootPlan
from bootlab.launch.target import Target
from bootlab.model.launch import Launch
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings import assembly, recording_dir
from bootlab.recordings.assembly import Heard
from bootlab.workers.shared_files import SharedFiles

Opener = Callable[[SystemDescription, Cache], Target]
"""Opens the target on a worker. A function of a module, so that it can be sent there."""


def boot_name(folder: Path) -> str:
    """Return the name of a boot among all machines: its key, and its number where it is one of several."""
    return folder.name.strip(".").split(".")[0]


def asked_anew(name: str) -> bool:
    """Tell whether a boot of this name is one of its own, so that the recording of another one is no answer."""
    return "-" in name


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
                *(launch.loader.files if launch.loader is not None else ()),
                *(medium.file for medium in launch.media),
                *(plugin.file for plugin in launch.plugins),
                *(source for _, source in plan.carried),
            )
        )
    )


def hand_over(plan: BootPlan, shared: SharedFiles, cache: Cache) -> dict[str, str]:
    """Put what a boot reads where the workers find it; return the paths in the plan, with digests."""
    words = plan.launch.extra if plan.launch is not None else ()
    if paths := [word for word in words if "/" in word]:
        raise UserError(
            f"machine.extra names a file: {paths[0][:80]}; workers that share a URL would not have it",
            hint="leave it out, or use a shared folder instead of --share",
        )
    files = {path: cache.digest(Path(path)) for path in files_of(plan)}
    for path, sha256 in files.items():
        shared.put(Path(path), sha256)
    return files


def kept_elsewhere(shared: SharedFiles, name: str, folder: Path) -> tuple[str, Recording] | None:
    """Fetch the recording that a worker made of the same boot into `folder`; return it with the name of its attempt.

    None where there is none, and for a boot that is asked for anew.
    """
    if asked_anew(name):
        return None
    for attempt in shared.attempts(name):
        try:
            shared.fetch(name, attempt, folder)
        except UserError:
            # Damaged: a boot is as good.
            continue
        recording = recording_dir.load(folder)
        if recording.meta.outcome not in NOT_KEPT and not recording.meta.host_limit:
            return attempt, recording
        shutil.rmtree(folder)
    return None


def interrupted(plan: BootPlan, folder: Path) -> Recording:
    """Write and return the recording of a boot that was stopped before there was anything to record."""
    folder.mkdir(parents=True, exist_ok=True)
    return assembly.write(folder, assembly.stopped_before(plan).meta, Heard())


def boot_copies(
    plan: BootPlan, name: str, files: dict[str, str], shared: SharedFiles, opener: Opener, stop: threading.Event
) -> str:
    """Boot this machine's copies of the files. Hand the recording over, and return the name of its attempt.

    Return "" when it was stopped: nothing is handed over.
    """
    cache = Cache(default_folder())
    here = {path: str(shared.take(sha256, Path(path).suffix, cache)) for path, sha256 in files.items()}
    own = _placed(plan, here)
    check(own, cache)
    with tempfile.TemporaryDirectory(prefix="boot-", dir=cache.root / "new") as place:
        folder = Path(place) / name
        recording = opener(own.system, cache).boot(own, folder, stop=stop)
        if recording.meta.outcome is Outcome.INTERRUPTED or (stop.is_set() and recording.by_host):
            # Who ends a service or a batch job ends its emulator with it.
            return ""
        # Where the files lay on this machine is no part of a boot: the recording says what was planned.
        meta = msgspec.structs.replace(recording.meta, command=plan.command, launch=plan.launch)
        recording_dir.restate(folder, recording, meta)
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
        loader=launch.loader.renamed(here) if launch.loader is not None else None,
        media=tuple(msgspec.structs.replace(medium, file=here[medium.file]) for medium in launch.media),
        plugins=tuple(msgspec.structs.replace(plugin, file=here[plugin.file]) for plugin in launch.plugins),
    )


def check(plan: BootPlan, cache: Cache) -> None:
    """Raise EnvironmentFault where this machine would boot something else, or with another emulator."""
    if plan.launch is None:
        return
    here = socket.gethostname()
    _check_emulator(plan)
    for name, path in (("kernel", plan.launch.kernel), ("initramfs", plan.launch.initramfs)):
        if path is None or name not in plan.sha256:
            continue
        if not Path(path).is_file():
            raise EnvironmentFault(
                f"{here} has no {path}", hint="put cache and images into a folder that all machines share"
            )
        if cache.digest(Path(path)) != plan.sha256[name]:
            raise EnvironmentFault(f"{here} has another {path}", hint="share one folder; do not copy it")


def _check_emulator(plan: BootPlan) -> None:
    """Raise EnvironmentFault where this machine lacks the emulator that the boot was planned for."""
    if plan.launch is None:
        return
    found = emulator.find(plan.system.machine)
    if found.version != plan.emulator_version:
        raise EnvironmentFault(
            f"{socket.gethostname()} has {found.version}, the boot was planned for {plan.emulator_version}",
            hint="install the same version of QEMU on all machines: another version gives another boot",
        )
