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

_DEVICE = re.compile(r"[0-9a-fA-F]*(?:\.[0-9]+)?[:#](?P<part>[0-9a-fA-F]+|[^#:]+)$")
_SUMS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
# fs/fs.c: what U-Boot reads, by its own names.
_FSTYPES = {
    "vfat": "fat",
    "ext2": "ext4",
    "ext3": "ext4",
    "ext4": "ext4",
    "btrfs": "btrfs",
    "squashfs": "squashfs",
    "erofs": "erofs",
}
SECTOR_BYTES = 512
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "-eq": operator.eq, "!=": operator.ne, "<>": operator.ne, "-ne": operator.ne,
    "<": operator.lt, "-lt": operator.lt, ">": operator.gt, "-gt": operator.gt,
    "<=": operator.le, "-le": operator.le, ">=": operator.ge, "-ge": operator.ge,
}  # fmt: skip
_EQUAL = {"-eq": "==", "-ne": "!=", "<>": "!="}
_PATTERN_MAX_CHARS, _TEXT_MAX_CHARS = 100, 1000
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

    def answer(self, words: list[str]) -> str:  # noqa: PLR0911 - one for each question
        """Return what `part uuid`, `part number` or `fsuuid` would set; "" where the medium does not tell."""
        if self._medium is None:
            return ""
        if words[0] == "part" and words[1] in {"number", "start", "size"} and len(words) > 5:
            named = next((part for part in self._medium.parts if part.partition.name == words[4]), None)
            named = named or (
                self._medium.of(int(words[4], 16)) if re.fullmatch("[0-9a-fA-F]{1,3}", words[4]) else None
            )
            return "" if named is None else f"{_told(words[1], named):x}"
        if words[:2] == ["part", "list"]:
            # Numbers in hexadecimal digits, those with the flag or all.
            flagged = "-bootable" in words
            return " ".join(
                f"{p.number:x}" for p in self._medium.parts if p.number and (p.partition.bootable or not flagged)
            )
        part = self._medium.of(self.number(words[2] if words[0] in {"fsuuid", "fstype"} else words[3]))
        if part is None:
            return ""
        if words[:2] == ["part", "uuid"]:
            return part.partition.partuuid
        if part.file_system is None:
            return ""
        return {"fsuuid": part.file_system.uuid, "fstype": _FSTYPES.get(part.file_system.fstype, "")}.get(words[0], "")


def _told(what: str, part: PartitionFacts) -> int:
    sectors = {"start": part.partition.start_bytes, "size": part.partition.size_bytes}
    return sectors[what] // SECTOR_BYTES if what in sectors else part.number


def calculated(words: list[str]) -> str:
    """Return what `setexpr NAME A OPERATOR B` sets: numbers are hexadecimal, without a prefix."""
    if words[:1] in (["sub"], ["gsub"]) and len(words) > 2:
        return _replaced(words)
    values = [int(word, 16) if re.fullmatch(r"(?:0x)?[0-9a-fA-F]{1,16}", word) else 0 for word in words[::2]]
    if len(words) < 3 or words[1] not in _SUMS:
        return f"{values[0]:x}" if len(words) == 1 else ""
    return f"{_SUMS[words[1]](values[0], values[1]) & _WORD:x}"


def _replaced(words: list[str]) -> str:
    """Do `setexpr NAME sub|gsub PATTERN REPLACEMENT TEXT`."""
    text = words[3] if len(words) > 3 else ""
    try:
        return re.sub(
            words[1][:_PATTERN_MAX_CHARS], lambda _found: words[2], text[:_TEXT_MAX_CHARS], count=words[0] == "sub"
        )
    except re.error:
        return ""


def compared(words: list[str]) -> bool:
    """Tell whether `itest A OPERATOR B` holds: numbers are hexadecimal; texts are compared as texts (cmd/itest.c)."""
    if len(words) < 3 or words[1] not in _COMPARED:
        return False
    values = [int(word, 16) if re.fullmatch(r"(?:0x)?[0-9a-fA-F]{1,16}", word) else None for word in words[::2]]
    if values[0] is None or values[1] is None:
        return {"==": words[0] == words[2], "!=": words[0] != words[2]}.get(_EQUAL.get(words[1], words[1]), False)
    return _COMPARED[words[1]](values[0], values[1])
