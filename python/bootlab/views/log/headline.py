# SPDX-License-Identifier: MIT
"""What is said of a boot first: what the core says of its log, beside a goal that only its recording knows."""

from __future__ import annotations

from bootlab.logs.told import ToldPart
from bootlab.views.log.recorded_goal import RecordedGoal


def headline(told: ToldPart, goal: RecordedGoal | None = None) -> list[str]:
    """Return the sentences that a person reads first. `goal`: as its recording knows it, then the log is not asked."""
    return told.headline if goal is None else [goal.sentence, *told.beside_goal]
