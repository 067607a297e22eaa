# SPDX-License-Identifier: MIT
"""The two campaigns over techniques: try each alone, and stack the winners. What is found is told as it comes."""

from __future__ import annotations

from typing import Protocol

import msgspec

from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
from bootlab.collectors.diagnosis import require_agent
from bootlab.errors import UserError
from bootlab.experiments.base import Base, diagnosis_of, establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.closer_look import with_messages
from bootlab.experiments.ending import Tries
from bootlab.experiments.other_quanta import BASE, STACKED, goals_at_other_quanta, winning_systems
from bootlab.experiments.patience import CutShort
from bootlab.experiments.selection import Selection
from bootlab.experiments.self_check import require_exact
from bootlab.experiments.shared_costs import begin_shared_costs, shared_costs_of
from bootlab.experiments.stack import Stacker
from bootlab.experiments.stacked import Stacked, StackStep
from bootlab.experiments.trials import (
    Applicability,
    Tried,
    proposals,
    require_buildable,
    require_tools,
    try_all,
    try_all_free,
    winners,
)
from bootlab.model.change import apply_all
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.processors import QuantumGoal
from bootlab.model.recording import Diagnosis
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Trial
from bootlab.techniques.base import Technique


class Journal(Protocol):
    """Told what a campaign finds, so that a run that is cut off shows what it had."""

    def base(self, base: Base) -> None:
        """Note the base; again when its boots under dithers are there."""

    def trial(self, trial: Trial) -> None:
        """Note a variant that was judged."""

    def tried(self, tried: Tried) -> None:
        """Note all trials in their order, and what each technique said."""

    def step(self, step: StackStep | LeaveOneOut) -> None:
        """Note a step of the stack."""

    def quanta(self, goals: tuple[QuantumGoal, ...]) -> None:
        """Note the goals with other quanta (several processors)."""


class Blocks(msgspec.Struct, frozen=True, kw_only=True):
    """Boots on the host's clock: how often base and variants are booted, and the seed of their order."""

    count: int = 7
    seed: int = 1


def applicability(bench: Bench, system: SystemDescription, chosen: tuple[Technique, ...]) -> tuple[Applicability, ...]:
    """Say which techniques apply to a system: boots its base and a diagnosis, tries nothing."""
    said, _ = proposals(base_of(bench, system, chosen), chosen)
    return tuple(said)


def try_each(
    bench: Bench,
    system: SystemDescription,
    chosen: tuple[Technique, ...],
    journal: Journal,
    *,
    forced: bool = False,
    blocks: Blocks | None = None,
) -> None:
    """Boot a system with and without each technique. `forced`: also where a technique says that it does not apply.

    `blocks`: compare on the host's clock, which free mode needs. Raise InexactError when an exact system does not boot
    alike twice, unless `blocks` are given.
    """
    if forced:
        require_buildable(system, chosen)
        require_tools(system, chosen)
    base = base_of(bench, system, chosen, inexact=blocks is not None, dithers=0 if blocks else FEWEST_BASE_BOOTS)
    journal.base(base)
    if blocks is None:
        tried = try_all(bench, base, chosen, forced=forced, on_base=journal.base, sink=journal.trial)
    else:
        tried = try_all_free(
            bench, base, chosen, blocks=blocks.count, seed=blocks.seed, forced=forced, sink=journal.trial
        )
    journal.tried(tried)
    if blocks is None:
        systems = winning_systems(system, tried.trials)
        journal.quanta(goals_at_other_quanta(bench, base.recording.meta.processors, systems))


class Stack(msgspec.Struct, frozen=True, kw_only=True):
    """What stacking came to. `ended`: why it was cut short; then nothing but what was proved by then is in it."""

    stacked: Stacked
    system: SystemDescription
    diagnosis: Diagnosis | None = None
    ended: str = ""


def stack(bench: Bench, system: SystemDescription, selection: Selection, journal: Journal) -> Stack:
    """Try, stack the winners, test each by leaving it out. Ctrl-C ends it with what is proved so far.

    Raise UserError in free mode, Stopped where Ctrl-C came before anything was proved.
    """
    if system.clock.mode != "exact":
        raise UserError(
            'stack needs clock.mode = "exact": on the host\'s clock each step would take dozens of boots',
            hint="stack in exact mode, then prove the result on hardware with `bootlab try`",
        )
    tries = Tries(bench, None)
    stacking = _Stacking(bench, system, selection, journal)
    with tries.ended_by_ctrl_c():
        try:
            with bench.patience.until(lambda: tries.asked_now):
                return stacking.run()
        except CutShort as cut:
            if (proved := stacking.proved()) is None:
                raise tries.stopped() from None
            return Stack(stacked=proved, system=apply_all(system, proved.changes), ended=str(cut))


