"""The gate: budgets kept, and no slower than the base; passed, failed, or undecided."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from statistics import median_high

import msgspec

from bootlab.analysis.noisy import oddities
from bootlab.analysis.noisy.judgement import ALPHA, Judged, judge_apart, judge_exact, judge_pairs
from bootlab.analysis.same_processors import HINT
from bootlab.analysis.smallest import smallest_that_matters
from bootlab.errors import MeasurementError, UserError
from bootlab.history.boot_times import TOTAL, Side
from bootlab.history.budget import Budget, BudgetResult, judge
from bootlab.model.processors import why_texts_differ
from bootlab.model.verdict import Verdict


class Answer(enum.StrEnum):
    """What a gate says."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of both sides. `judged` None: they cannot be compared, for the reason in `why`."""

    name: str
    judged: Judged | None
    why: str = ""
    base_ns: tuple[int, ...] = ()
    new_ns: tuple[int, ...] = ()


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate found. Every value of both sides is in `compared`; `odd`: outliers, drift, a slow start.

    `failures`: new boots that did not work; `ended_by_host`: those that the host ended, which say nothing.
    """

    name: str
    base: str = ""
    boots: tuple[int, int] = (0, 0)
    clock: str = ""
    exact: bool = False
    compared: tuple[Compared, ...] = ()
    budgets: tuple[BudgetResult, ...] = ()
    odd: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    ended_by_host: tuple[str, ...] = ()

    @property
    def total(self) -> Compared | None:
        """The whole boot against the base's."""
        return next((one for one in self.compared if one.name == TOTAL), None)

    @property
    def answer(self) -> Answer:
        """A broken budget, a slower boot or one that does not work fails; what stays unknown is undecided."""
        total = self.total
        slower = total is not None and total.judged is not None and total.judged.verdict is Verdict.SLOWER
        if self.failures or slower or any(found.kept == "broken" for found in self.budgets):
            return Answer.FAILED
        unknown = total is not None and (total.judged is None or total.judged.verdict is Verdict.UNKNOWN)
        if self.ended_by_host or unknown or any(found.kept == "unknown" for found in self.budgets):
            return Answer.UNDECIDED
        return Answer.PASSED


def gate(
    new: Side,
    base: Side | None,
    budgets: Sequence[Budget],
    *,
    paired: bool = False,
    smallest_ns: int | None = None,
    alpha: float = ALPHA,
    total: Judged | None = None,
    few: bool = False,
) -> GateResult:
    """Judge boots against budgets, and against a base where there is one. Raise UserError when nothing is to be judged.

    Raise MeasurementError for exact boots on different processors.

    `paired`: boot `i` of both sides was made in the same block. `total`: the verdict on the whole boot that a
    sequential test has reached already. `few`: see :func:`bootlab.history.budget.judge`.
    """
    if not new.boots:
        raise UserError(f"{new.name}: there is no boot to judge", hint="bootlab boot SYSTEM.toml makes one")
    if base is None and not budgets:
        raise UserError("there is nothing to judge the boot by", hint="give --budget NAME=TIME or --against BASE")
    if base is None and any(budget.percent is not None for budget in budgets):
        raise UserError("a budget in percent needs --against BASE", hint="--budget kernel=500ms needs none")
    if base is not None:
        _require_same_processors(base, new)
    compared = () if base is None else _compared(base, new, paired=paired, smallest_ns=smallest_ns, alpha=alpha)
    if total is not None:
        compared = tuple(msgspec.structs.replace(one, judged=total) if one.name == TOTAL else one for one in compared)
    return GateResult(
        name=new.name,
        base=base.name if base else "",
        boots=(len(base.boots) if base else 0, len(new.boots)),
        clock=", ".join(sorted(new.clocks)),
        exact=new.exact and (base is None or base.exact),
        compared=compared,
        budgets=tuple(_judged_budget(budget, base, new, paired=paired, alpha=alpha, few=few) for budget in budgets),
        odd=odd_of(new) + (odd_of(base) if base else ()),
        failures=tuple(
            f"a boot ended as {boot.outcome.value}" for boot in new.boots if not boot.ok and not boot.by_host
        ),
        ended_by_host=tuple(
            f"the host ended a boot as {boot.outcome.value}, which says nothing about the system: run the gate again"
            for boot in new.boots
            if not boot.ok and boot.by_host
        ),
    )


