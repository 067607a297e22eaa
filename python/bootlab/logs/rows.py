# SPDX-License-Identifier: MIT
"""Quantities and budgets of a comparison.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class LogSample(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one quantity over the runs of one side."""

    count: int
    """Runs that have it."""
    max_ns: int
    """Largest."""
    median_ns: int
    """Middle value; the mean of the two middle ones for an even count."""
    min_ns: int
    """Smallest."""


Change = Literal["slower", "faster", "same", "unclear", "new", "gone"]
"""What happened to a quantity."""


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity on both sides."""

    base: LogSample | None = None
    """Base side."""
    base_calls: int | None = None
    """Median of how often a function was called in the base."""
    change: Change
    """Verdict."""
    difference_ns: int | None = None
    """New median minus base median."""
    new: LogSample | None = None
    """New side."""
    new_calls: int | None = None
    """The same on the new side."""
    quantity: str
    """`kernel`, `stage:...`, `initcall:name [module] #2`, `probe:device`, `unit:name`, `self:function` ..."""


class LogBudget(msgspec.Struct, frozen=True, kw_only=True):
    """A limit on one measured quantity."""

    limit_ns: int
    """Limit."""
    quantity: str
    """Quantity, as `Comparison` names it."""


class LogBudgetResult(msgspec.Struct, frozen=True, kw_only=True):
    """A budget and whether it was kept."""

    budget: LogBudget
    """The budget, with the quantity's full name where it was found."""
    kept: bool
    """A budget on something that was not measured is not kept."""
    median_ns: int | None = None
    """The new side's median; absent when no run has the quantity."""


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """A difference must exceed both."""

    ns: int
    """Absolute, nanoseconds."""
    percent: float
    """Share of the base's median."""


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """The threshold of each kind."""

    general: Threshold
    """For kinds without their own."""
    kinds: list[tuple[str, Threshold]] = []
    """Kind and threshold."""
