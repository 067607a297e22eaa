# SPDX-License-Identifier: MIT
"""Limits on a boot and its stages. A lower bound, an unknown time or too few noisy boots never keep one."""

from __future__ import annotations

import math
import re
import statistics
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.analysis.noisy.judgement import Judged
from bootlab.errors import UserError
from bootlab.history.boot_times import TOTAL, Side
from bootlab.model import figures
from bootlab.model.duration import duration_ns
from bootlab.model.recording import unsure_ns

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
    """Whether a budget was kept, and why. `median_ns`: of the boots that have the value; `unsure_ns`: how far it is."""

    budget: Budget
    kept: Kept
    why: str
    median_ns: int | None = None
    unsure_ns: int | None = None


def told(texts: Iterable[str]) -> Iterator[str]:
    """Give budgets, those of files too: `@FILE` has one a line, empty lines and `#` aside. Raise UserError."""
    for text in texts:
        if not text.startswith("@"):
            yield text
            continue
        try:
            lines = Path(text[1:]).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as fault:
            raise UserError(f"--budget {text}: {text[1:]} cannot be read: {fault}", hint=_HINT) from fault
        yield from (line.partition("#")[0].strip() for line in lines if line.partition("#")[0].strip())


def of_systems(file: Path) -> dict[str, tuple[Budget, ...]]:
    """Read budgets of several systems: a TOML table a system, `total = "3.2s"` in it. Raise UserError."""
    hint = 'a table a system: [camera], and in it total = "3.2s"'
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise UserError(f"the budgets in {file} cannot be read: {fault}", hint=hint) from fault
    found = {}
    for system, limits in tables.items():
        if not isinstance(limits, dict):
            raise UserError(f"{file}: {system} is not the table of a system", hint=hint)
        found[system] = tuple(parse(f"{name}={limit}") for name, limit in limits.items())
        if any(budget.percent is not None for budget in found[system]):
            raise UserError(f"{file}: {system}: a budget in percent needs a base, which a page has not", hint=hint)
    return found


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
    # An exact boot's own number is that of the system as it is; under dithers it is only judged against a base.
    values = sorted((new.as_it_is if new.exact else new).values_ns(budget.name))
    median = round(statistics.median(values)) if values else None
    unsure = None if new.exact else unsure_ns("wall" if "wall" in new.clocks else "printk", values)

    def said(kept: Kept, why: str) -> BudgetResult:
        return BudgetResult(budget=budget, kept=kept, why=why, median_ns=median, unsure_ns=unsure)

    if why := new.why_not(budget.name):
        like = _like(budget.name, new.names())
        return said("unknown", f"not measured: {why}{like}")
    if budget.limit_ns is not None:
        return said(*_absolute(values, budget.limit_ns, exact=new.exact, few=few))
    if compared is None:
        return said("unknown", "the base has no such time, or another clock")
    interval = compared.interval_ns
    unsure = interval[1] - interval[0] if interval is not None else unsure
    more = f"{figures.signed_ms(-compared.saved_ns, unsure)} ms"
    if compared.not_slower:
        return said("kept", f"{more}, shown to be within the limit")
    beyond = interval is not None and interval[1] < -compared.smallest_ns
    if beyond or compared.verdict == "slower":
        return said("broken", f"{more}")
    count = figures.counted(compared.boots[1], "boot")
    return said("unknown", f"{more}, which {count} cannot show to be beyond the limit or within it")


def _absolute(values: Sequence[int], limit_ns: int, *, exact: bool, few: bool) -> tuple[Kept, str]:
    over = sum(value > limit_ns for value in values)
    count = len(values)
    if exact:
        return ("kept", "exact") if over == 0 else ("broken", "exact")
    by_noise = "noise alone does that in at most"
    if (kept_by_noise := _at_most(count, over)) <= ERROR_RATE:
        how = f"{by_noise} {figures.chance(kept_by_noise)}"
        return "kept", f"{count - over} of {count} boots are within it; {how}"
    if (broken_by_noise := _at_most(count, count - over)) <= ERROR_RATE:
        how = f"{by_noise} {figures.chance(broken_by_noise)}"
        return "broken", f"{over} of {count} boots are over it; {how}"
    if few:
        kept: Kept = "kept" if statistics.median(values) <= limit_ns else "broken"
        how = "by one noisy boot" if count == 1 else f"by the median of {count} noisy boots"
        return kept, f"{how}, which proves little"
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
