# SPDX-License-Identifier: MIT
"""One device of the table of exact devices: how it gets into the machine, and what the guest does with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Files:
    """What lies on this machine for a row: a disk image (ext4, a file on it) and a folder that is served."""

    disk: Path
    folder: Path


@dataclass(frozen=True, kw_only=True)
class Row:
    """One device. `models`: its names as `-device` and the command's other options know them."""

    id: str
    models: tuple[str, ...]
    use: str
    modules: tuple[str, ...]
    script: str
    words: Callable[[Files], tuple[str, ...]]
    arch: str = "x86_64"
    machine: str = "q35"
    dtb: str = ""
    console: str = ""
    options: tuple[str, ...] = ()
