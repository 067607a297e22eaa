# SPDX-License-Identifier: MIT
"""A comparison in a sentence: how much slower or faster a boot became, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bootlab.logs.analysis import Analysis, seconds, stage_of
from bootlab.logs.compared import LogComparison
from bootlab.logs.rows import LogRow

_ALL = 0.95
_MOST = 0.6
_NAMED = 4


class Total(NamedTuple):
    """How long the boots of both sides are, and what became of it.

    `whole`: from power-on or the firmware's first words to first use; otherwise only the stages that both sides time.
    """

    base_ns: int
    difference_ns: int
    change: str
    stages: list[LogRow]
    whole: bool = True

    @property
    def span(self) -> str:
        """Return `3.00 s to 3.10 s`."""
        return f"{seconds(self.base_ns)} to {seconds(self.base_ns + self.difference_ns)}"

    @property
    def word(self) -> str:
        """Return `slower`, `faster` or `same`."""
        if self.change == "same" or not self.difference_ns:
            return "same"
        return "slower" if self.difference_ns > 0 else "faster"


def sentence(comparison: LogComparison) -> str:
    """Return `100 ms slower (3.00 s to 3.10 s), all of it in RC scripts`; empty where no total is known.

    Where the logs do not time the whole boot on both sides, the sentence says that it is about a part of it.
    """
    whole = total(comparison)
    if whole is None:
        return ""
    part = "" if whole.whole else "what both sides time: "
    if whole.word == "same":
        return f"{part}no slower and no faster ({whole.span})"
    sure = ", but the values of both sides overlap" if whole.change == "unclear" else ""
    where = _where(whole.difference_ns, whole.stages)
    return f"{part}{seconds(abs(whole.difference_ns))} {whole.word} ({whole.span}){where}{sure}"


def bounds(analyses: Sequence[Analysis]) -> str:
    """Say that a boot's whole length is known as a bound only, from which nothing follows; empty where none is."""
    boots = [(analysis.name, analysis.told(boot)) for analysis in analyses for boot in analysis.boots]
    said = [f"{name}: {told.bound}" for name, told in boots if told.bound]
    if not said:
        return ""
    more = f" and {len(said) - _NAMED} more" if len(said) > _NAMED else ""
    return f"no verdict on the whole boot, of which only bounds are known ({'; '.join(said[:_NAMED])}{more})"


def total(comparison: LogComparison) -> Total | None:
    """Return the whole boot's times on both sides, or those of all stages that both have; None where there is none."""
    rows = {row.quantity: row for row in comparison.rows if row.base and row.new and row.difference_ns is not None}
    stages = [row for name, row in rows.items() if name.startswith("stage:") and ".." in name]
    whole = rows.get("stage:whole-boot")
    if whole is None and any(side.median_ns for row in stages for side in (row.base, row.new) if side):
        return _of_stages(sum(row.base.median_ns for row in stages if row.base), stages, comparison)
    if whole is None:
        kernel = rows.get("kernel")
        if kernel is not None and kernel.base is not None and kernel.difference_ns is not None:
            return Total(kernel.base.median_ns, kernel.difference_ns, kernel.change, [], whole=False)
        whole = rows.get("application")
    if whole is None or whole.base is None or whole.new is None or whole.difference_ns is None:
        return None
    return Total(whole.base.median_ns, whole.difference_ns, whole.change, stages)


def _of_stages(base_ns: int, stages: list[LogRow], comparison: LogComparison) -> Total:
    difference = sum(row.difference_ns or 0 for row in stages)
    general = comparison.thresholds.general
    least = max(general.ns, base_ns * general.percent / 100)
    changes = {row.change for row in stages}
    change = "same" if abs(difference) <= least else "slower" if difference > 0 else "faster"
    if change != "same" and change not in changes:
        change = "unclear"
    return Total(base_ns, difference, change, stages, whole=False)


def _where(difference_ns: int, stages: list[LogRow]) -> str:
    moved = sorted(
        ((row.difference_ns or 0, row.quantity) for row in stages if (row.difference_ns or 0) * difference_ns > 0),
        key=lambda pair: -abs(pair[0]),
    )
    if not moved:
        return ""
    largest, quantity = moved[0]
    share = abs(largest / difference_ns)
    if share >= _ALL:
        return f", all of it in {stage_name(quantity)}"
    if share >= _MOST:
        return f", most of it in {stage_name(quantity)} ({seconds(abs(largest))})"
    named = " and ".join(f"{stage_name(name)} ({seconds(abs(ns))})" for ns, name in moved[:2])
    return f", mainly in {named}"


def stage_name(quantity: str) -> str:
    """Name the stage of `stage:rc-scripts..first-use` as all pages do."""
    first, _, last = quantity.removeprefix("stage:").partition("..")
    return f"{stage_of(first)} ({first} to {last})" if last else first
