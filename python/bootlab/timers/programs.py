# SPDX-License-Identifier: MIT
"""The programs of the timer laboratory, built for each architecture."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.guest_program import build
from bootlab.data import source_folder
from bootlab.model.architecture import Arch


class TimerProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program: every C file of a folder of guest/, linked with libraries. `main` is one of the files."""

    name: str
    folder: str
    main: str
    libraries: tuple[str, ...] = ()

    def built(self, arch: Arch) -> Path:
        """Return the program for an architecture, built at first use. Raise ToolMissing or EnvironmentFault."""
        folder = source_folder(self.folder, self.main)
        sources = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
        flags = ("-Os", "-static", "-s", f"-ffile-prefix-map={folder}=.", "-pthread")
        return build(self.name, sources, arch, (*flags, *self.libraries), needed_for=f"to build {self.name}")


TIMERSTRESS = TimerProgram(name="timerstress", folder="timers", main="main.c")
TIMERCONFORM = TimerProgram(name="timerconform", folder="conform", main="main.c")
TIMER_INIT = TimerProgram(name="timer-init", folder="timers/init", main="init.c")
