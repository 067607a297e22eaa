# SPDX-License-Identifier: MIT
"""Roots that the kernel makes of other devices: what the command line says of them, on this machine."""

from __future__ import annotations

import re

from bootlab.model.cmdline import CommandLine
from bootlab.sources.disk import partition_number

_TABLES = "dm-mod.create"
_MAPPED = re.compile(r"/dev/(?:dm-\d+|mapper/.+)")
# Arrays and LVM's own names (lvm(8): /dev/GROUP/VOLUME); names below these folders tell of a real disk or partition.
_ARRAY_OR_VOLUME = re.compile(r"/dev/(?:md\d\S*|md/\S+|(?!disk/|block/|mapper/|ubi|mtd|nfs)[\w.+-]+/[\w.+-]+)")
_PATH = re.compile(r"/dev/[A-Za-z0-9]+")


def is_mapped(root: str, line: CommandLine) -> bool:
    """Tell whether the kernel itself makes the root of other devices (Documentation/admin-guide/device-mapper)."""
    return line.has(_TABLES) and _MAPPED.fullmatch(root) is not None


def made_by_initrd(root: str) -> bool:
    """Tell whether only an initrd or a kernel's table makes a device of this name, which is then the same anywhere."""
    return _MAPPED.fullmatch(root) is not None or _ARRAY_OR_VOLUME.fullmatch(root) is not None


def on_this_machine(line: CommandLine, disk: str, notes: list[str]) -> CommandLine:
    """Return the line with the partitions of device-mapper's tables named as on this machine.

    `disk`: the name of its partition number 0, up to the number: `/dev/vda`, `/dev/mmcblk0p`.
    """
    table = line.value(_TABLES)
    if table is None:
        return line

    def named(found: re.Match[str]) -> str:
        number = partition_number(found[0])
        return found[0] if number is None else f"{disk}{number or ''}"

    other = _PATH.sub(named, table)
    if other == table:
        return line
    notes.append(f"{_TABLES}= names the partitions of {disk.rstrip('p')}, which is what this machine has")
    return line.with_param(_TABLES, other)
