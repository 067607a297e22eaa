# SPDX-License-Identifier: MIT
"""A target whose boots are goals that were kept: a verb's own code judges them again, without a machine."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.target import ProgressSink
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Meta, Recording
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.recordings import recording_dir

_SYSTEM = SystemDescription(name="table", kernel=Kernel(image="none"), goal=Goal(console="goal"))


def table_system(number: int) -> SystemDescription:
    """Return the system of a row of the table."""
    return msgspec.structs.replace(_SYSTEM, cmdline=CommandLine.parse(f"null={number}"))


class TableTarget:
    """Boots row `number` under dither `d` to `goals_ns[number][d]`."""

    def __init__(self, goals_ns: list[list[int]]) -> None:
        self.goals_ns = goals_ns

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Name the cell of the table; a dither's number is in the seed."""
        key = f"{purpose}{system.cmdline.value('null')}x{system.clock.seed - _SYSTEM.clock.seed}"
        return BootPlan(system=system, purpose=purpose, key=key, info=KernelInfo(), sizes_bytes={}, sha256={})

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Write the cell as a recording."""
        del stop, progress
        folder.mkdir(parents=True)
        number = int(plan.system.cmdline.value("null") or 0)
        goal_ns = self.goals_ns[number][plan.system.clock.seed - _SYSTEM.clock.seed]
        recording_dir.save(folder, Meta(key=plan.key, goal_ns=goal_ns), (), b"", None)
        return recording_dir.load(folder)
