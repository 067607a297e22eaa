# SPDX-License-Identifier: MIT
"""A system and its base in exact mode, booted until it is told whether the one is slower than the other.

One boot of each comes first. It is enough where the two lie no further apart than changes that mean nothing are known
to move the goal. Else both are booted under the same dithers, as `try` does it, the new system one boot after the
other: most of what means nothing is told by its first.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.analysis import exact_boots
from bootlab.analysis.noisy.judgement import Judged
from bootlab.analysis.same_processors import require_same_processors
from bootlab.analysis.sequential_test import Design, Judgement, cheapest, judge
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithered_base import dithered_base
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.on_board import EXACT, BoardPair, End, JudgedEnd, pair_on_board
from bootlab.model.costs import Costs
from bootlab.model.recording import Recording
from bootlab.model.sample import goals_ns
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Verdict
from bootlab.targets.replay import NotRecordedError


class ExactPair(msgspec.Struct, frozen=True, kw_only=True):
    """Every boot of both sides; boot `i` of either lies under the dither of the number `dithers[i]`.

    `judged`: the verdict on the whole boot; None: a boot failed, or its time is not known. `base`: empty where it was
    not booted. `board`: the same by the board's time; None without costs.
    """

    base: tuple[Recording, ...] = ()
    new: tuple[Recording, ...]
    dithers: tuple[int, ...] = (0,)
    judged: Judged | None = None
    board: BoardPair | None = None


def boot_pair(
    bench: Bench,
    base: SystemDescription,
    new: SystemDescription,
    *,
    smallest_of: Callable[[tuple[Recording, ...]], int],
    moved_ns: int | None = None,
) -> ExactPair:
    """Boot both, judge the exact time, and the board's where the new system has costs.

    `smallest_of`: says of boots of the base which differences do not matter, nanoseconds.

    `moved_ns`: how far changes that mean nothing are known to move the base's goal; None: that is not known. Raise
    MeasurementError for boots on different processors, or where the base fails under too many dithers.
    """
    pair = _exact_pair(bench, base, new, smallest_of=smallest_of, moved_ns=moved_ns)
    if new.costs is None or pair.judged is None:
        return pair
    board = _board_pair(bench, base, new, pair, new.costs, smallest_of(pair.base[:1]))
    return msgspec.structs.replace(pair, board=board)


def _board_pair(
    bench: Bench, base: SystemDescription, new: SystemDescription, found: ExactPair, costs: Costs, smallest_ns: int
) -> BoardPair:
    """Judge the boots by the board's time, with more boots under dithers where an end cannot be told by them."""

    def judge_end(end: End) -> JudgedEnd:
        sides = goals_ns(end.seen(found.base)), goals_ns(end.seen(found.new))
        judged = exact_boots.judge_exact(*sides, smallest_ns=smallest_ns)
        if judged.verdict is Verdict.UNKNOWN:
            rule = cheapest(1)
            try:
                dithers, boots = dithered_base(bench, base, found.base[0], rule.base_boots)
                base_ns = goals_ns(end.seen(boots))
                more = boot_in_turn(bench, new, base_ns, rule, smallest_ns=smallest_ns, dithers=dithers, end=end)
            except NotRecordedError:
                more = ExactPair(new=found.new)
            if more.judged is not None:
                judged, sides = more.judged, (base_ns, goals_ns(end.seen(more.new)))
        return JudgedEnd(judged=judged, base_ns=sides[0], new_ns=sides[1])

    return pair_on_board(costs, found.base[0], found.new[0], judge_end)


def _exact_pair(
    bench: Bench,
    base: SystemDescription,
    new: SystemDescription,
    *,
    smallest_of: Callable[[tuple[Recording, ...]], int],
    moved_ns: int | None,
) -> ExactPair:
    bench.phase("gate", 2)
    old, first = bench.wait_all([bench.submit(base, f"{base.name} (base)"), bench.submit(new, new.name)])
    goals = goals_ns((old, first))
    if len(goals) < 2 or old.meta.goal_clock != first.meta.goal_clock:
        return ExactPair(base=(old,), new=(first,))
    require_same_processors((old, first))
    smallest = smallest_of((old,))
    alone = exact_boots.judge_exact(goals[:1], goals[1:], smallest_ns=smallest, moved_ns=moved_ns or 0)
    enough = ExactPair(base=(old,), new=(first,), judged=alone)
    if old.meta.key == first.meta.key or (moved_ns is not None and alone.verdict is Verdict.SAME):
        return enough
    rule = cheapest(1)
    bench.phase("gate under dithers", rule.base_boots + rule.most_boots)
    try:
        dithers, boots = dithered_base(bench, base, old, rule.base_boots)
        dithered = boot_in_turn(bench, new, goals_ns(boots), rule, smallest_ns=smallest, dithers=dithers)
    except NotRecordedError:
        # A replay holds one boot of each: they prove nothing but what is too small to matter.
        return enough
    return msgspec.structs.replace(dithered, base=boots)


def boot_in_turn(
    bench: Bench,
    new: SystemDescription,
    base_ns: tuple[int, ...],
    rule: Design,
    *,
    smallest_ns: int,
    dithers: tuple[int, ...] = (),
    end: End = EXACT,
) -> ExactPair:
    """Boot a system under dithers, one after the other, until the rule has its answer against goals of a base.

    `end`: of a board's interval that `base_ns` are seen at. `dithers`: their numbers; (): 0, 1, 2 and so on. It ends
    with the first boot that fails. Raise NotRecordedError on a replay that lacks one.
    """
    boots = DitheredBoots(bench, new, new.name, dithers=dithers)
    wanted = 1
    while True:
        made = boots.wait(boots.asked + wanted)
        numbers = dithers or tuple(range(len(made)))
        goals = goals_ns(end.seen(made))
        if len(goals) < len(made):
            return ExactPair(new=made, dithers=numbers)
        judgement = _calm(judge(base_ns, goals, rule, smallest_ns=smallest_ns), base_ns, smallest_ns)
        if judgement.verdict is not None:
            counts = (len(base_ns), len(made))
            judged = exact_boots.judged_in_turn(judgement, rule, counts, smallest_ns=smallest_ns)
            return ExactPair(new=made, dithers=numbers, judged=judged)
        wanted = judgement.wanted


def _calm(found: Judgement, base_ns: tuple[int, ...], smallest_ns: int) -> Judgement:
    """Say *same* of a system that no dither moves by what matters, where the boots so far lie that near."""
    moved = exact_boots.moved_ns(base_ns)
    if found.verdict is None and moved is not None and max(moved, abs(found.saved_ns)) <= smallest_ns:
        return msgspec.structs.replace(found, verdict=Verdict.SAME, wanted=0)
    return found
