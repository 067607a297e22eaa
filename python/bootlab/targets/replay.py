# SPDX-License-Identifier: MIT
"""The replay target: boots are recordings made before. For tests, documentation, and looking at other people's runs.

A replay folder holds one recording a system, in sub-folders named by the system's fingerprint. `record()` makes one
out of real recordings.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path

import msgspec

from bootlab.builders import kernelinfo
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import TargetError, UserError
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.qemu_launch import effective_cmdline
from bootlab.launch.target import Progress, ProgressSink
from bootlab.model.recording import Recording
from bootlab.model.system import Clockwork, SystemDescription
from bootlab.recordings import recording_dir, sealed
from bootlab.recordings.damage import Damaged
from bootlab.recordings.files import RECORDING_FILE
from bootlab.recordings.sealed import NotWhole, OtherForm


class NotRecordedError(TargetError):
    """A replay was asked for a boot that nobody recorded."""


_INFO_FILE = "kernelinfo.json"
# All other keys are younger than the oldest recordings: they tell systems apart only where they are given.
_FIRST_MACHINE_KEYS = frozenset(
    {"arch", "type", "cpu", "memory_mib", "cpus", "firmware", "options", "devices", "disks", "extra", "emulator"}
)
_CLOCK_KEYS_ADDED = frozenset({"seed", "processors", "quantum_ns"})
_CLOCK_DEFAULT = Clockwork()


def fingerprint(system: SystemDescription, purpose: Purpose) -> str:
    """Return what tells two systems apart in a replay: command line, machine, kernel, names in the root tree.

    Contents of files and paths of this machine are left out, so that a replay works on another machine.
    """
    initramfs = system.initramfs
    names = [(p, e.kind, e.mode, e.target) for p, e in system.tree.entries] if system.tree else []
    if purpose == "diagnostic":
        names = [n for n in names if not n[0].startswith("/bootlab")]
    packed = (initramfs.compression, initramfs.level) if initramfs else None
    machine = {
        k: v
        for k, v in msgspec.structs.asdict(msgspec.structs.replace(system.machine, emulator=None)).items()
        if v or k in _FIRST_MACHINE_KEYS
    }
    facts: tuple[object, ...] = (str(effective_cmdline(system)), machine, system.kernel.form, packed, names)
    clock = {
        k: v
        for k, v in msgspec.structs.asdict(system.clock).items()
        if k not in _CLOCK_KEYS_ADDED or v != getattr(_CLOCK_DEFAULT, k)
    }
    facts += (clock, purpose)
    facts += (system.kernel.flash,) if system.kernel.flash is not None else ()
    facts += (system.root.file_system, system.root.medium) if system.root is not None else ()
    if system.root is not None and system.root.image is not None:
        put = [(p, e.kind, e.mode, e.target) for p, e in system.root.put.entries]
        facts += (system.root.partition, *((put, system.root.dropped) if put or system.root.dropped else ()))
    build = system.kernel.build
    if build is not None:
        asked = (build.base, build.options, build.changes, build.patches)
        facts += (asked, (build.image, build.variables, build.embed_initramfs, build.append_device_tree))
        facts += (build.late_modules_ms,) if build.late_modules_ms is not None else ()
    facts += (system.earlier,) if system.earlier is not None else ()
    facts += (system.shutdown,) if system.shutdown is not None else ()
    if system.programs:
        programs = [msgspec.structs.replace(p, sources=(), library_dirs=()) for p in system.programs]
        facts += (programs,)
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:24]


class ReplayTarget:
    """Plays recordings back."""

    def __init__(self, system: SystemDescription, cache: Cache) -> None:
        """Take the folder that the system file names. Raise UserError when there is none."""
        del cache
        folder = Path(system.recordings) if system.recordings else None
        if folder is None or not folder.is_dir():
            raise UserError(
                f"the replay target needs a folder of recordings; {folder or 'none'} is given",
                hint='write recordings = "FOLDER" into the system file',
            )
        self._folder = folder

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Say which recording would be played."""
        key = fingerprint(system, purpose)
        info = _info(self._folder / _INFO_FILE)
        return BootPlan(
            system=system, purpose=purpose, action=("replay", key), key=key, info=info, sizes_bytes={}, sha256={}
        )

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Copy the recording. Raise NotRecordedError when this system was never recorded."""
        del stop
        source = self._folder / plan.key
        if not (source / RECORDING_FILE).is_file():
            raise NotRecordedError(
                f"the replay folder {self._folder} has no recording of this system ({plan.key}): "
                f"{effective_cmdline(plan.system)}",
                hint='boot it for real with target = "qemu"',
            )
        shutil.copytree(source, folder, dirs_exist_ok=True)
        # It was made under the key of its own machine; here it stands for this plan's.
        made = recording_dir.load(folder, whole=True)
        recording = recording_dir.restate(folder, made, msgspec.structs.replace(made.meta, key=plan.key))
        if progress:
            progress(Progress(recording.meta.goal_ns, recording.meta.console_bytes, ""))
        return recording


def _info(path: Path) -> KernelInfo:
    """Return the facts of the kernel that a replay folder was recorded with, no facts where it has none."""
    try:
        info, _ = sealed.document_of(path.read_bytes(), kernelinfo.FORM, KernelInfo)
    except OSError:
        return KernelInfo()
    except (OtherForm, NotWhole) as fault:
        raise Damaged(path, fault, hint="record the folder again, or take it from where it came from") from fault
    return msgspec.structs.replace(info, version=kernelinfo.FORM.version)


def record(folder: Path, system: SystemDescription, purpose: Purpose, recording: Recording, info: KernelInfo) -> Path:
    """Add a real recording to a replay folder. Return its place."""
    if recording.path is None:
        raise UserError("this recording is not on disk", hint="load it from its folder first")
    place = folder / fingerprint(system, purpose)
    shutil.copytree(recording.path, place, dirs_exist_ok=True)
    recording_dir.pack(place)
    sealed.keep(folder / _INFO_FILE, info)
    return place
