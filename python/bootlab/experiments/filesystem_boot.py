# SPDX-License-Identifier: MIT
"""One row of the file-system comparison, read out of its recording: times by both methods, memory, and the proof.

*Outside* is what an observer of the port sees: virtual time from reset, of the console byte's store. *Inside* is the
kernel's own stamp on the same line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.builders.images import cramfs
from bootlab.builders.images.formats import Format, Image
from bootlab.logs.delay_loop import find_in_console
from bootlab.model.comparison import Row
from bootlab.model.modelled import both_ends, load_ends_ns
from bootlab.model.recording import RUN_INIT, Line, Recording
from bootlab.model.storage import Storage
from bootlab.model.system import SystemDescription

Medium = Literal["flash", "SD card", "RAM disk", "initramfs"]

_RUN = re.compile(RUN_INIT)
_MOUNTED = re.compile(r"VFS: Mounted root \((\S+) filesystem\)")
_SECTOR_BYTES = 512
_TROUBLE = re.compile(r"error -\d+|Kernel panic|VFS: Cannot|No working init|RAMDISK: .*(too big|wrong)")
_UNPACKED = re.compile("Freeing initrd memory")
# /proc/PID/maps: address range, permissions, offset, device, inode, path.
_MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ r-xp ([0-9a-f]+) \S+ \d+ +(/\S+)")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A row before its boot: the image, and the system that boots from it. `form` None: an initramfs."""

    id: str
    title: str
    medium: Medium
    form: Format | None
    image: Image
    system: SystemDescription


def preset_lpj(recording: Recording) -> int | None:
    """Return the value that the kernel's own calibration found; None when it did not calibrate."""
    loop = find_in_console(recording.console)
    return loop.lpj if loop is not None and loop.source == "measured" else None


def read_row(asked: Candidate, recording: Recording, bandwidth_bytes_per_s: int) -> Row:
    """Read a boot's row. Nothing is assumed: what the recording does not show is None, and the row not proved.

    `mounted`: the kernel says that the root is there (an initramfs: that it starts init); `init`: the first line of
    user space; `exec_ns` and `use_ns` lie between these and first use. `image_bytes`: what must be stored, of a RAM
    disk or initramfs its compressed file. `read_bytes`: what was read of the medium until shortly after first use.
    `load_least_ns` and `load_most_ns` are modelled: `read_bytes`, or the image where they are not known, over the
    bandwidth, as wide as the model was off on boards of known rates; in none of the other times.
    """
    storage = asked.system.storage or Storage()
    run = _first(recording, _RUN)
    mounted = run if asked.medium == "initramfs" else _first(recording, _MOUNTED)
    init = _init_line(asked.system, recording, run)
    goal = _first(recording, re.compile(asked.system.goal.console))
    goal_ns = recording.meta.goal_ns
    run_ns, init_ns = (line.first_ns if line else None for line in (run, init))
    proved, proof = _proof(asked, recording, storage)
    read_bytes = _read_bytes(asked, recording, storage)
    loaded_bytes = asked.image.size_bytes if read_bytes is None else read_bytes
    return Row(
        id=asked.id,
        title=asked.title,
        ok=recording.ok,
        verdict="unknown" if recording.by_host else "",
        reason=_reason(recording),
        proved=proved,
        proof=proof,
        cmdline=recording.meta.cmdline,
        key=recording.meta.key,
        values={
            "medium": asked.medium,
            "outcome": recording.meta.outcome.value,
            "image_bytes": asked.image.size_bytes,
            "mounted_ns": mounted.first_ns if mounted else None,
            "mounted_inside_ns": mounted.printk_ns if mounted else None,
            "run_ns": run_ns,
            "init_ns": init_ns,
            "init_inside_ns": init.printk_ns if init else None,
            "goal_ns": goal_ns,
            "goal_inside_ns": goal.printk_ns if goal else None,
            "exec_ns": None if init_ns is None or run_ns is None else init_ns - run_ns,
            "use_ns": None if goal_ns is None or init_ns is None else goal_ns - init_ns,
            "page_cache_kib": _number(recording, storage.page_cache),
            "read_bytes": read_bytes,
            **both_ends("load", load_ends_ns(loaded_bytes, bandwidth_bytes_per_s) if recording.ok else None),
            "load_of": "(whole image)" if read_bytes is None and recording.ok else None,
        },
    )