class _Stacking:
    """One run of `stack`, which knows at any moment what is proved."""

    def __init__(self, bench: Bench, system: SystemDescription, selection: Selection, journal: Journal) -> None:
        self._bench, self._system, self._selection, self._journal = bench, system, selection, journal
        self._chosen = selection.techniques()
        self._base: Base | None = None
        self._trials: list[Trial] = []
        self._stacker: Stacker | None = None
        self._left_out: list[LeaveOneOut] = []
        self._stacked: Stacked | None = None

    def run(self) -> Stack:
        """Do all of it."""
        bench, journal = self._bench, self._journal
        if self._selection.forced:
            require_tools(self._system, self._chosen)
        base = base_of(bench, self._system, self._chosen, dithers=FEWEST_BASE_BOOTS)
        self._on_base(base)
        # Each of them is compared once alone, once on the stack and once left out.
        tried = try_all(
            bench,
            base,
            self._chosen,
            forced=self._selection.forced,
            uses=3,
            on_base=self._on_base,
            sink=self._on_trial,
        )
        journal.tried(tried)
        self._stacker = self._new_stacker(tried.base)
        bench.phase("stack", self._stacker.expected_boots(tried.trials))
        self._stacked = stacked = self._stacker.run(tried.trials)
        final = apply_all(self._system, stacked.changes)
        systems = ((BASE, self._system), (STACKED, final))
        journal.quanta(goals_at_other_quanta(bench, base.recording.meta.processors, systems))
        bench.phase("proof of the stack")
        diagnosis = diagnosis_of(bench, final, stacked.recording, "stacked")
        return Stack(stacked=stacked, system=final, diagnosis=diagnosis)

    def proved(self) -> Stacked | None:
        """Return what stands now: the stack, or before there is one the best of the trials; None of neither."""
        if self._stacked is not None:
            return self._stacked
        stacker = self._stacker
        if stacker is None or not stacker.changes:
            stacker = self._best_alone()
        if stacker is None or not stacker.changes:
            return None
        return stacker.finished([row for row in self._left_out if row.kept], waiting=False)

    def _best_alone(self) -> Stacker | None:
        """Return a stack of the change that saves most by itself: its own boots are made, and prove it."""
        if self._base is None or self._base.rule is None:
            return None
        stacker = self._new_stacker(self._base)
        barred = {one.id for one in self._chosen if self._selection.why_not_stacked(one)}
        for trial in winners(tuple(self._trials)):
            if trial.change.technique not in barred and not stacker.changes:
                stacker.offer((trial.change,), "greedy")
        return stacker

    def _new_stacker(self, base: Base) -> Stacker:
        return Stacker(self._bench, base, self._chosen, barred=self._selection.why_not_stacked, sink=self._on_step)

    def _on_base(self, base: Base) -> None:
        self._base = base
        self._journal.base(base)

    def _on_trial(self, trial: Trial) -> None:
        self._trials.append(trial)
        self._journal.trial(trial)

    def _on_step(self, step: StackStep | LeaveOneOut) -> None:
        if isinstance(step, LeaveOneOut):
            self._left_out.append(step)
        self._journal.step(step)


def base_of(
    bench: Bench, system: SystemDescription, chosen: tuple[Technique, ...], *, inexact: bool = False, dithers: int = 0
) -> Base:
    """Boot the base twice for its time and once for its diagnosis, and trace it where one of the chosen asks.

    `dithers`: so many of its boots under dithers are begun beside the diagnosis.
    """
    require_agent(system)
    bench.phase("base", 3 + max(dithers - 1, 0))
    if not inexact:
        require_exact(bench, system, "base")
    tracing = any(technique.needs_trace for technique in chosen)
    if tracing and system.clock.mode == "exact":
        begin_shared_costs(bench, system, bench.boot(system, "base"))
    base = with_messages(bench, establish(bench, system, dithers=dithers))
    if not tracing:
        return base
    bench.phase("trace")
    return msgspec.structs.replace(base, shared_costs=shared_costs_of(bench, system))
