# SPDX-License-Identifier: MIT
"""The gate: budgets kept, and no slower than the base; passed, failed, or undecided."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from statistics import median_high
from typing import TYPE_CHECKING

import msgspec

from bootlab.analysis.exact_boots import judge_exact, judge_exact_part, moved_ns
from bootlab.analysis.noisy import oddities
from bootlab.analysis.noisy.judgement import ALPHA, Judged, judge_apart, judge_pairs
from bootlab.analysis.same_processors import HINT
from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
from bootlab.errors import MeasurementError, UserError
from bootlab.history.alike import kept_apart, why_not_alike
from bootlab.history.boot_times import TOTAL, Side
from bootlab.history.budget import Budget, BudgetResult, judge
from bootlab.history.smallest import smallest_of
from bootlab.model import figures
from bootlab.model.costs import Between, Costs, TurningPoint
from bootlab.model.processors import why_texts_differ
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Verdict

if TYPE_CHECKING:
    from bootlab.history.revisions import Origin

_UNDECIDED = frozenset({Verdict.UNKNOWN, Verdict.DEPENDS})


class GateAnswer(enum.StrEnum):
    """What a gate says."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


class ModelledSides(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides by the time of a board, each at least and at most, nanoseconds.

    `saved_ns`: base minus new at the same prices, so that it is narrower than the difference of both sides.
    """

    base_ns: Between
    new_ns: Between
    saved_ns: Between


class GateComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of both sides. `judged` None: they cannot be compared, for the reason in `why`.

    `modelled`: of the board's row; its `judged`, `base_ns` and `new_ns` are those at the end where least is saved.
    """

    name: str
    judged: Judged | None
    why: str = ""
    base_ns: tuple[int, ...] = ()
    new_ns: tuple[int, ...] = ()
    modelled: ModelledSides | None = None

    @property
    def range_ns(self) -> int | None:
        """How far the values of a side lie apart, the wider of the two; None where each side has one."""
        return max((max(side) - min(side) for side in (self.base_ns, self.new_ns) if len(side) > 1), default=None)

    @property
    def unsure_ns(self) -> int | None:
        """How far the difference of both sides is unsure: the width of its interval, without one the range."""
        if self.judged is None or self.judged.interval_ns is None:
            return self.range_ns
        return self.judged.interval_ns[1] - self.judged.interval_ns[0]


BOARD = "board"
"""The name of the whole boot by a board's time."""


class OnBoardSide(msgspec.Struct, frozen=True, kw_only=True):
    """The whole boot by the time of a board, which then decides. `row`: both sides, with both ends' verdict.

    `turns`: from where on the new one pays, all else as the board has it.
    """

    costs: Costs
    row: GateComparison
    turns: tuple[TurningPoint, ...] = ()


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One difference of two systems. `shown`: what the boots show of it; `technique`: by whose proof.

    `active`: whether that proves it was active; None: it does not tell. What the new system has no more (`removed`) was
    active in the base.
    """

    what: str
    shown: str = ""
    technique: str = ""
    active: bool | None = None
    removed: bool = False


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate found. Every value of both sides is in `compared`; `odd`: outliers, drift, a slow start.

    `measured`: every quantity of the new side, with or without a base. `board`: the whole boot by a board's time, where
    its costs were given.
    `failures`: new boots that did not work; `ended_by_host`: those that the host ended, which say nothing.
    `moved_ns`: how far changes that mean nothing move the exact base's whole boot; None: that is not known.
    `differences`, `origin`, `made`: see :class:`bootlab.history.against.Against`.
    """

    name: str
    base: str = ""
    boots: tuple[int, int] = (0, 0)
    clock: str = ""
    exact: bool = False
    moved_ns: int | None = None
    compared: tuple[GateComparison, ...] = ()
    measured: dict[str, tuple[int, ...]] = {}
    budgets: tuple[BudgetResult, ...] = ()
    odd: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    ended_by_host: tuple[str, ...] = ()
    board: OnBoardSide | None = None
    differences: tuple[Difference, ...] = ()
    origin: Origin | None = None
    made: tuple[int, int] | None = None

    @property
    def deciding(self) -> GateComparison | None:
        """What decides about the whole boot: the board's time where its costs are given, else the exact one."""
        return self.board.row if self.board is not None else self.total

    @property
    def total(self) -> GateComparison | None:
        """The whole boot against the base's."""
        return next((one for one in self.compared if one.name == TOTAL), None)

    @property
    def stages(self) -> tuple[GateComparison, ...]:
        """What was compared besides the whole boot, and could be."""
        return tuple(
            one for one in self.compared if one.name != TOTAL and one.modelled is None and one.judged is not None
        )

    @property
    def answer(self) -> GateAnswer:
        """A broken budget, a slower boot or one that does not work fails; what stays unknown is undecided."""
        total = self.deciding
        slower = total is not None and total.judged is not None and total.judged.verdict is Verdict.SLOWER
        if self.failures or slower or any(found.kept == "broken" for found in self.budgets):
            return GateAnswer.FAILED
        unknown = total is not None and (total.judged is None or total.judged.verdict in _UNDECIDED)
        if self.ended_by_host or unknown or any(found.kept == "unknown" for found in self.budgets):
            return GateAnswer.UNDECIDED
        return GateAnswer.PASSED


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
    known_ns: int | None = None,
    failure_rate: float = 0.0,
    board: OnBoardSide | None = None,
    first_boot: bool = False,
) -> GateResult:
    """Judge boots against budgets, and against a base where there is one. Raise UserError when nothing is to be judged.

    Raise MeasurementError for exact boots on different processors.

    `paired`: boot `i` of both sides was made in the same block. `total`: the verdict on the whole boot that a
    sequential test has reached already. `few`: see :func:`bootlab.history.budget.judge`. `known_ns`: how far changes
    that mean nothing are known to move the goal of an exact base. `failure_rate`: which share of the new boots may
    fail; more than that fails the gate. `board`: the whole boot by a board's time, which then decides. Times are those
    of the boots that worked; failed ones of the base count for nothing but themselves. `first_boot`:
    judge first boots of a system instead of later ones, where logs show which is which.
    """
    if not new.boots:
        raise UserError(f"{new.name}: there is no boot to judge", hint="bootlab boot SYSTEM.toml makes one")
    if base is None and not budgets:
        raise UserError("there is nothing to judge the boot by", hint="give --budget NAME=TIME or --against BASE")
    if base is None and any(budget.percent is not None for budget in budgets):
        raise UserError("a budget in percent needs --against BASE", hint="--budget kernel=500ms needs none")
    new, apart = kept_apart(new, first_boot=first_boot)
    if base is not None:
        base, more = kept_apart(base, first_boot=first_boot)
        apart += more
    failed = tuple(boot for boot in new.boots if not boot.ok and not boot.by_host)
    tolerated = bool(failed) and len(failed) <= failure_rate * sum(not boot.by_host for boot in new.boots)
    ended_by_host = tuple(_ended_by_host(boot.outcome) for boot in new.boots if not boot.ok and boot.by_host)
    left_out = _left_out(base) if base is not None else ()
    if tolerated:
        left_out = (*_left_out(new), *left_out)
    if base is not None:
        _require_same_processors(base, new)
        base, new = _working(base, new, paired=paired)
    else:
        new = new.working
    moved = _moved_ns(base, known_ns)
    compared = () if base is None else _compared(base, new, paired, smallest_ns, alpha, moved)
    if total is not None:
        compared = tuple(msgspec.structs.replace(one, judged=total) if one.name == TOTAL else one for one in compared)
    return GateResult(
        name=new.name,
        base=base.name if base else "",
        boots=(len(base.boots) if base else 0, len(new.boots)),
        clock=", ".join(sorted(new.clocks)),
        exact=new.exact and (base is None or base.exact),
        moved_ns=moved,
        compared=compared if board is None else (*compared, board.row),
        measured={name: new.values_ns(name) for name in new.names()},
        budgets=tuple(_judged_budget(budget, base, new, paired, alpha, moved, few=few) for budget in budgets),
        odd=apart + left_out + odd_of(new) + (odd_of(base) if base else ()),
        failures=() if tolerated else tuple(f"a boot ended as {boot.outcome.value}" for boot in failed),
        ended_by_host=ended_by_host,
        board=board,
    )


