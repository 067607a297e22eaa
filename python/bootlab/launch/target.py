# SPDX-License-Identifier: MIT
"""What every target offers: a plan that says what would be booted, and the boot itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription


class Progress(msgspec.Struct, frozen=True):
    """Where a running boot is. `virtual_ns` is None where nothing tells the virtual time.

    `word`: what is likely to be wrong with a boot that goes on for long without its goal; told once.
    """

    virtual_ns: int | None
    console_bytes: int
    last_line: str
    word: str = ""


ProgressSink = Callable[[Progress], None]


class Target(Protocol):
    """Something that boots systems."""

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Build what is needed and say what would be booted."""

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Boot into an empty folder; return the recording, whatever its outcome."""
