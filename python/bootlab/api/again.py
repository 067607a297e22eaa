# SPDX-License-Identifier: MIT
"""The command that makes a run again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from bootlab.costs.named import OF_SYSTEM

if TYPE_CHECKING:
    from bootlab.model.system import SystemDescription


def command_again(system: SystemDescription, verb: str, *words: str) -> str:
    """Return the command line that does the same with a system, by the same costs."""
    costs = () if system.costs is None or system.costs.name == OF_SYSTEM else ("--costs", system.costs.name)
    return shlex.join(("bootlab", verb, system.path or "SYSTEM.toml", *words, *costs))
