# SPDX-License-Identifier: MIT
"""The partitions of a medium as its boot loaders see them: by number, each with its own files or as one file.

A loader reads the partition that it names, whatever is mounted where in the system that it boots. So each partition has
a place of its own in the view of the root, which no folder lists.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

import msgspec

from bootlab.formats.disk_bytes import ByteSource, Window
from bootlab.formats.file_view import PARTITION_PLACE, FileView, OneFile
from bootlab.sources.facts import BootEntry, PartitionFacts


class BootMedium:
    """What is known of a whole medium while its menus are read."""

    def __init__(self, device: ByteSource, parts: tuple[PartitionFacts, ...], views: Mapping[int, FileView]) -> None:
        """Join its bytes, its partitions, and the files of those that can be read."""
        self.device = device
        self.parts = parts
        self.views = views

    def show_in(self, view: FileView) -> None:
        """Give each partition its place in a view."""
        for part in self.parts:
            place = f"{PARTITION_PLACE}{part.number}"
            if part.number in self.views:
                view.mount(place, FileView(self.views[part.number].files))
            elif part.file_system is None:
                view.mount(place, FileView(OneFile(self.window(part))))

    def window(self, part: PartitionFacts) -> Window:
        """Return the bytes of a partition."""
        return Window(self.device, part.partition.start_bytes, part.partition.size_bytes)

    def of(self, number: int) -> PartitionFacts | None:
        """Return a partition by its number."""
        return next((part for part in self.parts if part.number == number), None)

    def holder(self, view: FileView, path: str) -> int:
        """Return the number of the partition that holds a path of a view; 0 where none does."""
        found = view.find(path)
        files = found[0].files if found is not None else None
        return next((number for number, own in self.views.items() if own.files is files), 0)


def place_of(number: int, path: str) -> str:
    """Return where a path of a partition lies in the view of the root."""
    return posixpath.normpath(f"/{PARTITION_PLACE}{number}/{path}")


def shown(path: str) -> str:
    """Return a path in words: which partition it lies in, where that is not the root's."""
    found = re.fullmatch(rf"/{re.escape(PARTITION_PLACE)}(\d+)(/.*)?", path)
    return path if found is None else f"{found[2] or '/'} of partition {found[1]}"


def below_top(entry: BootEntry, top: str) -> BootEntry:
    """Return an entry of a menu in a partition with its paths from the partition's place; relative ones have it."""

    def placed(path: str) -> str:
        return path if not path or path.startswith(f"{top}/") else f"{top}{path}"

    return msgspec.structs.replace(
        entry,
        kernel=placed(entry.kernel),
        initrds=tuple(placed(path) for path in entry.initrds),
        device_tree=placed(entry.device_tree),
    )


def flagged(medium: BootMedium) -> Iterator[int]:
    """Give the partitions that a BIOS or U-Boot's standard boot takes by their flag."""
    return (part.number for part in medium.parts if part.partition.bootable and part.number in medium.views)
