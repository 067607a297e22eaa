# SPDX-License-Identifier: MIT
"""A first boot of a system whose goal nobody knows: it lasts until the console is quiet, and shows what there is."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.experiments.bench import Bench
from bootlab.launch.marks import stamp_in
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import NO_GOAL, Check, Goal, SystemDescription
from bootlab.model.timeline import KEXEC_MARKS
from bootlab.recordings import recording_dir

_NOTES_MAX = 5
# The first of these that a boot has begins what user space may print: that of the last kernel.
_BEGINS = (*KEXEC_MARKS, "user-space", "start-kernel", "kernel-entry")
# init/do_mounts.c: mount_block_root(), mount_root_generic().
_BY_KERNEL = re.compile(r"VFS: Mounted root \(")
# kernel/kexec_core.c, kernel_kexec(): what comes then, another kernel does.
_ANOTHER_KERNEL = re.compile(r"kexec(?:_core)?: Starting new kernel")
_COMPLAINTS = (
    (re.compile(r"Timed out waiting for device (\S+)"), "the first boot waited for the device {}, which never came"),
    (re.compile(r"\[FAILED\] Failed to start (\S+)"), "in the first boot the unit {} failed"),
)
LABEL = "first boot, until the console is quiet"


def without_goal(system: SystemDescription) -> SystemDescription:
    """Return the system with a goal that no line can reach: it lasts until the console was quiet for a while."""
    return msgspec.structs.replace(system, goal=Goal(console=NO_GOAL, name="none"), check=Check(), marks=())


def first_boot(bench: Bench, system: SystemDescription) -> Recording:
    """Boot once without a goal and return the recording, which ends when the console is quiet."""
    return bench.submit(without_goal(system), LABEL).result()


def looked_for(bench: Bench, system: SystemDescription) -> Recording:
    """Return the recording of a system with its goal: an exact one is read out of the first boot."""
    return bench.submit(system, "the goal, looked for in the first boot").result()


def went_well(recording: Recording) -> bool:
    """Tell whether the machine got as far as being quiet: no panic, no end of its own."""
    return recording.meta.outcome in {Outcome.HANG, Outcome.NO_GOAL}


def ending(recording: Recording) -> str:
    """Say how such a boot ended: that it hangs is what it was made for."""
    if not went_well(recording):
        return recording.meta.outcome.value
    last = next((line.last_ns for line in reversed(recording.lines) if line.last_ns is not None), None)
    return "quiet" if last is None else f"quiet from {last / 1e6:.3f} ms on"


def begin_of_user_space(recording: Recording) -> int:
    """Return the index of the first line that user space may have printed: firmware and loaders speak before it."""
    begin_ns = _begin_ns(recording)
    later = (i for i, line in enumerate(recording.lines) if line.last_ns is not None and line.last_ns >= begin_ns)
    return next(later, len(recording.lines)) if begin_ns else 0


def begin_in_line(recording: Recording) -> int:
    """Return the index of the first character of that line that user space may have printed."""
    index, time, begin_ns = begin_of_user_space(recording), time_in(recording), _begin_ns(recording)
    text = recording.lines[index].text if index < len(recording.lines) else ""
    return bisect.bisect_left(range(len(text)), begin_ns, key=lambda at: time(index, at) or 0)


def _begin_ns(recording: Recording) -> int:
    return next((mark.ns for name in _BEGINS if (mark := recording.mark(name)) is not None), 0)


def time_in(recording: Recording) -> Callable[[int, int], int | None]:
    """Return what tells when a line's text (by index) was complete up to a character (by index), in nanoseconds."""
    stamps = recording_dir.stamps_of(Path(recording.path)) if recording.path is not None else None

    def time(index: int, character: int) -> int | None:
        if stamps is None:
            return recording.lines[index].last_ns
        return stamp_in(recording.console, stamps, recording.lines[index], character)[0]

    return time


def never_mounted(recording: Recording, system: SystemDescription) -> bool:
    """Tell whether an initramfs never handed over to the root that was given: nothing of that root ran.

    False where the command line names no root: the initramfs may be the system, and the medium its data. False where
    the initramfs started another kernel by kexec, and where the switch would not be seen: the kernel's symbols are
    not known, or pivot_root() was called, by which an initramfs is left since Linux 7.0.
    """
    given = system.root is not None and system.initramfs is not None and system.cmdline.has("root")
    seen = recording.mark("start-kernel") is not None and recording.mark("user-space") is not None
    by_kernel = any(_BY_KERNEL.search(line.text) or _ANOTHER_KERNEL.search(line.text) for line in recording.lines)
    switched = any(recording.mark(name) is not None for name in ("switch-root", "pivot-root", "kexec"))
    return given and seen and not by_kernel and not switched


def notes(recording: Recording) -> tuple[str, ...]:
    """Name what user space complained of: devices that systemd waited for, units that failed."""
    found: dict[str, None] = {}
    for line in recording.lines:
        for pattern, text in _COMPLAINTS:
            if (match := pattern.search(line.text)) is not None and len(found) < _NOTES_MAX:
                found.setdefault(text.format(match[1].strip()[:80]))
    return tuple(found)
