# SPDX-License-Identifier: MIT
"""Tells whether a step is more than what meaningless changes move: the two revisions beside it, under dithers."""

from __future__ import annotations

import msgspec

from bootlab.experiments.bench import Bench
from bootlab.experiments.dithering import DitheredBoots
from bootlab.model.sample import goals_ns
from bootlab.model.system import SystemDescription
from bootlab.targets.replay import NotRecordedError

_DITHERS = (1, 2, 3, 4)
"""With 5 boots of each revision, all of one side later than all of the other come by chance once in 252."""


class Disturbed(msgspec.Struct, frozen=True, kw_only=True):
    """Goals of the revision before the step and of the one behind it, nanoseconds: as it is first, then dithered."""

    before_ns: tuple[int, ...]
    after_ns: tuple[int, ...]

    @property
    def stands(self) -> bool:
        """Tell whether the goal came later behind the step in each boot than in any boot before it."""
        return min(self.after_ns) > max(self.before_ns)

    @property
    def boots(self) -> int:
        """How many boots were made beside those of the search."""
        return len(self.before_ns) + len(self.after_ns) - 2


def goals_under_dithers(bench: Bench, system: SystemDescription, name: str) -> tuple[int, ...] | None:
    """Boot a system as it is and under each dither; return when the goal came, nanoseconds.

    None where that is not possible: a replay holds no such boot, or one does not reach the goal. `name`: for progress.
    """
    numbers = (0, *_DITHERS)
    try:
        goals = goals_ns(DitheredBoots(bench, system, name, dithers=numbers).wait(len(numbers)))
    except NotRecordedError:
        return None
    return goals if len(goals) == len(numbers) else None
