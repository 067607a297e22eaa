# SPDX-License-Identifier: MIT
"""The ready image of a system's root, looked into without mounting: the partition that is the root, and its files."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import disk_image
from bootlab.formats.disk_bytes import ByteSource, Window
from bootlab.formats.file_view import FileView
from bootlab.formats.partitions import Partition, read_partitions
from bootlab.formats.superblock import identify
from bootlab.model.root import Root
from bootlab.model.system import SystemDescription
from bootlab.sources.disk import named_by, partition_number, view_of
from bootlab.sources.facts import PartitionFacts


def partitions(medium: ByteSource) -> tuple[PartitionFacts, ...]:
    """Return the partitions of a medium, or the whole of it as number 0."""
    table = read_partitions(medium)
    found = table.partitions if table is not None else ()
    whole = Partition(number=0, start_bytes=0, size_bytes=medium.size_bytes)
    return tuple(
        PartitionFacts(partition=part, file_system=identify(Window(medium, part.start_bytes, part.size_bytes)))
        for part in (found or (whole,))
    )


def root_partition(system: SystemDescription, root: Root, parts: tuple[PartitionFacts, ...]) -> PartitionFacts | None:
    """Return the partition that the command line names, else the one that the system file names; None: no such."""
    line = system.cmdline.value("root") or ""
    if "=" in line:
        return named_by(line, parts)
    number = partition_number(line) if line else root.partition
    number = number if number is not None else root.partition
    return next((part for part in parts if part.number == number), None)


def tree_of(system: SystemDescription) -> FileView | None:
    """Return the files of the root partition of a ready image; None where there is none that can be read here."""
    root = system.root
    if root is None or root.image is None:
        return None
    try:
        medium = disk_image.opened(Path(root.image))
        part = root_partition(system, root, partitions(medium))
        if part is None:
            return None
        window = Window(medium, part.partition.start_bytes, part.partition.size_bytes)
        return view_of(part.file_system, window)[0]
    except UserError:
        return None
