# SPDX-License-Identifier: MIT
"""Tables of mounts, `/etc/fstab` and `/proc/mounts`, read as mount(8) does (fstab(5))."""

from __future__ import annotations

import re

import msgspec

_LINES_MAX = 1000
_ESCAPE = re.compile(r"\\([0-7]{3})")


class MountLine(msgspec.Struct, frozen=True):
    """One line. `start`, `end`: its bytes in the table."""

    device: str
    folder: str
    fstype: str
    options: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


def read(text: str) -> tuple[MountLine, ...]:
    """Return the lines that name a device, a folder and a type."""
    found = []
    end = 0
    for line in text.splitlines(keepends=True)[:_LINES_MAX]:
        start, end = end, end + len(line.encode("utf-8", "surrogateescape"))
        words = line.split()
        if len(words) < 3 or words[0].startswith("#"):
            continue
        device, folder, fstype = (_plain(word) for word in words[:3])
        options = tuple(words[3].split(",")) if len(words) > 3 else ()
        found.append(MountLine(device, folder, fstype, options, start, end))
    return tuple(found)


def _plain(word: str) -> str:
    # fs/proc_namespace.c writes space, tab, line break and backslash as octal numbers; so does whoever edits fstab.
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), word)
