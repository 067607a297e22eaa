# SPDX-License-Identifier: MIT
"""What a processor of a given kind would take for an exact boot, by stage: a forecast, with its interval."""

from __future__ import annotations

import msgspec

from bootlab.model.costs import Between


class CostedStage(msgspec.Struct, frozen=True, kw_only=True):
    """One stage of a boot, or all of it. Nanoseconds; counts of what the modelled processor did."""

    name: str
    exact_ns: int
    """Its length on the exact clock."""
    instructions: int
    waited_ns: int
    """What of it no instruction takes: emulated devices, timers. The forecast keeps it as it is."""
    computed_ns: Between
    """What the processor takes for the instructions."""
    classes: dict[str, int]
    """Instructions by class."""
    events: dict[str, int]
    """Misses of caches and TLBs, mispredictions, exceptions, accesses of devices."""

    @property
    def forecast_ns(self) -> Between:
        """Its length with that processor, but for what a console and a medium add."""
        return Between(self.waited_ns + self.computed_ns.low, self.waited_ns + self.computed_ns.high)

    @property
    def instruction_ns(self) -> Between:
        """What an instruction takes on average."""
        return self.computed_ns.scaled(1 / self.instructions) if self.instructions else Between(0, 0)


class Costing(msgspec.Struct, frozen=True, kw_only=True):
    """A costed boot, from power-on to its goal. `ghz`: the clock, a range where none was given."""

    core: str
    title: str
    ghz: Between
    stages: tuple[CostedStage, ...]
    whole: CostedStage
