"""The programs of the timer laboratory, built for each architecture."""

from __future__ import annotations

import platform
from pathlib import Path

import msgspec

from bootlab.builders.guest_program import build, source_folder
from bootlab.errors import EnvironmentFault
from bootlab.model.architecture import ARCHITECTURES, Arch


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


def host_arch() -> Arch:
    """Return the architecture of this machine. Raise EnvironmentFault when it is none that bootlab knows."""
    for facts in ARCHITECTURES.values():
        if platform.machine() in facts.host_names:
            return facts.name
    raise EnvironmentFault(
        f"this machine is a {platform.machine()}, for which bootlab builds no programs",
        hint=f"known: {', '.join(ARCHITECTURES)}; boot a system of one of these",
    )


TIMERSTRESS = TimerProgram(name="timerstress", folder="timers", main="main.c")
TIMERCONFORM = TimerProgram(name="timerconform", folder="conform", main="main.c")
TIMER_INIT = TimerProgram(name="timer-init", folder="timers/init", main="init.c")