def _working(base: Side, new: Side, *, paired: bool) -> tuple[Side, Side]:
    """Return both sides without the boots that failed; of pairs without both boots where one did."""
    if not paired or len(base.boots) != len(new.boots):
        return base.working, new.working
    pairs = [pair for pair in zip(base.boots, new.boots, strict=True) if all(boot.ok for boot in pair)]
    if not pairs:
        return base.working, new.working
    both = (tuple(boots) for boots in zip(*pairs, strict=True))
    return tuple(msgspec.structs.replace(s, boots=b) for s, b in zip((base, new), both, strict=True))  # type: ignore[return-value]


def _left_out(side: Side) -> tuple[str, ...]:
    """Say which boots of a side failed, where others worked."""
    failed = Counter(boot.outcome.value for boot in side.boots if not boot.ok)
    if not failed or failed.total() == len(side.boots):
        return ()
    how = ", ".join(f"{count} {outcome}" for outcome, count in sorted(failed.items()))
    return (f"{side.name}: {failed.total()} of {len(side.boots)} boots failed ({how}) and are left out",)


def _ended_by_host(outcome: Outcome) -> str:
    if outcome is Outcome.LEFT_ON:
        return "THE BOARD MAY STILL BE ON: it could not be switched off after a boot"
    return f"the host ended a boot as {outcome.value}, which says nothing about the system: run the gate again"


