# SPDX-License-Identifier: MIT
"""The names for people who extend bootlab: techniques, comparisons, targets and power switches of their own.

These names and those of :mod:`bootlab` itself stay as they are within a major version (`tests/public_api.txt`). Every
other module may change in any release.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.builders.cache import Cache
    from bootlab.experiments.base import require_goal
    from bootlab.experiments.bench import Bench
    from bootlab.experiments.comparison import SINGLE_BOOTS, Experiment
    from bootlab.launch.boot_plan import BootPlan, Purpose
    from bootlab.launch.target import Progress, ProgressSink, Target
    from bootlab.model import figures
    from bootlab.model.change import Change, SetParam
    from bootlab.model.cmdline import Param
    from bootlab.model.comparison import Column, Comparison, LeftOut, Row
    from bootlab.model.recording import Meta, Outcome, Recording
    from bootlab.model.system import SystemDescription
    from bootlab.power_switches.switch import PowerSwitchKeys
    from bootlab.recordings.recording_dir import load as load_recording
    from bootlab.recordings.recording_dir import save as save_recording
    from bootlab.targets.replay import record as keep_for_replay
    from bootlab.techniques.base import Answer, Applies, Context, Evidence, Published, Risk, Technique
    from bootlab.techniques.option import OptionTechnique
    from bootlab.techniques.parameter import ParameterRow, Sign
    from bootlab.techniques.program import ProgramTechnique

__all__ = [
    "SINGLE_BOOTS",
    "Answer",
    "Applies",
    "Bench",
    "BootPlan",
    "Cache",
    "Change",
    "Column",
    "Comparison",
    "Context",
    "Evidence",
    "Experiment",
    "LeftOut",
    "Meta",
    "OptionTechnique",
    "Outcome",
    "Param",
    "ParameterRow",
    "PowerSwitchKeys",
    "ProgramTechnique",
    "Progress",
    "ProgressSink",
    "Published",
    "Purpose",
    "Recording",
    "Risk",
    "Row",
    "SetParam",
    "Sign",
    "SystemDescription",
    "Target",
    "Technique",
    "figures",
    "keep_for_replay",
    "load_recording",
    "require_goal",
    "save_recording",
]

# `name` or `name=name inside`, by module.
_PLACES = {
    "bootlab.builders.cache": "Cache",
    "bootlab.experiments.base": "require_goal",
    "bootlab.experiments.bench": "Bench",
    "bootlab.experiments.comparison": "Experiment SINGLE_BOOTS",
    "bootlab.launch.boot_plan": "BootPlan Purpose",
    "bootlab.launch.target": "Progress ProgressSink Target",
    "bootlab.model.change": "Change SetParam",
    "bootlab.model.cmdline": "Param",
    "bootlab.model.comparison": "Column Comparison LeftOut Row",
    "bootlab.model.recording": "Meta Outcome Recording",
    "bootlab.model.system": "SystemDescription",
    "bootlab.power_switches.switch": "PowerSwitchKeys",
    "bootlab.recordings.recording_dir": "load_recording=load save_recording=save",
    "bootlab.targets.replay": "keep_for_replay=record",
    "bootlab.techniques.base": "Answer Applies Context Evidence Published Risk Technique",
    "bootlab.techniques.option": "OptionTechnique",
    "bootlab.techniques.parameter": "ParameterRow Sign",
    "bootlab.techniques.program": "ProgramTechnique",
}


def __getattr__(name: str) -> object:
    """Load a name at its first use: a technique of one row needs no laboratory."""
    import importlib  # noqa: PLC0415

    if name == "figures":
        return importlib.import_module("bootlab.model.figures")
    for module, names in _PLACES.items():
        for word in names.split():
            public, _, inside = word.partition("=")
            if public == name:
                return getattr(importlib.import_module(module), inside or public)
    raise AttributeError(f"module 'bootlab.extend' has no attribute {name!r}")
