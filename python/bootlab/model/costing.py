# SPDX-License-Identifier: MIT
"""What a processor of a given kind would take for an exact boot, by stage: a forecast, with its interval."""

from __future__ import annotations

import msgspec

from bootlab.model.costs import Between

MEASURED = "measured"
"""The name of a core whose figures `bootlab board calibrate` measured on the machine itself."""

MOST_INITCALLS = 15
"""Initcalls that a table lists; JSON has all."""


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
            f"({self.bare} by the figures alone), on one "
        )
        if self.core == MEASURED:
            return f"{said}{self.processor}, by its own calibration; no other processor was held against it"
        said += self.core
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
    printed_ns: Between = Between(0.0, 0.0)
    """What the board's console takes for the characters of the stage; nothing where its rate is not given."""
    loaded_ns: Between = Between(0.0, 0.0)
    """What reading the images takes on the board, beyond the exact clock; of the whole boot only."""

    @property
    def forecast_ns(self) -> Between:
        """Its length on the board, as far as its parts are given: processor, console, medium."""
        return self._with(self.computed_ns)

    @property
    def bare_ns(self) -> Between:
        """The same by the core's figures alone, which held what was measured far too seldom."""
        return self._with(self.modelled_ns)

    def _with(self, computed_ns: Between) -> Between:
        parts = (computed_ns, self.printed_ns, self.loaded_ns)
        return Between(self.waited_ns + sum(one.low for one in parts), self.waited_ns + sum(one.high for one in parts))

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
    outside: tuple[str, ...] = ("console", "boot medium")
    """What of the board's time no figure was given for: it is not in the forecast."""
    initcalls: tuple[CostedStage, ...] = ()
    """Initcalls, in their order, where they were asked for; they lie within stages. Shorter ones than the plugin's
    records are left out: what they took alone is not known."""

    @property
    def longest(self) -> tuple[CostedStage, ...]:
        """Return the initcalls that a table lists: those whose forecast is the longest."""
        return tuple(sorted(self.initcalls, key=lambda one: (-one.forecast_ns.high, one.name))[:MOST_INITCALLS])

    @property
    def shown(self) -> tuple[CostedStage, ...]:
        """What a table lists: the stages, the whole, and the longest initcalls."""
        return (*self.stages, self.whole, *self.longest)

    @property
    def not_in_it(self) -> str:
        """Say what is not in the forecast, or that all of it is."""
        words = " and ".join(self.outside)
        return f"{words} not in it" if words else "console and boot medium in it"
