# SPDX-License-Identifier: MIT
"""GRUB's devices: the partitions of the medium that `search` finds, and where a path on one of them lies.

GRUB's manual, "File name syntax", `search`; grub-core/commands/search_wrap.c for the options.
"""

from __future__ import annotations

import re

import msgspec

from bootlab.formats.file_view import PARTITION_PLACE, FileView
from bootlab.sources.facts import PartitionFacts
from bootlab.sources.medium import BootMedium, place_of
from bootlab.sources.menus.paths import below_root

_NUMBER = re.compile(r"(?:^|,)(?:gpt|msdos)?(\d{1,3})$")
_SEEN = ("", "/boot", "/boot/efi", "/efi", "/boot/firmware")
_KINDS = {
    "--fs-uuid": "uuid", "-u": "uuid", "search.fs_uuid": "uuid",
    "--label": "label", "-l": "label", "search.fs_label": "label",
    "--file": "file", "-f": "file", "search.file": "file",
    # Of CoreOS' GRUB, and of Flatcar's.
    "--part-label": "part-label", "search.part_label": "part-label",
    "--part-uuid": "part-uuid", "search.part_uuid": "part-uuid",
}  # fmt: skip
_WITH_VALUE = frozenset({"--hint", "--hint-bios", "--hint-efi", "--hint-baremetal", "--hint-ieee1275", "--hint-arc"})


class Search(msgspec.Struct, frozen=True):
    """What a `search` looks for (`uuid`, `label`, `file`, or a partition's), and the variable that gets the device."""

    kind: str
    name: str
    variable: str


def search_of(words: list[str]) -> Search | None:
    """Return what a `search` command asks for; None where it names nothing."""
    kind, rest, variable, before = _KINDS.get(words[0], ""), [], "", ""
    for word in words[1:]:
        if word.startswith("--set="):
            variable = word.partition("=")[2]
        elif before in {"--set", "-s"} and not word.startswith("-"):
            # `--set root NAME`: the value may be left out, and is then what follows the options.
            variable = word
        elif word in _KINDS:
            kind = _KINDS[word]
        elif not word.startswith("-") and before not in _WITH_VALUE:
            rest.append(word)
        before = word
    if not rest and variable and "=" not in variable:
        rest, variable = [variable], ""
    if kind and words[0].startswith("search.") and len(rest) > 1:
        variable = rest[1]
    return Search(kind, rest[0], variable or "root") if rest and kind else None


class GrubDevices:
    """The partitions of a medium by GRUB's names. `view`: the files that the menu was found among."""

    def __init__(self, view: FileView | None = None, medium: BootMedium | None = None) -> None:
        """Look at a medium; without one, no device is known."""
        self._view = view
        self._medium = medium

    def found(self, search: Search) -> str | None:
        """Return the device that a search finds; "" for a file system on no partition of its own; None for none."""
        if self._medium is None:
            return None
        for part in self._medium.parts:
            system = part.file_system
            if search.kind == "file":
                own = self._medium.views.get(part.number)
                fits = own is not None and own.exists(below_root(search.name))
            else:
                told = {"part-label": part.partition.name, "part-uuid": part.partition.partuuid}.get(search.kind, "")
                if search.kind in {"uuid", "label"} and system is not None:
                    told = system.uuid if search.kind == "uuid" else system.label
                fits = bool(told) and told.casefold() == search.name.casefold()
            if fits:
                return f"hd0,{part.number}" if part.number else ""
        return None

    def unread(self, text: str, root: str = "") -> PartitionFacts | None:
        """Return the partition that a path names and whose files cannot be read; None where they can, or for none."""
        device = text.partition(")")[0].lstrip("(") if text.startswith("(") else root
        if self._medium is None or not device:
            return None
        part = self._medium.of(self.number(device))
        if part is None or not part.number or part.file_system is None or part.number in self._medium.views:
            return None
        return part

    def number(self, device: str) -> int:
        """Return the number of a device's partition; 0 where it names none that is known."""
        found = _NUMBER.search(device.strip("()"))
        return int(found[1]) if found is not None else 0

    def place(self, text: str, root: str = "") -> str:
        """Return where a path lies, on its own device or on `root`, as a path in the files that are looked at.

        A partition that was found and can be read is the only one that GRUB reads; else the path counts from the root.
        """
        plain = below_root(text)
        if not text or self._medium is None or self._view is None or plain.startswith(f"/{PARTITION_PLACE}"):
            return plain
        device = text.partition(")")[0].lstrip("(") if text.startswith("(") else root
        number = self.number(device) if device else 0
        if number not in self._medium.views or not number:
            return plain
        own = place_of(number, plain)
        if not self._view.exists(f"/{PARTITION_PLACE}{number}"):
            return plain
        # The same file under the name that the booted system has for it is easier to read.
        seen = (identity for folder in _SEEN if (identity := self._view.identity(f"{folder}{plain}")) is not None)
        return plain if next(seen, None) == self._view.identity(own) is not None else own
