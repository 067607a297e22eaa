# SPDX-License-Identifier: MIT
"""Kept exact boots against each other by the time of a board."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.analysis.board_amounts import amounts_of
from bootlab.analysis.exact_boots import judge_exact
from bootlab.analysis.noisy.judgement import Judged
from bootlab.costs.named import costs_of, known_on
from bootlab.costs.prices import turning_points
from bootlab.errors import UserError
from bootlab.experiments.on_board import at_both, ends_of
from bootlab.history.boot_times import Side
from bootlab.history.gate import BOARD, GateComparison, OnBoardSide, smallest_of
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Recording
from bootlab.model.sample import goals_ns
from bootlab.model.verdict import Verdict
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
    rows: list[tuple[Judged, tuple[int, ...], tuple[int, ...]]] = []
    for end in ends_of(costs, old[0], made[0]):
        goals = goals_ns(end.seen(old)), goals_ns(end.seen(made))
        rows.append((judge_exact(*goals, smallest_ns=smallest), *goals))
    saved = [judged.saved_ns for judged, _, _ in rows]
    worst, base_ns, new_ns = rows[0]
    judged = msgspec.structs.replace(
        worst,
        verdict=_verdict(tuple(one.verdict for one, _, _ in rows), saved, smallest),
        not_slower=all(one.not_slower for one, _, _ in rows),
    )
    return OnBoardSide(
        costs=costs,
        row=GateComparison(name=BOARD, judged=judged, base_ns=base_ns, new_ns=new_ns),
        saved_ns=(min(saved), max(saved)),
        turns=turning_points(costs, amounts_of(old[0]), amounts_of(made[0])),
    )


def _verdict(verdicts: tuple[Verdict, ...], saved: list[int], smallest_ns: int) -> Verdict:
    """Where one end gains and the other loses it depends on the board, however few the boots are."""
    turns = min(saved) < -smallest_ns and max(saved) > smallest_ns
    return Verdict.DEPENDS if turns else at_both(verdicts)


def _recordings(side: Side) -> tuple[Recording, ...]:
    found = []
    for boot in side.boots:
        if not boot.exact or not boot.path or not boot.ok:
            raise UserError(f"{side.name}: a board's costs are counted from recordings of exact boots", hint=_HINT)
        found.append(recording_dir.load(Path(boot.path)))
    if not found:
        raise UserError(f"{side.name}: there is no boot to judge", hint=_HINT)
    return tuple(found)
