# SPDX-License-Identifier: MIT
"""What U-Boot's scripts ask the medium for: partitions by number and name, their UUIDs; and their sums (`setexpr`).

U-Boot's doc/usage/cmd: load, part, setexpr.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from bootlab.sources.facts import PartitionFacts
from bootlab.sources.medium import BootMedium

_DEVICE = re.compile(r"[0-9a-fA-F]+(?:\.[0-9]+)?[:#](?P<part>[0-9a-fA-F]+|[^#:]+)$")
_SUMS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
SECTOR_BYTES = 512
_WORD = 0xFFFF_FFFF_FFFF_FFFF


class ScriptDisk:
    """The medium that a script is started from: `mmc 0:2` is its second partition, whatever its device's number."""

    def __init__(self, medium: BootMedium | None) -> None:
        """Look at a medium; None: nothing is known of its partitions."""
        self._medium = medium

    def is_readable(self, number: int) -> bool:
        """Tell whether the files of a partition can be read."""
        return self._medium is not None and number in self._medium.views

    def number(self, word: str) -> int:
        """Return the partition that DEVICE:PARTITION (in hexadecimal digits) or DEVICE#NAME says; 0 for none."""
        found = _DEVICE.fullmatch(word)
        if found is None or self._medium is None:
            return 0
        if "#" in word:
            return next((part.number for part in self._medium.parts if part.partition.name == found["part"]), 0)
        return int(found["part"], 16) if re.fullmatch(r"[0-9a-fA-F]{1,3}", found["part"]) else 0

    def starting_at(self, sector: str) -> int:
        """Return the partition that begins at a sector (in hexadecimal digits), without a file system; 0 for none."""
        at = int(sector, 16) * SECTOR_BYTES if re.fullmatch(r"(?:0x)?[0-9a-fA-F]{1,12}", sector) else -1
        parts = self._medium.parts if self._medium is not None else ()
        named = (part.number for part in parts if part.partition.start_bytes == at and part.file_system is None)
        return next(named, 0)

    def answer(self, words: list[str]) -> str:
        """Return what `part uuid`, `part number` or `fsuuid` would set; "" where the medium does not tell."""
        if self._medium is None:
            return ""
        if words[0] == "part" and words[1] in {"number", "start", "size"} and len(words) > 5:
            named = next((part for part in self._medium.parts if part.partition.name == words[4]), None)
            named = named or (
                self._medium.of(int(words[4], 16)) if re.fullmatch("[0-9a-fA-F]{1,3}", words[4]) else None
            )
            return "" if named is None else f"{_told(words[1], named):x}"
        part = self._medium.of(self.number(words[2] if words[0] == "fsuuid" else words[3]))
        if part is None:
            return ""
        if words[:2] == ["part", "uuid"]:
            return part.partition.partuuid
        return part.file_system.uuid if words[0] == "fsuuid" and part.file_system is not None else ""


def _told(what: str, part: PartitionFacts) -> int:
    sectors = {"start": part.partition.start_bytes, "size": part.partition.size_bytes}
    return sectors[what] // SECTOR_BYTES if what in sectors else part.number


def calculated(words: list[str]) -> str:
    """Return what `setexpr NAME A OPERATOR B` sets: numbers are hexadecimal, without a prefix."""
    values = [int(word, 16) if re.fullmatch(r"(?:0x)?[0-9a-fA-F]{1,16}", word) else 0 for word in words[::2]]
    if len(words) < 3 or words[1] not in _SUMS:
        return f"{values[0]:x}" if len(words) == 1 else ""
    return f"{_SUMS[words[1]](values[0], values[1]) & _WORD:x}"