def _reason(recording: Recording) -> str:
    if recording.by_host:
        return f"the host ended the boot: {recording.meta.reason}"
    return "" if recording.ok else f"{recording.meta.outcome.value}: {_why(recording)}"


def _first(recording: Recording, pattern: re.Pattern[str]) -> Line | None:
    return next((line for line in recording.lines if pattern.search(line.text)), None)


def _init_line(system: SystemDescription, recording: Recording, run: Line | None) -> Line | None:
    marks = dict(system.marks)
    if "rc-scripts" in marks:
        return _first(recording, re.compile(marks["rc-scripts"]))
    behind = [line for line in recording.lines if run is not None and line.number > run.number]
    return next((line for line in behind if line.printk_ns is None and line.text.strip()), None)


def _told(recording: Recording, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    compiled = re.compile(pattern)
    told = next((found[1] for line in recording.lines if (found := compiled.search(line.text))), None)
    return None if told is None else " ".join(told.split())


def _number(recording: Recording, pattern: str | None) -> int | None:
    told = _told(recording, pattern)
    return int(told) if told and told.isdecimal() and told.isascii() else None


def _read_bytes(asked: Candidate, recording: Recording, storage: Storage) -> int | None:
    """Return what was read of a root's medium. A RAM disk or initramfs was loaded whole, before the kernel."""
    if asked.form is None or asked.medium == "RAM disk":
        return asked.image.size_bytes
    sectors = _number(recording, storage.sectors_read)
    # What MTD reads without the block layer is not counted.
    return sectors * _SECTOR_BYTES if sectors else None


def _why(recording: Recording) -> str:
    trouble = _first(recording, _TROUBLE)
    return f"{recording.meta.reason}: {trouble.text}" if trouble is not None else recording.meta.reason


def _proof(asked: Candidate, recording: Recording, storage: Storage) -> tuple[bool, str]:
    if asked.form is None or asked.medium == "initramfs":
        unpacked = _first(recording, _UNPACKED) or _first(recording, _RUN)
        return unpacked is not None, unpacked.text if unpacked is not None else "init was not started"
    mounted = _first(recording, _MOUNTED)
    if mounted is None:
        return False, "no root was mounted"
    if (found := _MOUNTED.search(mounted.text)) and found[1] != asked.form.fstype:
        return False, f"mounted as {found[1]}"
    shown, proof = (True, mounted.text)
    if asked.form.says:
        said = _first(recording, re.compile(re.escape(asked.form.says)))
        shown, proof = said is not None, said.text if said else f"the kernel did not say: {asked.form.says}"
    if asked.form.in_place:
        shown, proof = _in_place(recording, asked.image, storage)
    if remounted := _told(recording, storage.remounted):
        proof = f"{proof}; remounted read-write: {remounted}"
    if asked.system.cmdline.has("lpj"):
        loop = find_in_console(recording.console)
        if loop is None or loop.source != "preset":
            return False, "the kernel still calibrated"
        proof = f"{proof}; {recording.lines[loop.line - 1].text}"
    return shown, proof


def _in_place(recording: Recording, image: Image, storage: Storage) -> tuple[bool, str]:
    """Compare a mapping's offset with where the image has the file: cramfs shows the physical address there."""
    told = _told(recording, storage.mapping)
    if told is None or storage.flash_address is None:
        return False, "set storage.mapping and storage.flash_address in the system file"
    mapping = _MAPPING.search(told)
    if mapping is None:
        return False, f"no mapping of a program: {told}"
    offset, path = int(mapping[1], 16), mapping[2]
    located = cramfs.locate(Path(image.path).read_bytes(), path)
    if located is None or not located.mappable:
        return False, f"{path} is not stored so that it can be mapped"
    expected = storage.flash_address + located.offset_bytes
    if offset != expected:
        return False, f"{path} is mapped from offset {offset:#x}, not from flash at {expected:#x}: {told}"
    return True, f"{path} is mapped from {offset:#x}, where its first page is in flash: {told}"
