# SPDX-License-Identifier: MIT
"""Where the boots of a stack are compared: at the goal, or where the wait begins that holds it."""

from __future__ import annotations

from bootlab.analysis.grid import ended_at, holding_wait, start_of
from bootlab.experiments.base import Base
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.trials import winners
from bootlab.model.recording import Recording
from bootlab.model.sample import Spread, goals_ns
from bootlab.model.verdict import Hold, Trial


class BootInstant:
    """The instant of each boot that counts. `hold`: the wait that it comes before; None: it is the goal."""

    def __init__(self, base: Base, trials: tuple[Trial, ...] = ()) -> None:
        """Look at the base, and at the trials of what is to be stacked.

        Boots of the base alone may all leave the wait at the same turn of the clock; a variant's boots show it then.
        """
        hold = holding_wait(base.boots, ())
        if hold is None:
            hold = next((t.hold for t in winners(trials) if t.hold is not None and t.hold.decides), None)
        self._event = start_of(hold, base.boots) if hold is not None and hold.decides else None
        self.hold: Hold | None = hold if self._event is not None else None
        spread = Spread.of(goals_ns(self.seen(base.dithered)))
        self.range_ns = spread.range_ns if spread is not None else 0

    def seen(self, boots: tuple[Recording, ...]) -> tuple[Recording, ...]:
        """Return the boots as if they ended at the instant."""
        return boots if self._event is None else ended_at(boots, self._event)

    def times_ns(self, boots: DitheredBoots) -> tuple[int, ...]:
        """Return when the boots that were asked for came to the instant, nanoseconds."""
        return goals_ns(self.seen(boots.recordings()))
