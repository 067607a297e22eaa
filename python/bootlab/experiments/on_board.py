# SPDX-License-Identifier: MIT
"""Decides by the board's time: the exact boots of both sides with what a board adds, at both ends of its interval.

The same rule judges both ends as it judges exact boots. What it says at both is the verdict; else it depends on the
board. Without costs there is one end, and it is the exact time.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

import msgspec

from bootlab.analysis.board_amounts import amounts_of
from bootlab.analysis.grid import ended_at, start_of
from bootlab.analysis.noisy.judgement import Judged
from bootlab.analysis.sequential_test import Design
from bootlab.costs.prices import Prices, corners, saving_ends, turning_points
from bootlab.experiments.judged_sample import judge_sample
from bootlab.model.costs import Between, Costs
from bootlab.model.recording import Recording
from bootlab.model.sample import Sample, goals_ns
from bootlab.model.verdict import Hold, OnBoard, Verdict

_SURE = frozenset({Verdict.BROKEN, Verdict.UNKNOWN})


class JudgedOnBoard(msgspec.Struct, frozen=True, kw_only=True):
    """What the boots so far say on a board. `wanted`: so many more boots of the variant are needed."""

    board: OnBoard
    wanted: int


class JudgedEnd(msgspec.Struct, frozen=True, kw_only=True):
    """Two sides judged at one end of a board's interval, with the board's times of their goals, nanoseconds."""

    judged: Judged
    base_ns: tuple[int, ...]
    new_ns: tuple[int, ...]


class BoardPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two sides by the time of a board. `judged`: the verdict of both its ends. The goals: where least is saved.

    `saved_ns`: what is saved at least and at most.
    """

    judged: Judged
    saved_ns: Between
    base_ns: tuple[int, ...]
    new_ns: tuple[int, ...]


class End(msgspec.Struct, frozen=True):
    """One end of a board's interval. `prices` None: no costs are given, and the exact time decides."""

    prices: Prices | None = None

    def seen(self, boots: tuple[Recording, ...]) -> tuple[Recording, ...]:
        """Return the boots with the board's time of their goal."""
        if self.prices is None:
            return boots
        return tuple(boot.once(self, partial(self._seen, boot)) for boot in boots)

    def sample(self, sample: Sample) -> Sample:
        """Return both sides with the board's times."""
        seen = (self.seen(side) for side in (sample.base, sample.variant))
        return Sample(base=next(seen), variant=next(seen), dithers=sample.dithers)

    def _seen(self, boot: Recording) -> Recording:
        if self.prices is None or boot.meta.goal_ns is None:
            return boot
        ns = round(boot.meta.goal_ns + self.prices.added_ns(amounts_of(boot)))
        return msgspec.structs.replace(boot, meta=msgspec.structs.replace(boot.meta, goal_ns=ns))


EXACT = End()
"""The only end without costs."""


def ends_of(costs: Costs | None, base: Recording, new: Recording) -> tuple[End, ...]:
    """Return the ends to judge at: where the new system saves least, and where most; without costs the exact time."""
    if costs is None:
        return (EXACT,)
    least, most = saving_ends(costs, amounts_of(base), amounts_of(new))
    return (End(least), End(most))


def at_both(verdicts: tuple[Verdict, ...]) -> Verdict:
    """Return the verdict of all ends: one they agree on, one that no board changes, or that it depends."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return next((verdict for verdict in verdicts if verdict in _SURE), Verdict.DEPENDS)


def pair_on_board(
    costs: Costs,
    base: Recording,
    new: Recording,
    judge: Callable[[End], JudgedEnd],
    *,
    turns_beyond_ns: int | None = None,
) -> BoardPair:
    """Judge two sides at both ends of a board's interval; `base` and `new` are the boots whose amounts tell the ends.

    `turns_beyond_ns`: what is saved at one end and lost at the other by more than this depends on the board, whatever
    each end's verdict is; None: the verdicts alone decide.
    """
    ends = [judge(end) for end in ends_of(costs, base, new)]
    saved = Between(min(end.judged.saved_ns for end in ends), max(end.judged.saved_ns for end in ends))
    verdict = at_both(tuple(end.judged.verdict for end in ends))
    if turns_beyond_ns is not None and saved.low < -turns_beyond_ns and saved.high > turns_beyond_ns:
        verdict = Verdict.DEPENDS
    least = ends[0]
    not_slower = all(end.judged.not_slower for end in ends)
    return BoardPair(
        judged=msgspec.structs.replace(least.judged, verdict=verdict, not_slower=not_slower),
        saved_ns=saved,
        base_ns=least.base_ns,
        new_ns=least.new_ns,
    )


def middle_between(costs: Costs, boots: tuple[Recording, ...]) -> Between:
    """Return the board's time of the middle boot, at least and at most over all its prices, nanoseconds."""
    middles = [_middle(goals_ns(End(prices).seen(boots))) for prices in corners(costs)]
    return Between(min(middles), max(middles))


def judged_on_board(costs: Costs, sample: Sample, rule: Design | None, hold: Hold | None = None) -> JudgedOnBoard:
    """Judge a sample by the board's time; where a wait holds the goal, by when that wait begins."""
    if hold is not None and hold.decides and (event := start_of(hold, (*sample.base, *sample.variant))) is not None:
        ended = (ended_at(side, event) for side in (sample.base, sample.variant))
        sample = Sample(base=next(ended), variant=next(ended), dithers=sample.dithers)
    base, new = sample.base[0], sample.variant[0]
    samples = [end.sample(sample) for end in ends_of(costs, base, new)]
    judgements = [judge_sample(one, rule) for one in samples]
    sides = [(_middle(one.base_goals_ns), _middle(one.variant_goals_ns)) for one in samples]
    (base_least, least), (base_most, most) = sides
    return JudgedOnBoard(
        board=OnBoard(
            verdict=at_both(tuple(one.verdict for one in judgements)),
            saved_ns=(base_least - least, base_most - most),
            base_ns=(base_least, base_most),
            goal_ns=(least, most),
            turns=turning_points(costs, amounts_of(base), amounts_of(new)),
        ),
        wanted=max(one.wanted for one in judgements),
    )


def saved_between(costs: Costs | None, before: Recording, after: Recording) -> Between | None:
    """Return what a board saves between one boot of each, nanoseconds; None without costs, or without both times."""
    if costs is None or before.meta.goal_ns is None or after.meta.goal_ns is None:
        return None
    saved = [before_ns - after_ns for before_ns, after_ns in _goals(costs, before, after)]
    return Between(min(saved), max(saved))


def least_saved_ns(costs: Costs | None, before: Recording, after: Recording) -> int | None:
    """Return what is saved at least between one boot of each by the time that decides; None without both times."""
    if before.meta.goal_ns is None or after.meta.goal_ns is None or before.meta.goal_clock != after.meta.goal_clock:
        return None
    return min(before_ns - after_ns for before_ns, after_ns in _goals(costs, before, after))


def _goals(costs: Costs | None, before: Recording, after: Recording) -> list[tuple[int, int]]:
    pairs = (end.seen((before, after)) for end in ends_of(costs, before, after))
    return [(one.meta.goal_ns or 0, other.meta.goal_ns or 0) for one, other in pairs]


def _middle(goals_ns: tuple[int, ...]) -> int:
    return round(statistics.median(goals_ns)) if goals_ns else 0
