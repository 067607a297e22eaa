# SPDX-License-Identifier: MIT
"""A trimmed system as files: the list of every name with its reason, the tree as an archive, the system that boots."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.images import archive_stream
from bootlab.errors import cannot_write
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.system import SystemDescription
from bootlab.model.tree import FileTree
from bootlab.model.trim import Trimmed
from bootlab.store.handover import hand_over

LIST_FILE, TREE_FILE = "trim.json", "tree.tar"


def keep_trimmed(folder: Path, result: Trimmed, system: SystemDescription, booted: BootPlan | None) -> Trimmed:
    """Write a trimmed system into a folder; one that was not booted gets its list alone. Return the result with it."""
    result = msgspec.structs.replace(result, folder=str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if booted is not None:
            hand_over(folder, system, booted, made="trimmed")
            with (folder / TREE_FILE).open("wb") as out:
                archive_stream.write(system.tree or FileTree(), out)
        (folder / LIST_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    except OSError as fault:
        raise cannot_write(f"{folder} cannot be written", fault, folder.parent) from fault
    return result
