# SPDX-License-Identifier: MIT
"""A system and its base, booted to be judged against each other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import msgspec

from bootlab.analysis.noisy.judgement import Judged
from bootlab.analysis.noisy.power import Forecast
from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS, design
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.exact_pair import boot_in_turn, boot_pair
from bootlab.experiments.interleaved import BlockPlan, interleave
from bootlab.history import differences
from bootlab.history.boot_times import TOTAL, Side
from bootlab.history.gate import Difference, OnBoardSide
from bootlab.history.of_recording import side_of
from bootlab.history.on_board import board_side
from bootlab.history.revisions import Origin
from bootlab.history.smallest import smallest_of
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.targets.replay import NotRecordedError
from bootlab.techniques import all_techniques


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides. `total`: the verdict of the sequential test; None where a boot failed, or its time is not known.

    `paired`: boot `i` of both sides was made in the same block. `moved_ns`: how far changes that mean nothing were
    known to move the base's goal. `board`: both by the time of a board. `differences`: of the two systems. `origin`:
    the commits between them. `made`: boots that were made now, and those that were kept from earlier runs; None: not
    counted.
    """

    base: Side
    new: Side
    total: Judged | None = None
    forecast: Forecast | None = None
    paired: bool = False
    moved_ns: int | None = None
    board: OnBoardSide | None = None
    differences: tuple[Difference, ...] = ()
    origin: Origin | None = None
    made: tuple[int, int] | None = None


def against(
    bench: Bench,
    base: SystemDescription,
    new: SystemDescription,
    plan: BlockPlan | None = None,
    *,
    told: Callable[[Forecast], None] | None = None,
    moved_ns: int | None = None,
) -> Against:
    """Boot both. Raise UserError where one is exact and the other is not.

    `moved_ns`: how far changes that mean nothing are known to move the goal of an exact base.
    """
    plan = plan or BlockPlan()
    modes = {base.clock.mode, new.clock.mode}
    if len(modes) > 1:
        raise UserError(
            f"{base.name} and {new.name} are on different clocks (exact and free)",
            hint="set the same clock.mode in both",
        )
    if modes == {"exact"}:
        pair = boot_pair(bench, base, new, smallest_of=_smallest_of(base.name, plan), moved_ns=moved_ns)
        return Against(
            base=side_of(base.name, pair.base, pair.dithers),
            new=side_of(new.name, pair.new, pair.dithers),
            total=pair.judged,
            moved_ns=moved_ns,
            board=board_side(new.costs, pair.board, pair.base, pair.new) if pair.board and new.costs else None,
            differences=_differing(base, new, pair.base, pair.new),
            made=(bench.boots_made, bench.boots_reused),
        )
    found = interleave(
        bench,
        base,
        new,
        plan,
        smallest_of=_smallest_of(base.name, plan),
        told=told or (lambda _: None),
    )
    return Against(
        base=side_of(base.name, found.base),
        new=side_of(new.name, found.new),
        total=found.judged,
        forecast=found.forecast,
        paired=True,
        differences=_differing(base, new, found.base, found.new),
        made=(bench.boots_made, bench.boots_reused),
    )


def against_side(bench: Bench, base: Side, new: SystemDescription, *, smallest_ns: int | None = None) -> Against:
    """Boot an exact system against boots that were made before. It is booted once where they cannot tell more."""
    base_ns = base.distinct_ns(TOTAL)
    smallest = smallest_of(base) if smallest_ns is None else smallest_ns
    if base.exact and new.clock.mode == "exact" and len(base_ns) >= FEWEST_BASE_BOOTS:
        rule = design(len(base_ns))
        bench.phase("gate", rule.most_boots)
        with contextlib.suppress(NotRecordedError):
            pair = boot_in_turn(bench, new, base_ns, rule, smallest_ns=smallest)
            return Against(base=base, new=side_of(new.name, pair.new, pair.dithers), total=pair.judged)
    bench.phase("gate", 1)
    return Against(base=base, new=side_of(new.name, [bench.boot(new, new.name)]))


def _differing(
    base: SystemDescription, new: SystemDescription, base_boots: tuple[Recording, ...], new_boots: tuple[Recording, ...]
) -> tuple[Difference, ...]:
    """Say what differs, from the boots that worked: one that broke off prints less."""
    old, now = ([boot for boot in boots if boot.ok] for boots in (base_boots, new_boots))
    return differences.between(base, new, old, now, all_techniques()) if old and now else ()


def _smallest_of(name: str, plan: BlockPlan) -> Callable[[tuple[Recording, ...]], int]:
    def smallest(boots: tuple[Recording, ...]) -> int:
        return smallest_of(side_of(name, boots)) if plan.smallest_ns is None else plan.smallest_ns

    return smallest
