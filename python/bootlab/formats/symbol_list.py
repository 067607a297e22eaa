# SPDX-License-Identifier: MIT
"""A list of symbols as nm(1) prints it: System.map, /proc/kallsyms, and what a build of a boot loader keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_ADDRESS = re.compile(r"[0-9a-fA-F]{8,16}")


def lines(path: Path) -> Iterator[tuple[int, str, str]]:
    """Give address, kind letter and name of each symbol; other lines are passed over. Raise OSError."""
    with path.open(encoding="ascii", errors="replace") as file:
        for line in file:
            words = line.split(maxsplit=3)
            if len(words) >= 3 and len(words[1]) == 1 and _ADDRESS.fullmatch(words[0]):
                yield int(words[0], 16), words[1], words[2]
