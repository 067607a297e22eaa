# SPDX-License-Identifier: MIT
"""What a boot leaves on its media, and the next boot that starts from it.

The first boot is made once more, with its media as files of its own that keep what it writes, up to an end that stands
in virtual time. What is in them then is kept in the cache by what was booted, what it had to reach and how it was
ended. It is never changed again: each later boot throws away what it writes, as every boot does.
"""

from __future__ import annotations

import datetime
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import sparse
from bootlab.builders.whole_folder import whole
from bootlab.errors import TargetError, UserError, cannot_write
from bootlab.formats import disk_image
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.emulator import Emulator
from bootlab.launch.ends import Ends, loaded
from bootlab.launch.process import EmulatorProcess
from bootlab.launch.qemu_command import words
from bootlab.model.launch import Launch, Medium
from bootlab.recordings import damage, sealed
from bootlab.targets.asked_end import follow_to_end, require_end

# Raise it when the same boot shall leave something else than before.
_VERSION = 1
_DOCUMENT = "left.json"
_HOUR_NS = 3_600_000_000_000
_NO_PROGRESS = threading.Event()


class LeftMedium(msgspec.Struct, frozen=True, kw_only=True):
    """One medium as it was left: its file's name and the digest of its contents."""

    name: str
    sha256: str


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What a boot left. `end_ns`: the virtual time at which it was ended, or was asked to end itself."""

    format: str = "bootlab-left"
    version: int = 1
    goal_ns: int
    end_ns: int
    media: tuple[LeftMedium, ...]


_FORM = sealed.Form(name="bootlab-left", version=1, sealed_since=1, oldest=1)

Keyed = Callable[[Launch, tuple[str, ...]], BootPlan]
"""Returns the plan of a launch. The texts: digests of what it starts from besides what the first boot starts from."""


class LeftStates:
    """Plans later boots of systems, and makes the earlier ones that they need."""

    def __init__(self, cache: Cache, emulator: Emulator, noted: Callable[[str], None]) -> None:
        """Keep what is left in the cache; `noted` is told of boots that are made for it."""
        self._cache = cache
        self._emulator = emulator
        self._noted = noted

    def later(self, first: BootPlan, keyed: Keyed) -> BootPlan:
        """Return the plan of the boot that the system asks for. Raise UserError where there can be none.

        Raise TargetError when an earlier boot does not reach its goal or its end.
        """
        system, earlier = first.system, first.system.earlier
        if earlier is None:
            return first
        asked = Ends.of(earlier)
        _require(first)
        plan = first
        digests: tuple[str, ...] = ()
        for number in range(1, earlier.boots + 1):
            folder, left = self._left_by(plan, keyed(_unwatched(plan.launch), digests).machine_key, asked, number)
            media = tuple(
                msgspec.structs.replace(medium, file=str(folder / one.name), format="raw", boots=number)
                for medium, one in zip(_written(plan.launch), left.media, strict=True)
            )
            # Two ends may leave the same: the recording says which one it was.
            digests = (*digests, asked.text, *(one.sha256 for one in left.media))
            plan = keyed(_started(plan.launch, media, left.end_ns), digests)
        said = f"boot {earlier.boots + 1} of {system.name}: its media are as boot {earlier.boots} left them"
        return msgspec.structs.replace(plan, first_launch=first.launch, notes=(*plan.notes, f"{said} ({asked.text})"))

    def _left_by(self, plan: BootPlan, machine: str, asked: Ends, number: int) -> tuple[Path, Left]:
        key = key_of("left", _VERSION, machine, plan.system.goal.console, asked.how, asked.after_ns, asked.typed)
        # The emulator runs in a folder of its own.
        folder = self._cache.root.absolute() / "left" / key
        left = self._kept(folder)
        if left is None:
            try:
                with self._cache.alone(key):
                    # Another command may have made it meanwhile.
                    left = self._kept(folder)
                    if left is None:
                        self._noted(f"{plan.system.name}: boot {number} is made, to keep what it leaves on its media")
                        left = self._make(plan, asked, number, folder)
            except OSError as fault:
                raise cannot_write(
                    f"what boot {number} leaves cannot be kept in {folder.parent}", fault, self._cache.root
                ) from fault
        return folder, left

    def _kept(self, folder: Path) -> Left | None:
        left = sealed.kept(folder / _DOCUMENT, Left, _FORM)
        if left is None:
            return None
        for one in left.media:
            path = folder / one.name
            if not path.is_file() or self._cache.digest(path) != one.sha256:
                damage.tell(path)
                return None
        return left

    def _make(self, plan: BootPlan, asked: Ends, number: int, folder: Path) -> Left:
        # Beside the media: what a kill leaves is in one place, where `store prune` finds it.
        with whole(folder) as work, tempfile.TemporaryDirectory(prefix="boot-", dir=work) as name:
            media = tuple(_copied(medium, work / f"{at}.raw") for at, medium in enumerate(_written(plan.launch)))
            launch = _with_media(plan.launch, media).with_plugin(loaded(asked, self._emulator, self._cache.root))
            goal_ns, end_ns = _ended(plan, launch, asked, number, Path(name))
            left = Left(
                goal_ns=goal_ns,
                end_ns=end_ns,
                media=tuple(
                    LeftMedium(name=Path(medium.file).name, sha256=self._cache.digest(Path(medium.file)))
                    for medium in media
                ),
            )
            sealed.keep(work / _DOCUMENT, left)
        return left


def _require(first: BootPlan) -> None:
    """Raise UserError for a system whose second boot cannot be made, or is its first."""
    system = first.system
    require_end(first)
    if not _written(first.launch):
        raise UserError(
            f"{system.name} has no disk, card, flash or NVDIMM: it keeps nothing, so its second boot is its first",
            hint="give it a medium ([root], or machine.disks), or leave [earlier] out",
        )


def _written(launch: Launch | None) -> tuple[Medium, ...]:
    return () if launch is None else launch.media


def _unwatched(launch: Launch | None) -> Launch:
    """Return the launch without what only watches it: that leaves nothing on a medium."""
    if launch is None:
        raise ValueError("nothing is started")
    return msgspec.structs.replace(launch, plugins=tuple(plugin for plugin in launch.plugins if plugin.carried_as))


def _with_media(launch: Launch | None, media: tuple[Medium, ...]) -> Launch:
    if launch is None:
        raise ValueError("nothing is started")
    return msgspec.structs.replace(launch, media=media)


def _started(launch: Launch | None, media: tuple[Medium, ...], end_ns: int) -> Launch:
    """Return the launch that starts from what was left, on the next full hour of its clock."""
    later = _with_media(launch, media)
    if later.clock is None:
        raise ValueError("no clock")
    hours = datetime.timedelta(hours=end_ns // _HOUR_NS + 1)
    base = datetime.datetime.fromisoformat(later.clock.rtc_base) + hours
    return msgspec.structs.replace(later, clock=msgspec.structs.replace(later.clock, rtc_base=base.isoformat()))


def _copied(medium: Medium, path: Path) -> Medium:
    """Copy a medium to a raw file of its own, which keeps what is written."""
    source = Path(medium.file)
    if medium.format == "raw":
        sparse.copy(source, source.stat().st_size, path)
    else:
        disk = disk_image.opened(source)
        disk_image.write_raw(disk, disk.size_bytes, path)
    return msgspec.structs.replace(medium, file=str(path), format="raw", kept=True)


def _ended(plan: BootPlan, launch: Launch, asked: Ends, number: int, folder: Path) -> tuple[int, int]:
    """Boot to the goal and on to the end; return when both were. Raise TargetError where one does not come."""
    plan = msgspec.structs.replace(plan, launch=launch)
    log = folder / "emulator.log"
    for name, source in plan.carried:
        shutil.copyfile(source, folder / name)
    with EmulatorProcess(list(words(launch)), folder=folder, log=log, preload=launch.preload) as process:
        found = follow_to_end(plan, asked, folder, process, _NO_PROGRESS)
    ending, which = found.decided.ending, f"boot {number} of {plan.system.name}, which goes before the measured one,"
    if not found.goal_ns:
        raise TargetError(
            f"{which} did not reach the goal: {ending.reason or ending.outcome.value}",
            hint="leave [earlier] out and boot it: bootlab boot SYSTEM.toml",
        )
    if found.trouble:
        raise TargetError(
            f"{which} was not ended: {found.trouble}",
            hint='does anything listen (logind, acpid, init)? earlier.end = "power-cut" needs nobody',
        )
    return found.goal_ns, found.asked_ns
