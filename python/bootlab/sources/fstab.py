"""/etc/fstab, read as mount(8) does (fstab(5))."""

from __future__ import annotations

import re

from bootlab.sources.facts import MountLine

_LINES_MAX = 1000
_ESCAPE = re.compile(r"\\([0-7]{3})")


def read(text: str) -> tuple[MountLine, ...]:
    """Return the lines that mount something."""
    found = []
    for line in text.splitlines()[:_LINES_MAX]:
        words = line.split()
        if len(words) < 3 or words[0].startswith("#"):
            continue
        device, folder, fstype = (_plain(word) for word in words[:3])
        options = tuple(words[3].split(",")) if len(words) > 3 else ()
        found.append(MountLine(device, folder, fstype, options))
    return tuple(found)


def _plain(word: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), word)
