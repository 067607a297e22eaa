# SPDX-License-Identifier: MIT
"""What a GRUB script asks its medium: which files match, which partition has priority, what a file or a word says.

GRUB's manual (`regexp`, `probe`), and commands of its children: `gptprio.next` of CoreOS, Flatcar and Bottlerocket
(priority, tries and success in a partition's attributes, as ChromeOS has them), `file_env` of Home Assistant.
"""

from __future__ import annotations

import fnmatch
import itertools
import posixpath
import re
from collections.abc import Callable

from bootlab.formats import unified_image
from bootlab.formats.file_view import FileView
from bootlab.sources.facts import PartitionFacts
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import Medium
from bootlab.sources.menus.paths import below_root

_PLACES = ("", "/boot", "/boot/efi", "/efi")
_MATCHES_MAX = 100
# The types of partitions that `gptprio.next` looks at: CoreOS's and Flatcar's /usr, Bottlerocket's /boot.
_WITH_PRIORITY = frozenset({"5dfbf5f4-2848-4bac-aa5e-0d9a20b745a6", "6b636168-7420-6568-2070-6c616e657421"})
_KERNEL_HEAD_BYTES = 0x1000
_PATTERN_MAX_CHARS, _TEXT_MAX_CHARS = 200, 1000


class Machine:
    """The medium that a menu lies on, seen by its script."""

    asks = frozenset({"gptprio.next", "regexp", "file_env", "probe"})

    def __init__(self, view: FileView | None = None, medium: Medium | None = None) -> None:
        """Look at the files of a root, and at the medium's partitions."""
        self._view = view
        self._medium = medium

    def variables(self, source: str) -> dict[str, str]:
        """Return the variables that a script built into GRUB sets before it reads the menu (`source`)."""
        part = self._by_priority()
        own = self._medium.holder(self._view, source) if self._medium is not None and self._view is not None else 0
        # Bottlerocket's: the menu lies in the partition that has priority.
        return {"boot_uuid": part.partition.partuuid} if part is not None and part.number == own else {}

    def matching(self, pattern: str) -> list[str]:
        """Return the paths that a pattern of a loop means, in the order of their names; itself where none does."""
        folder, _, name = below_root(pattern).rpartition("/")
        if self._view is None:
            return [pattern]
        for place in _PLACES:
            names = [one for one in self._view.names(f"{place}{folder}" or "/") if fnmatch.fnmatchcase(one, name)]
            if names:
                return [posixpath.join(folder or "/", one) for one in names[:_MATCHES_MAX]]
        return [pattern]

    def starts_linux(self, path: str) -> bool:
        """Tell whether a program is a kernel or a unified image."""
        heads = (self._view.data(f"{place}{path}", unified_image.HEAD_MAX_BYTES) for place in _PLACES if self._view)
        found = next((head for head in heads if head), b"")
        return unified_image.is_unified(found) or is_kernel(found[:_KERNEL_HEAD_BYTES])

    def answer(self, words: list[str], variables: dict[str, str], reads: Callable[[str], str | None]) -> bool:
        """Do a command that sets variables from what the medium says; tell whether it succeeds."""
        named = _options(words[1:])
        rest = [word for word in words[1:] if not word.startswith("-")]
        if words[0] == "gptprio.next":
            part = self._by_priority()
            if part is None:
                return False
            variables[named.get("-u", "uuid")] = part.partition.partuuid
            variables[named.get("-d", "dev")] = f"hd0,gpt{part.number}"
            return True
        if words[0] == "file_env":
            text = reads(below_root(named.get("-f", "")))
            if text is None:
                return False
            # It takes the first line (home-assistant/operating-system, its patch of GRUB).
            variables[rest[-1]] = (text.splitlines() or [""])[0].strip()
            return True
        if words[0] == "regexp" and len(rest) > 1:
            return _matched(words[1:], variables)
        return False

    def _by_priority(self) -> PartitionFacts | None:
        """Return the partition that is booted: of the highest priority among those that succeeded or have tries."""

        def rank(part: PartitionFacts) -> int:
            return part.partition.attributes >> 48 & 0xF

        parts = self._medium.parts if self._medium is not None else ()
        may = [
            part
            for part in parts
            if part.partition.type_uuid in _WITH_PRIORITY and rank(part) and part.partition.attributes >> 52 & 0x1F
        ]
        return max(may, key=rank) if may else None


def _options(words: list[str]) -> dict[str, str]:
    return {word: after for word, after in itertools.pairwise(words) if word.startswith("-")}


def _matched(words: list[str], variables: dict[str, str]) -> bool:
    """Do `regexp [--set [NUMBER:]VARIABLE] PATTERN TEXT`."""
    sets: list[tuple[int, str]] = []
    rest: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word in {"-s", "--set"} or word.startswith("--set="):
            value = word.partition("=")[2] or (words[at + 1] if at + 1 < len(words) else "")
            at += 0 if "=" in word and word.startswith("--set=") else 1
            number, _, name = value.rpartition(":")
            sets.append((int(number) if number.isdecimal() else 1, name))
        else:
            rest.append(word)
        at += 1
    if len(rest) < 2:
        return False
    try:
        found = re.search(rest[0][:_PATTERN_MAX_CHARS], rest[1][:_TEXT_MAX_CHARS])
    except re.error:
        return False
    if found is None:
        return False
    for group, name in sets:
        variables[name] = (found[group] or "") if group <= len(found.groups()) else ""
    return True
