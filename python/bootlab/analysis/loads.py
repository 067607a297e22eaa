# SPDX-License-Identifier: MIT
"""What a boot loader moved into memory: how many bytes in what time, by its console and by the marks of its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bootlab.model.boot_loader import FALCON_SIZE, SECOND_SIZE, TREE_SIZE
from bootlab.model.recording import Line, Recording
from bootlab.model.timeline import Load

_SECTOR_BYTES = 512
# fs/fs.c of U-Boot: do_load().
_READ = re.compile(r"(\d+) bytes read in (\d+) ms")
# boot/pxe_utils.c: get_relfile(). From 2022 on U-Boot prints no size behind it.
_RETRIEVING = re.compile(r"Retrieving file: (\S+)")
# Before 2015, fs/fat/fat.c: file_fat_read() said what it was about to read.
_READING = re.compile(r"reading (\S+)$")
# cmd/mmc.c: do_mmc_read().
_SECTORS = re.compile(r"MMC read: dev # \d+, block # (\d+), count \d+ \.\.\. (\d+) blocks read: OK")
# net/tftp.c, net/net.c.
_TFTP_BEGINS, _TFTP_ENDS = re.compile(r"TFTP from server "), re.compile(r"Bytes transferred = (\d+) ")
_TFTP_NAME = re.compile(r"Filename '([^']+)'")
# boot/image-board.c: boot_ramdisk_high(); boot/image-fdt.c: boot_relocate_fdt().
_MOVED = re.compile(r" +Loading (Ramdisk|Device Tree) to ([0-9a-f]{4,16}), end ([0-9a-f]{4,16}) \.\.\. OK")
_MOVED_NAMES = {"Ramdisk": "initramfs", "Device Tree": TREE_SIZE}
# What bootlab calls the files of a card that it makes, and what else they are called in a recording's sizes.
_FILES = {"kernel": "kernel", "initramfs": "initramfs", "board.dtb": TREE_SIZE}
_LEGACY_HEADER_BYTES = 64


def loads_of(recording: Recording) -> tuple[Load, ...]:
    """Return what was loaded before the kernel, in the order of time; of lines without stamps, nothing.

    The time of a load is that of the boot's exact clock: from the line that names it, or the one before its size, to
    what is printed behind it. Where the clock is the host's, and lines have the time of their arrival, U-Boot's own
    milliseconds count.
    """
    return recording.once("loads", lambda: _loads(recording))


def hidden_ns(recording: Recording, size_bytes: int) -> int | None:
    """Return how long a boot loader loaded so many bytes that nothing tells of; None: it told, or there is none.

    A loader that was built silent prints no sizes, and marks tell of the SPL alone. What the second part loads is taken
    to come at the rate of the SPL's load, from the same medium (on QEMU's Orange Pi 118 ns a byte; U-Boot 105 to 110),
    and within the time between its own start and the kernel's, which is what remains where the SPL shows no rate.
    """
    marks = {mark.name: mark.ns for mark in recording.marks}
    start, end = marks.get("u-boot"), marks.get("kernel-entry", marks.get("start-kernel"))
    if start is None or end is None or SECOND_SIZE not in recording.meta.artefact_bytes:
        return None
    loads = [load for load in loads_of(recording) if not load.within_memory]
    if any(load.start_ns >= start for load in loads):
        return None
    rates = [load.duration_ns / load.size_bytes for load in loads]
    return round(min([max(0, end - start), *(size_bytes * rate for rate in rates)]))


def _loads(recording: Recording) -> tuple[Load, ...]:
    marks = {mark.name: mark.ns for mark in recording.marks}
    end = marks.get("kernel-entry", marks.get("start-kernel", recording.meta.goal_ns))
    lines = [line for line in recording.lines if line.first_ns is not None and (end is None or line.first_ns <= end)]
    sizes, exact = recording.meta.artefact_bytes, recording.meta.mode == "exact" and not recording.meta.board
    found = [*_of_the_spl(marks, sizes), *_of_lines(lines, sizes, exact=exact)]
    return tuple(sorted(found, key=lambda load: load.start_ns))


def _of_the_spl(marks: Mapping[str, int], sizes: Mapping[str, int]) -> list[Load]:
    start = marks.get("spl-load")
    if start is None:
        return []
    name = FALCON_SIZE if FALCON_SIZE in sizes else SECOND_SIZE
    ends = [marks[mark] for mark in ("opensbi", "u-boot", "kernel-entry") if marks.get(mark, 0) > start]
    # One that fell back has loaded both, and nobody saw where one load ended.
    fell_back = name == FALCON_SIZE and "u-boot" in marks
    if not ends or name not in sizes or fell_back:
        return []
    return [
        _load(f"{name}, by the SPL", sizes[name], start, min(ends), "marks of the SPL's board_init_r() and its end")
    ]


def _of_lines(lines: Sequence[Line], sizes: Mapping[str, int], *, exact: bool) -> list[Load]:
    found: list[Load] = []
    asked, tftp = "", (0, "")
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        start, last = line.first_ns or 0, line.last_ns or 0
        if match := _READ.search(line.text):
            begun = (before.last_ns or 0) if before is not None else start
            begun = begun if exact else start - int(match[2]) * 1_000_000
            found.append(_load(asked or _by_size(int(match[1]), sizes), int(match[1]), begun, start, line.text))
            asked = ""
        elif match := _READING.match(line.text):
            asked = match[1].rpartition("/")[2]
        elif match := _RETRIEVING.match(line.text):
            asked = match[1].rpartition("/")[2]
            size = sizes.get(_FILES.get(asked, ""))
            if after is not None and size is not None and not _READ.search(after.text):
                found.append(_load(_FILES[asked], size, last, after.first_ns or 0, line.text))
        elif match := _SECTORS.search(line.text):
            size = int(match[2]) * _SECTOR_BYTES
            found.append(_load(f"sectors from {match[1]}", size, start, last, line.text))
        elif match := _MOVED.match(line.text):
            size = int(match[3], 16) - int(match[2], 16)
            name = f"{_MOVED_NAMES[match[1]]}, moved in memory"
            found.append(_load(name, size, start, last, line.text, within_memory=True))
        elif _TFTP_BEGINS.match(line.text):
            tftp = (start, "a file by TFTP")
        elif match := _TFTP_NAME.match(line.text):
            tftp = (tftp[0], f"{match[1].rpartition('/')[2]} by TFTP")
        elif (match := _TFTP_ENDS.match(line.text)) and tftp[0]:
            found.append(_load(tftp[1], int(match[1]), tftp[0], start, line.text))
            tftp = (0, "")
    return [load for load in found if load.size_bytes > 0 and load.duration_ns >= 0]


def _by_size(size: int, sizes: Mapping[str, int]) -> str:
    """Name a file by its size, with or without U-Boot's header, where one alone has it."""
    names = [name for name, known in sizes.items() if size in {known, known + _LEGACY_HEADER_BYTES}]
    return names[0] if len(names) == 1 else "a file"


def _load(name: str, size: int, start_ns: int, end_ns: int, source: str, *, within_memory: bool = False) -> Load:
    return Load(
        name=name,
        size_bytes=size,
        start_ns=start_ns,
        duration_ns=end_ns - start_ns,
        source=source.strip()[:120],
        within_memory=within_memory,
    )
