"""Limits on a boot and its stages. A lower bound, an unknown time or too few noisy boots never keep one."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from typing import Literal

import msgspec

from bootlab.analysis.noisy.judgement import Judged
from bootlab.errors import UserError
from bootlab.history.boot_times import TOTAL, Side
from bootlab.model.duration import duration_ns

Kept = Literal["kept", "broken", "unknown"]

ERROR_RATE = 0.05
"""How often a budget that the system's median does not keep may be called kept, at most."""

_SHARE = re.compile(r"\+?(\d+(?:\.\d+)?)\s*%")
_HINT = "--budget total=3s, --budget kernel=500ms, or with --against: --budget kernel=+2%"


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A limit: nanoseconds, or how many percent more than the base is allowed."""

    name: str
    limit_ns: int | None = None
    percent: float | None = None

    @property
    def limit(self) -> str:
        """The limit as text."""
        return (
            f"{self.limit_ns / 1e6:.3f} ms" if self.limit_ns is not None else f"{self.percent:g} % more than the base"
        )


class BudgetResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a budget was kept, and why. `median_ns`: of the boots that have the value."""

    budget: Budget
    kept: Kept
    why: str
    median_ns: int | None = None


def parse(text: str) -> Budget:
    """Read `kernel=500ms` or `total=+2%`. Raise UserError."""
    name, equals, value = text.rpartition("=")
    name = name.strip()
    if not equals or not name:
        raise UserError(f"--budget {text!r}: it is not NAME=TIME", hint=_HINT)
    if (limit_ns := duration_ns(value)) is not None:
        return Budget(name=name, limit_ns=limit_ns)
    if found := _SHARE.fullmatch(value.strip()):
        return Budget(name=name, percent=float(found[1]))
    raise UserError(f"--budget {text!r}: {value!r} is neither a time nor a percentage", hint=_HINT)


def judge(budget: Budget, new: Side, compared: Judged | None, *, few: bool = False) -> BudgetResult:
    """Judge a budget. `compared`: the two sides' values against each other, for a budget in percent.

    `few`: believe the median of noisy boots, however few they are.
    """
    values = sorted(new.values_ns(budget.name))
    median = round(statistics.median(values)) if values else None

    def said(kept: Kept, why: str) -> BudgetResult:
        return BudgetResult(budget=budget, kept=kept, why=why, median_ns=median)

    if why := new.why_not(budget.name):
        like = _like(budget.name, new.names())
        return said("unknown", f"not measured: {why}{like}")
    if budget.limit_ns is not None:
        return said(*_absolute(values, budget.limit_ns, exact=new.exact, few=few))
    if compared is None:
        return said("unknown", "the base has no such time, or another clock")
    more = f"{-compared.saved_ns / 1e6:+.3f} ms"
    if compared.not_slower:
        return said("kept", f"{more}, shown to be within the limit")
    if compared.interval_ns[1] < -compared.smallest_ns or compared.verdict == "slower":
        return said("broken", f"{more}")
    return said("unknown", f"{more}, but {compared.boots[1]} boots do not show whether that is within the limit")


def _absolute(values: Sequence[int], limit_ns: int, *, exact: bool, few: bool) -> tuple[Kept, str]:
    over = sum(value > limit_ns for value in values)
    count = len(values)
    if exact:
        return ("kept", "exact") if over == 0 else ("broken", "exact")
    if _at_most(count, over) <= ERROR_RATE:
        return "kept", f"{count - over} of {count} boots are within it"
    if _at_most(count, count - over) <= ERROR_RATE:
        return "broken", f"{over} of {count} boots are over it"
    if few:
        kept: Kept = "kept" if statistics.median(values) <= limit_ns else "broken"
        return kept, f"by the median of {count} noisy boots, which proves little"
    why = f"{count - over} of {count} noisy boots are within it, which does not show where their middle is"
    return "unknown", f"{why}; five that agree would" if count < 5 else why


def _at_most(count: int, successes: int) -> float:
    """Return how often at most so many of `count` coins fall on one side."""
    return float(sum(math.comb(count, k) for k in range(successes + 1)) / 2**count)


def _like(name: str, names: Sequence[str]) -> str:
    if name in names:
        return ""
    known = ", ".join(names) if names else "none"
    return f" (there are: {known})" if name != TOTAL or names else ""
