# SPDX-License-Identifier: MIT
"""The comparisons that come with bootlab: what `System.compare` and `System.trim` take."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.experiments.again import Again
    from bootlab.experiments.console_pace import BAUDS, ConsolePace
    from bootlab.experiments.console_screen import ConsoleScreen
    from bootlab.experiments.delay import DELAY_RISK
    from bootlab.experiments.filesystems import Filesystems
    from bootlab.experiments.floor import FloorOf
    from bootlab.experiments.lpj import LpjRates, LpjTests
    from bootlab.experiments.quanta import Quanta
    from bootlab.experiments.steps import Steps
    from bootlab.experiments.trim import TrimRequest
    from bootlab.experiments.trim_table import trim_table
    from bootlab.experiments.xip import Xip

__all__ = [
    "BAUDS",
    "DELAY_RISK",
    "Again",
    "ConsolePace",
    "ConsoleScreen",
    "Filesystems",
    "FloorOf",
    "LpjRates",
    "LpjTests",
    "Quanta",
    "Steps",
    "TrimRequest",
    "Xip",
    "trim_table",
]

_PLACES = {
    "again": ("Again",),
    "console_pace": ("BAUDS", "ConsolePace"),
    "console_screen": ("ConsoleScreen",),
    "delay": ("DELAY_RISK",),
    "filesystems": ("Filesystems",),
    "floor": ("FloorOf",),
    "lpj": ("LpjRates", "LpjTests"),
    "quanta": ("Quanta",),
    "steps": ("Steps",),
    "trim": ("TrimRequest",),
    "trim_table": ("trim_table",),
    "xip": ("Xip",),
}


def __getattr__(name: str) -> object:
    """Load a comparison at its first use: none waits for the others."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(importlib.import_module(f"bootlab.experiments.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
