"""What one boot took: the values that are compared, kept and judged."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.recording import Outcome
from bootlab.model.timeline import STAGES

TOTAL = "total"
"""The name of the whole boot beside the names of its stages."""

PROCESSORS = "processors"
"""The fact that names several processors, their mode and quantum (model/processors.py); absent with one."""

Clock = Literal["virtual", "printk", "wall"]


class BootTimes(msgspec.Struct, frozen=True, kw_only=True):
    """One boot. Times in nanoseconds, the whole boot under `total`; only values that were measured stand there.

    `not_measured`: names whose value is a lower bound or unknown, and why. Such a value never keeps a budget.
    `exact`: the boot repeats to the nanosecond. `path`: its recording's folder, "" without one; `facts`: what was
    booted, by name (command line, digests, versions).
    """

    key: str
    outcome: Outcome = Outcome.GOAL
    clock: Clock = "virtual"
    exact: bool = False
    values: dict[str, int] = {}
    not_measured: dict[str, str] = {}
    insns: int | None = None
    path: str = ""
    facts: dict[str, str] = {}
    at: str = ""
    by_host: bool = False
    """The host ended it (its time limit, a signal, a lack of memory): it says nothing about the system."""

    @property
    def ok(self) -> bool:
        """Tell whether the goal was reached and the check passed."""
        return self.outcome is Outcome.GOAL

    @property
    def processors(self) -> str:
        """How a report names the processors that it ran on; "" for one."""
        return self.facts.get(PROCESSORS, "")

    @property
    def total_ns(self) -> int | None:
        """Power-on to goal, nanoseconds; None where it was not measured."""
        return self.values.get(TOTAL)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """The boots of one thing, in the order in which they were made."""

    name: str
    boots: tuple[BootTimes, ...]

    @property
    def exact(self) -> bool:
        """Tell whether every boot of it repeats to the nanosecond."""
        return bool(self.boots) and all(boot.exact for boot in self.boots)

    @property
    def clocks(self) -> frozenset[str]:
        """Return the clocks of its times."""
        return frozenset(boot.clock for boot in self.boots)

    def values_ns(self, name: str) -> tuple[int, ...]:
        """Return the values of a quantity, of the boots that reached their goal and have it."""
        return tuple(boot.values[name] for boot in self.boots if boot.ok and name in boot.values)

    def names(self) -> tuple[str, ...]:
        """Return the names of all values: the known stages in their order, then the others as the boots have them."""
        named = dict.fromkeys(name for boot in self.boots for name in boot.values)
        known = [name for name, _, _ in STAGES]
        return tuple(sorted(named, key=lambda name: known.index(name) if name in known else len(known)))

    def why_not(self, name: str) -> str:
        """Return why a quantity was not measured in some boot, or ""."""
        for boot in self.boots:
            if not boot.ok:
                by = "the host ended a boot" if boot.by_host else "a boot ended"
                return f"{by} as {boot.outcome.value}"
            if name not in boot.values:
                return boot.not_measured.get(name, "a boot has no such time")
        return "" if self.boots else "there is no boot"
