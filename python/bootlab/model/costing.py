# SPDX-License-Identifier: MIT
"""What a processor of a given kind would take for an exact boot, by stage: a forecast, with its interval."""

from __future__ import annotations

import msgspec

from bootlab.model.costs import Between


class Seen(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far the model was off: programs that were timed on hardware and forecast from the core's figures alone.

    A forecast is widened to `below` of its low end and `above` of its high one. Each program was tried with a width
    that the others gave: `inside` of them lay in it, and `bare` in the interval of the figures alone.
    """

    core: str
    processor: str
    programs: int
    inside: int
    bare: int
    below: float
    above: float

    def widened(self, modelled: Between) -> Between:
        """Return an interval that holds what was measured as often as `inside` says."""
        return Between(modelled.low * self.below, modelled.high * self.above)

    def text(self, core: str) -> str:
        """Say what the widened interval is worth, for a core by its name."""
        said = (
            f"the figures' interval, widened to {self.below:.2f} of its low end and {self.above:.2f} of its high one: "
            f"so {self.inside} of {self.programs} programs lay inside that the width was not taken from "
            f"({self.bare} by the figures alone), on one {self.core}"
        )
        return said if core.partition("@")[0] == self.core else f"{said}; {core} was held against no hardware"


class CostedStage(msgspec.Struct, frozen=True, kw_only=True):
    """One stage of a boot, or all of it. Nanoseconds; counts of what the modelled processor did."""

    name: str
    exact_ns: int
    """Its length on the exact clock."""
    instructions: int
    waited_ns: int
    """What of it no instruction takes: emulated devices, timers. The forecast keeps it as it is."""
    modelled_ns: Between
    """What the model says that the processor takes for the instructions, at both ends of the core's figures."""
    computed_ns: Between
    """The same, widened by how far the model was off elsewhere."""
    classes: dict[str, int]
    """Instructions by class."""
    events: dict[str, int]
    """Misses of caches and TLBs, mispredictions, exceptions, accesses of devices."""

    @property
    def forecast_ns(self) -> Between:
        """Its length with that processor, but for what a console and a medium add."""
        return Between(self.waited_ns + self.computed_ns.low, self.waited_ns + self.computed_ns.high)

    @property
    def bare_ns(self) -> Between:
        """The same by the core's figures alone, which held what was measured far too seldom."""
        return Between(self.waited_ns + self.modelled_ns.low, self.waited_ns + self.modelled_ns.high)

    @property
    def instruction_ns(self) -> Between:
        """What an instruction takes on average, as wide as `computed_ns`."""
        return self.computed_ns.scaled(1 / self.instructions) if self.instructions else Between(0, 0)


class Costing(msgspec.Struct, frozen=True, kw_only=True):
    """A costed boot, from power-on to its goal. `ghz`: the clock, a range where none was given. `seen`: its error."""

    core: str
    title: str
    ghz: Between
    seen: Seen
    stages: tuple[CostedStage, ...]
    whole: CostedStage
