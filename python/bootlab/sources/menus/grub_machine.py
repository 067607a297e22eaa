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
from bootlab.formats.file_view import PARTITION_PLACE, FileView
from bootlab.sources.facts import PartitionFacts
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import BootMedium, place_of
from bootlab.sources.menus.grub_devices import GrubDevices
from bootlab.sources.menus.paths import below_root

_PLACES = ("", "/boot", "/boot/efi", "/efi")
_MATCHES_MAX = 100
# The types of partitions that `gptprio.next` looks at: CoreOS's and Flatcar's /usr, Bottlerocket's /boot.
_WITH_PRIORITY = frozenset({"5dfbf5f4-2848-4bac-aa5e-0d9a20b745a6", "6b636168-7420-6568-2070-6c616e657421"})
_KERNEL_HEAD_BYTES = 0x1000
_PATTERN_MAX_CHARS, _TEXT_MAX_CHARS = 200, 1000


class GrubMachine:
    """The medium that a menu lies on, seen by its script."""

    asks = frozenset({"gptprio.next", "gptpriority", "regexp", "file_env", "probe"})

    def __init__(self, view: FileView | None = None, medium: BootMedium | None = None) -> None:
        """Look at the files of a root, and at the medium's partitions."""
        self._view = view
        self._medium = medium
        self._own = 0
        self.devices = GrubDevices(view, medium)

    def variables(self, source: str) -> dict[str, str]:
        """Return the variables that a script built into GRUB sets before it reads the menu (`source`)."""
        part = self._by_priority()
        own = self._own = (
            self._medium.holder(self._view, source) if self._medium is not None and self._view is not None else 0
        )
        # Bottlerocket's: the menu lies in the partition that has priority.
        said = {"boot_uuid": part.partition.partuuid} if part is not None and part.number == own else {}
        if self._is_efi_only(source):
            said["grub_platform"] = "efi"
        if (holder := self._part(str(own))) is not None and own:
            # GRUB's own device at its start is the one of its prefix, where the menu lies.
            said["root"] = f"hd0,{'gpt' if holder.partition.type_uuid else 'msdos'}{own}"
            # So is its prefix, whatever the partition is mounted on in the system that it boots.
            folder = self._folder_on(own, source)
            said |= {"prefix": f"({said['root']}){folder}"} if folder is not None else {}
        if source.startswith(f"/{PARTITION_PLACE}"):
            place = source.split("/")[1]
            device = f"hd0,{place.removeprefix(PARTITION_PLACE)}"
            folder = posixpath.dirname(source).removeprefix(f"/{place}")
            said |= {"root": device, "prefix": f"({device}){folder}"}
        return said

    def _folder_on(self, number: int, path: str) -> str | None:
        """Return the folder of a path from the root of the partition that holds it; None where that is not seen."""
        parts = path.strip("/").split("/")
        if self._view is None or (same := self._view.identity(path)) is None:
            return None
        tails = ("/" + "/".join(parts[first:]) for first in range(len(parts)))
        found = (tail for tail in tails if self._view.identity(place_of(number, tail)) == same)
        return next((posixpath.dirname(tail).rstrip("/") for tail in found), None)

    def _is_efi_only(self, source: str) -> bool:
        """Tell whether only EFI's firmware starts GRUB from the disk, which has no place for a BIOS' loader."""
        kinds = {part.partition.kind for part in self._medium.parts} if self._medium is not None else set()
        gpt = any(part.partition.type_uuid for part in self._medium.parts) if self._medium is not None else False
        return "/efi/" in source.casefold() or ("efi" in kinds and gpt and "bios-boot" not in kinds)

    def menu_behind(self, program: str) -> str:
        """Return the menu that GRUB reads where it is started as a program; "" where none lies in its partition."""
        top = f"/{program.split('/')[1]}" if program.startswith(f"/{PARTITION_PLACE}") else ""
        if self._view is None:
            return ""
        folders = [posixpath.dirname(program), *(f"{top}/EFI/{name}" for name in self._view.names(f"{top}/EFI"))]
        folders += [f"{top}{folder}" for folder in ("/boot/grub", "/boot/grub2", "/grub", "/grub2")]
        return next((path for folder in folders if self._view.kind(path := f"{folder}/grub.cfg") == "file"), "")

    def matching(self, pattern: str, root: str = "") -> list[str]:
        """Return the paths that a pattern of a loop means, in the order of their names; itself where none does.

        `root`: the device of a pattern that names none.
        """
        folder, _, name = below_root(pattern).rpartition("/")
        if self._view is None:
            return [pattern]
        device = pattern[: pattern.find(")") + 1] if pattern.startswith("(") else ""
        own = posixpath.dirname(self.devices.place(pattern, root))
        for place in dict.fromkeys([own, *(f"{place}{folder}" for place in _PLACES)]):
            names = [one for one in self._view.names(place or "/") if fnmatch.fnmatchcase(one, name)]
            if names:
                return [device + posixpath.join(folder or "/", one) for one in names[:_MATCHES_MAX]]
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
            if part is not None:
                variables[named.get("-u", "uuid")] = part.partition.partuuid
                variables[named.get("-d", "dev")] = f"hd0,gpt{part.number}"
            return part is not None
        if words[0] == "file_env":
            text = reads(below_root(named.get("-f", "")))
            # It takes the first line (home-assistant/operating-system, its patch of GRUB).
            variables |= {rest[-1]: (text.splitlines() or [""])[0].strip()} if text is not None and rest else {}
            return text is not None
        if words[0] == "gptpriority" and len(rest) > 2:
            part = self._part(rest[1])
            variables[rest[2]] = str(_rank(part)) if part is not None else "0"
            return part is not None
        if words[0] == "probe":
            return self._probe(words[1:], variables)
        return words[0] == "regexp" and len(rest) > 1 and _matched(words[1:], variables)

    def _part(self, number: str) -> PartitionFacts | None:
        return self._medium.of(int(number)) if self._medium is not None and number.isdecimal() else None

    def _probe(self, words: list[str], variables: dict[str, str]) -> bool:
        """Do `probe --set VARIABLE --fs-uuid DEVICE`; without a number the device is the menu's own partition."""
        name = _options(words).get("--set") or _options(words).get("-s", "")
        name = name or next((word.partition("=")[2] for word in words if word.startswith("--set=")), "")
        number = re.search(r",(?:gpt|msdos)?(\d{1,3})\)?$", words[-1] if words else "")
        part = self._part(number[1] if number is not None else str(self._own))
        if part is None or not name:
            return False
        system = part.file_system
        said = {
            "-u": system.uuid if system is not None else "",
            "-f": system.fstype if system is not None else "",
            "-l": system.label if system is not None else "",
            "--part-uuid": part.partition.partuuid,
        }
        said |= {"--fs-uuid": said["-u"], "--fs": said["-f"], "--label": said["-l"]}
        variables[name] = next((said[word] for word in words if word in said), "")
        return bool(variables[name])

    def _by_priority(self) -> PartitionFacts | None:
        """Return the partition that is booted: of the highest priority among those that succeeded or have tries."""
        parts = self._medium.parts if self._medium is not None else ()
        may = [
            part
            for part in parts
            if part.partition.type_uuid in _WITH_PRIORITY and _rank(part) and part.partition.attributes >> 52 & 0x1F
        ]
        return max(may, key=_rank) if may else None


def _rank(part: PartitionFacts) -> int:
    return part.partition.attributes >> 48 & 0xF


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
