# SPDX-License-Identifier: MIT
"""Programs of bootlab's own in an initramfs, built for the machine when it is packed."""

from __future__ import annotations

import msgspec

from bootlab.builders.guest_program import build
from bootlab.data import source_folder
from bootlab.model.architecture import Arch
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree, OwnProgram

_FOLDERS: dict[OwnProgram, str] = {"mount-root": "mount"}
_FLAGS = ("-Os", "-static", "-s", "-Wl,--build-id=none")


def with_own_programs(system: SystemDescription) -> SystemDescription:
    """Return the system with each such program in its initramfs as a file. Raise ToolMissing or EnvironmentFault."""
    initramfs = system.initramfs
    if initramfs is None or not any(entry.own is not None for _, entry in initramfs.tree.entries):
        return system
    arch = system.machine.arch
    tree = FileTree(tuple((path, _built(entry, arch)) for path, entry in initramfs.tree.entries))
    return msgspec.structs.replace(system, initramfs=msgspec.structs.replace(initramfs, tree=tree))


def _built(entry: Entry, arch: Arch) -> Entry:
    if entry.own is None:
        return entry
    name = f"{entry.own}.c"
    source = source_folder(_FOLDERS[entry.own], name) / name
    made = build(entry.own, [source], arch, _FLAGS, needed_for="to build the first program of the initramfs")
    return msgspec.structs.replace(entry, source=str(made), own=None)