def _require_same_processors(base: Side, new: Side) -> None:
    first, *others = (*base.boots, *new.boots)
    for boot in others:
        if first.exact and boot.exact and (why := why_texts_differ(first.processors, boot.processors)):
            raise MeasurementError(why, hint=HINT)


def odd_of(side: Side) -> tuple[str, ...]:
    """Name the outliers, a slow start and a drift of noisy boots, in sentences. Nothing is removed for it."""
    if side.exact:
        return ()
    values = side.values_ns(TOTAL)
    apart = max(values) - min(values) if values else None
    said = []
    slow = oddities.warm_up(values)
    if slow:
        first = "the first boot was" if slow == 1 else f"the first {slow} boots were"
        said.append(f"{side.name}: {first} slower than all others (warm-up?); counted all the same")
    for far in oddities.outliers(values):
        if far.boot > slow:
            where = f"{abs(far.score)} deviations from the others"
            said.append(
                f"{side.name}: boot {far.boot} took {figures.ms(far.value_ns, apart)} ms, {where}; counted all the same"
            )
    found = oddities.drift(values)
    if found is not None and not slow:
        each_ns = round(found.per_boot_ns)
        said.append(
            f"{side.name}: boots drift by {figures.signed_ms(each_ns, each_ns)} ms each (temperature, load?); "
            "interleaved blocks cancel that, boots made apart do not"
        )
    return tuple(said)


def _moved_ns(base: Side | None, known_ns: int | None) -> int | None:
    """Return how far the base's own boots lie apart, or what is known of it where they are too few to tell."""
    if base is None or not base.exact:
        return None
    goals = base.distinct_ns(TOTAL)
    return moved_ns(goals) if len(goals) >= FEWEST_BASE_BOOTS else known_ns


def _compared(
    base: Side, new: Side, paired: bool, smallest_ns: int | None, alpha: float, moved: int | None
) -> tuple[GateComparison, ...]:
    smallest = smallest_of(base) if smallest_ns is None else smallest_ns
    common = [name for name in base.names() if name in new.names()]
    made = []
    if TOTAL not in common:
        # A bound is no value: two of them may be equal while the boots are not. The stages that both have still count.
        whys = [f"{side.name}: {why}" for side in (base, new) if (why := side.why_not(TOTAL))]
        made.append(GateComparison(name=TOTAL, judged=None, why="; ".join(whys) or "a side has no such time"))
    stages = max(1, len(common) - (TOTAL in common))
    for name in [*(name for name in common if name == TOTAL), *(name for name in common if name != TOTAL)]:
        share = alpha if name == TOTAL else alpha / stages
        made.append(_one(name, base, new, paired=paired, smallest_ns=smallest, alpha=share, moved=moved))
    return tuple(made)


def _one(
    name: str, base: Side, new: Side, *, paired: bool, smallest_ns: int, alpha: float, moved: int | None
) -> GateComparison:
    exact = base.exact and new.exact
    old, values = (side.distinct_ns(name) if exact else side.values_ns(name) for side in (base, new))
    why = base.why_not(name) or new.why_not(name) or why_not_alike(base, new, name)
    if old and values and base.clocks != new.clocks:
        why = f"the clocks differ ({', '.join(sorted(base.clocks))} and {', '.join(sorted(new.clocks))})"
    if why or not old or not values:
        return GateComparison(name=name, judged=None, why=why or "not measured", base_ns=old, new_ns=values)
    if exact and name == TOTAL:
        judged = judge_exact(old, values, smallest_ns=smallest_ns, moved_ns=moved or 0)
    elif exact:
        judged = judge_exact_part(old, values, smallest_ns=smallest_ns)
    elif paired and len(old) == len(values):
        judged = judge_pairs(old, values, smallest_ns=smallest_ns, alpha=alpha)
    else:
        judged = judge_apart(old, values, smallest_ns=smallest_ns, alpha=alpha)
    return GateComparison(name=name, judged=judged, base_ns=old, new_ns=values)


def _judged_budget(
    budget: Budget, base: Side | None, new: Side, paired: bool, alpha: float, moved: int | None, *, few: bool
) -> BudgetResult:
    compared = None
    if base is not None and budget.percent is not None and base.values_ns(budget.name):
        allowed = round(median_high(base.values_ns(budget.name)) * budget.percent / 100)
        found = _one(budget.name, base, new, paired=paired, smallest_ns=allowed, alpha=alpha, moved=moved)
        compared = found.judged
    return judge(budget, new, compared, few=few)
