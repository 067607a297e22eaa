# SPDX-License-Identifier: MIT
"""The types of what the API gives out and takes, for annotations; each is loaded at its first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality
    from bootlab.analysis.kernel_size import KernelSize
    from bootlab.analysis.noisy.power import Forecast
    from bootlab.builders.kbuild import BuiltKernel
    from bootlab.builders.kbuild.fragment import KernelOption
    from bootlab.experiments.bench import Observer
    from bootlab.experiments.comparison import Experiment
    from bootlab.experiments.interleaved import BlockPlan
    from bootlab.history.against import Against
    from bootlab.history.boot_times import BootTimes, Side
    from bootlab.history.gate import GateResult
    from bootlab.launch.target import Progress
    from bootlab.logs import Analysis
    from bootlab.logs.compared import LogComparison

__all__ = [
    "Against",
    "Analysis",
    "BlockPlan",
    "BootTimes",
    "BuiltKernel",
    "Equality",
    "Experiment",
    "Forecast",
    "GateResult",
    "KernelOption",
    "KernelSize",
    "LogComparison",
    "Observer",
    "Progress",
    "Side",
]

_PLACES = {
    "analysis.equality": ("Equality",),
    "analysis.kernel_size": ("KernelSize",),
    "analysis.noisy.power": ("Forecast",),
    "builders.kbuild": ("BuiltKernel",),
    "builders.kbuild.fragment": ("KernelOption",),
    "experiments.bench": ("Observer",),
    "experiments.comparison": ("Experiment",),
    "experiments.interleaved": ("BlockPlan",),
    "history.against": ("Against",),
    "history.boot_times": ("BootTimes", "Side"),
    "history.gate": ("GateResult",),
    "launch.target": ("Progress",),
    "logs": ("Analysis",),
    "logs.compared": ("LogComparison",),
}


def __getattr__(name: str) -> object:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(importlib.import_module(f"bootlab.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
