# SPDX-License-Identifier: MIT
"""What one boot took: the values that are compared, kept and judged."""

from __future__ import annotations

from itertools import chain

import msgspec

from bootlab.model.recording import GoalClock, Outcome, unsure_ns
from bootlab.model.timeline import in_order

TOTAL = "total"
"""The name of the whole boot beside the names of its stages."""

PROCESSORS = "processors"
"""The fact that names several processors, their mode and quantum (model/processors.py); absent with one."""

DITHER = "dither"
"""The fact that numbers the dither under which an exact boot was made; absent of a system as it is."""

FIRST_BOOT = "first boot"
"""The fact that tells a system's first boot ("yes") from a later one ("no"); absent where nothing says it."""

FIRST_SHOWN = "first boot, shown by"
"""The fact that says what shows it: a line, or a unit that ran."""

BOARD_BOOTED = "board"
"""The fact that names the real board that was booted; absent of an emulator."""

AUTHOR, SUBJECT = "author", "subject"
"""The facts that say who made the commit that was booted, and what it says of itself."""

REVISION = "revision"
"""The fact that names what was booted, of boots whose results say it themselves."""

WHOLE = "whole boot"
"""The fact that says what the whole boot is the sum of, where it does not end at the first use."""


class BootTimes(msgspec.Struct, frozen=True, kw_only=True):
    """One boot. Times in nanoseconds, the whole boot under `total`; only values that were measured stand there.

    `not_measured`: names whose value is a lower bound or unknown, and why. Such a value never keeps a budget.
    `exact`: the boot repeats to the nanosecond. `path`: its recording's folder, "" without one; `facts`: what was
    booted, by name (command line, digests, versions).
    """

    key: str
    outcome: Outcome = Outcome.GOAL
    clock: GoalClock = "virtual"
    exact: bool = False
    values: dict[str, int] = {}
    not_measured: dict[str, str] = {}
    insns: int | None = None
    path: str = ""
    facts: dict[str, str] = {}
    at: str = ""
    unfinished: bool = False
    """systemd had not finished starting when it was asked."""
    by_host: bool = False
    """The host ended it (its time limit, a signal, a lack of memory): it says nothing about the system."""

    @property
    def ok(self) -> bool:
        """Tell whether the goal was reached and the check passed."""
        return self.outcome is Outcome.GOAL

    @property
    def unsure_ns(self) -> int | None:
        """How far the times of this one boot are unsure, which their digits follow; None: they are exact."""
        return unsure_ns(self.clock)

    @property
    def processors(self) -> str:
        """How a report names the processors that it ran on; "" for one."""
        return self.facts.get(PROCESSORS, "")

    @property
    def first(self) -> bool | None:
        """Whether it is its system's first boot; None: that is not known."""
        return {"yes": True, "no": False}.get(self.facts.get(FIRST_BOOT, ""))

    @property
    def dither(self) -> int:
        """The number of the dither under which it was made; 0: the system as it is."""
        said = self.facts.get(DITHER, "")
        return int(said) if said.isascii() and said.isdecimal() else 0

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
    def working(self) -> Side:
        """Return the side without its failed boots; where none worked, the side as it is: it says why."""
        boots = tuple(boot for boot in self.boots if boot.ok)
        return msgspec.structs.replace(self, boots=boots) if boots else self

    @property
    def clocks(self) -> frozenset[str]:
        """Return the clocks of its times."""
        return frozenset(boot.clock for boot in self.boots)

    def values_ns(self, name: str) -> tuple[int, ...]:
        """Return the values of a quantity, of the boots that reached their goal and have it."""
        return tuple(boot.values[name] for boot in self.boots if boot.ok and name in boot.values)

    def distinct_ns(self, name: str) -> tuple[int, ...]:
        """Return the values of a quantity, each boot once, by the numbers of their dithers.

        An exact boot that was made again is the same boot, and proves no more.
        """
        known = {boot.key: boot for boot in self.boots if boot.ok and name in boot.values}
        return tuple(boot.values[name] for boot in sorted(known.values(), key=lambda boot: boot.dither))

    @property
    def as_it_is(self) -> Side:
        """Return it without the boots that were made under dithers; all of them where no other is there."""
        plain = tuple(boot for boot in self.boots if not boot.dither)
        return msgspec.structs.replace(self, boots=plain) if plain else self

    def names(self) -> tuple[str, ...]:
        """Return the names of all values: the known stages in their order, then the others as the boots have them."""
        return tuple(in_order(dict.fromkeys(chain.from_iterable(boot.values for boot in self.boots))))

    def why_not(self, name: str) -> str:
        """Return why a quantity was not measured in some boot, or ""."""
        for boot in self.boots:
            if not boot.ok:
                by = "the host ended a boot" if boot.by_host else "a boot ended"
                return f"{by} as {boot.outcome.value}"
            if name not in boot.values:
                return boot.not_measured.get(name, "a boot has no such time")
        return "" if self.boots else "there is no boot"
