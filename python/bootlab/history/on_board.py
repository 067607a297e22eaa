# SPDX-License-Identifier: MIT
"""Kept exact boots against each other by the time of a board."""

from __future__ import annotations

from pathlib import Path

from bootlab.analysis.board_amounts import amounts_of
from bootlab.analysis.exact_boots import judge_exact
from bootlab.costs.named import costs_of, known_on
from bootlab.costs.prices import turning_points
from bootlab.errors import UserError
from bootlab.experiments.on_board import BoardPair, End, JudgedEnd, middle_between, pair_on_board
from bootlab.history.boot_times import Side
from bootlab.history.gate import BOARD, GateComparison, ModelledSides, OnBoardSide
from bootlab.history.smallest import smallest_of
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import Costs
from bootlab.model.recording import Recording
from bootlab.model.sample import goals_ns
from bootlab.recordings import recording_dir

_HINT = "bootlab compare RECORDING RECORDING --costs sd-card-20MB,115200"


def on_board(given: str, base: Side, new: Side, *, smallest_ns: int | None = None) -> OnBoardSide:
    """Judge both sides by the board's time. Raise UserError for boots that are no recordings of exact mode."""
    costs = costs_of(given)
    old, made = _recordings(base), _recordings(new)
    if costs.modelled:
        raise UserError(
            f"the time of {costs.modelled} is modelled in a boot, and nothing is booted here",
            hint="`bootlab boot SYSTEM.toml --costing CORE` tells the time of an instruction: --costs 1.1-1.6ns",
        )
    costs = known_on(costs, CommandLine.parse(old[0].meta.cmdline))
    smallest = smallest_of(base) if smallest_ns is None else smallest_ns

    def judge_end(end: End) -> JudgedEnd:
        goals = goals_ns(end.seen(old)), goals_ns(end.seen(made))
        return JudgedEnd(judged=judge_exact(*goals, smallest_ns=smallest), base_ns=goals[0], new_ns=goals[1])

    # Where one end gains and the other loses it depends on the board, however few the boots are.
    pair = pair_on_board(costs, old[0], made[0], judge_end, turns_beyond_ns=smallest)
    return board_side(costs, pair, old, made)


def board_side(costs: Costs, pair: BoardPair, base: tuple[Recording, ...], new: tuple[Recording, ...]) -> OnBoardSide:
    """Return a gate's row of the board: both sides with both ends, and from where on the new one pays."""
    sides = ModelledSides(
        base_ns=middle_between(costs, base), new_ns=middle_between(costs, new), saved_ns=pair.saved_ns
    )
    return OnBoardSide(
        costs=costs,
        row=GateComparison(name=BOARD, judged=pair.judged, base_ns=pair.base_ns, new_ns=pair.new_ns, modelled=sides),
        turns=turning_points(costs, amounts_of(base[0]), amounts_of(new[0])),
    )


def _recordings(side: Side) -> tuple[Recording, ...]:
    found = []
    for boot in side.boots:
        if not boot.exact or not boot.path or not boot.ok:
            raise UserError(f"{side.name}: a board's costs are counted from recordings of exact boots", hint=_HINT)
        found.append(recording_dir.load(Path(boot.path)))
    if not found:
        raise UserError(f"{side.name}: there is no boot to judge", hint=_HINT)
    return tuple(found)