def _require_same_processors(base: Side, new: Side) -> None:
    first, *others = (*base.boots, *new.boots)
    for boot in others:
        if first.exact and boot.exact and (why := why_texts_differ(first.processors, boot.processors)):
            raise MeasurementError(why, hint=HINT)


def smallest_of(base: Side) -> int:
    """Return the smallest difference that matters beside a base, nanoseconds."""
    totals = base.values_ns(TOTAL)
    # Without a total, beside the longest of what was measured.
    longest = max((median_high(values) for name in base.names() if (values := base.values_ns(name))), default=0)
    return smallest_that_matters(median_high(totals) if totals else longest, exact=base.exact)


def odd_of(side: Side) -> tuple[str, ...]:
    """Name the outliers, a slow start and a drift of noisy boots, in sentences. Nothing is removed for it."""
    if side.exact:
        return ()
    values = side.values_ns(TOTAL)
    said = []
    slow = oddities.warm_up(values)
    if slow:
        first = "the first boot was" if slow == 1 else f"the first {slow} boots were"
        said.append(f"{side.name}: {first} slower than all others (warm-up?); counted all the same")
    for far in oddities.outliers(values):
        if far.boot > slow:
            where = f"{abs(far.score)} deviations from the others"
            said.append(f"{side.name}: boot {far.boot} took {far.value_ns / 1e6:.3f} ms, {where}; counted all the same")
    found = oddities.drift(values)
    if found is not None and not slow:
        said.append(
            f"{side.name}: boots drift by {found.per_boot_ns / 1e6:+.3f} ms each (temperature, load?); "
            "interleaved blocks cancel that, boots made apart do not"
        )
    return tuple(said)


def _compared(base: Side, new: Side, *, paired: bool, smallest_ns: int | None, alpha: float) -> tuple[Compared, ...]:
    smallest = smallest_of(base) if smallest_ns is None else smallest_ns
    common = [name for name in base.names() if name in new.names()]
    made = []
    if TOTAL not in common:
        # A bound is no value: two of them may be equal while the boots are not. The stages that both have still count.
        whys = [f"{side.name}: {why}" for side in (base, new) if (why := side.why_not(TOTAL))]
        made.append(Compared(name=TOTAL, judged=None, why="; ".join(whys) or "a side has no such time"))
    stages = max(1, len(common) - (TOTAL in common))
    for name in [*(name for name in common if name == TOTAL), *(name for name in common if name != TOTAL)]:
        share = alpha if name == TOTAL else alpha / stages
        made.append(_one(name, base, new, paired=paired, smallest_ns=smallest, alpha=share))
    return tuple(made)


def _one(name: str, base: Side, new: Side, *, paired: bool, smallest_ns: int, alpha: float) -> Compared:
    old, values = base.values_ns(name), new.values_ns(name)
    why = base.why_not(name) or new.why_not(name)
    if base.clocks != new.clocks:
        why = f"the clocks differ ({', '.join(sorted(base.clocks))} and {', '.join(sorted(new.clocks))})"
    if why or not old or not values:
        return Compared(name=name, judged=None, why=why or "not measured", base_ns=old, new_ns=values)
    if base.exact and new.exact:
        judged = judge_exact(median_high(old), median_high(values), smallest_ns=smallest_ns)
    elif paired and len(old) == len(values):
        judged = judge_pairs(old, values, smallest_ns=smallest_ns, alpha=alpha)
    else:
        judged = judge_apart(old, values, smallest_ns=smallest_ns, alpha=alpha)
    return Compared(name=name, judged=judged, base_ns=old, new_ns=values)


def _judged_budget(
    budget: Budget, base: Side | None, new: Side, *, paired: bool, alpha: float, few: bool
) -> BudgetResult:
    compared = None
    if base is not None and budget.percent is not None and base.values_ns(budget.name):
        allowed = round(median_high(base.values_ns(budget.name)) * budget.percent / 100)
        compared = _one(budget.name, base, new, paired=paired, smallest_ns=allowed, alpha=alpha).judged
    return judge(budget, new, compared, few=few)
