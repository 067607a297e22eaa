# SPDX-License-Identifier: MIT
"""How each of several boots ended: when the goal came, or why it did not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bootlab.model import figures
from bootlab.model.recording import Recording, unsure_ns
from bootlab.views.shown_text import one_line


def ends_text(boots: Sequence[Recording]) -> Iterator[str]:
    """Give a line a boot, in their order; the digits follow how far the goals lie apart."""
    goals = [boot.meta.goal_ns for boot in boots if boot.ok and boot.meta.goal_ns is not None]
    for number, boot in enumerate(boots, 1):
        meta = boot.meta
        if boot.ok and meta.goal_ns is not None:
            end = f"goal at {figures.ms(meta.goal_ns, unsure_ns(meta.goal_clock, goals))} ms"
        else:
            end = f"{meta.outcome.value}: {meta.reason}" if meta.reason else meta.outcome.value
        yield one_line(f"boot {number}: {end}  {boot.path or ''}", 400)


def ends_values(boots: Sequence[Recording]) -> list[dict[str, object]]:
    """Return the same as plain data."""
    return [
        {
            "outcome": boot.meta.outcome.value,
            "reason": boot.meta.reason,
            "goal_ns": boot.meta.goal_ns,
            "clock": boot.meta.goal_clock,
            "recording": boot.path,
        }
        for boot in boots
    ]
