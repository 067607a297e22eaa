# SPDX-License-Identifier: MIT
"""What an optimisation came to, and who is told on the way."""

from __future__ import annotations

from typing import Protocol

import msgspec

from bootlab.experiments.base import Base
from bootlab.experiments.campaign import Journal
from bootlab.experiments.optimize.shrinking import Shrinking
from bootlab.experiments.stacked import Stacked
from bootlab.model import figures
from bootlab.model.contrast import Contrast
from bootlab.model.floor import Floor
from bootlab.model.question import Question
from bootlab.model.recording import Diagnosis
from bootlab.model.system import SystemDescription
from bootlab.model.waterfall import Bar


class Teller(Journal, Protocol):
    """Told how the search goes on; the rest of a journal too."""

    def round(self, name: str, before_ns: int) -> None:
        """Note the part of the search that begins, and when the goal comes now."""


class Optimized(msgspec.Struct, frozen=True, kw_only=True):
    """What an optimisation came to: the stack, the system, its diagnosis, the way there, and what the kernel lost.

    `contrasts`: what checks say of the base and of the result; `unchecked`: what none of them could tell, and why.
    `no_floor`: why there is no floor. `parts_kept`: files, modules and applets that had to stay, with the reason;
    `back`: changes that a final check took out again, with the reason. `questions`: boots that told only whether a
    system works. `ended`: why the search was cut short, and the rest of it not made.
    """

    base: Base
    stacked: Stacked
    system: SystemDescription
    diagnosis: Diagnosis | None
    waterfall: tuple[Bar, ...]
    floor: Floor | None = None
    no_floor: str = ""
    shrinking: Shrinking | None = None
    parts_kept: dict[str, str] = {}
    back: dict[str, str] = {}
    questions: tuple[Question, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    unchecked: tuple[str, ...] = ()
    ended: str = ""


def proved_so_far(base_ns: int, now_ns: int, boots: int, took_s: float) -> str:
    """Say how far a search has come, and what that took."""
    share = figures.percent(now_ns, base_ns)
    took = f"{figures.counted(boots, 'boot')}, {figures.lasted(took_s)}"
    return f"proved so far: {figures.ms(base_ns)} to {figures.ms(now_ns)} ms, {share} of the base ({took})"
