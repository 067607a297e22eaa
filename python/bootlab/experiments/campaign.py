"""The two campaigns over techniques: try each alone, and stack the winners. What is found is told as it comes."""

from __future__ import annotations

from typing import Protocol

import msgspec

from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
from bootlab.errors import UserError
from bootlab.experiments.base import Base, diagnosis_of, establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.other_quanta import BASE, STACKED, goals_at_other_quanta, winning_systems
from bootlab.experiments.selection import Selection
from bootlab.experiments.self_check import require_exact
from bootlab.experiments.shared_costs import begin_shared_costs, shared_costs_of
from bootlab.experiments.stack import Stacker
from bootlab.experiments.stacked import LeftOut, Stacked, Step
from bootlab.experiments.trials import Applicability, Tried, proposals, require_buildable, try_all, try_all_free
from bootlab.model.change import apply_all
from bootlab.model.processors import QuantumGoal
from bootlab.model.recording import Diagnosis
from bootlab.model.system import System
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

    def step(self, step: Step | LeftOut) -> None:
        """Note a step of the stack."""

    def quanta(self, goals: tuple[QuantumGoal, ...]) -> None:
        """Note the goals with other quanta (several processors)."""


class Blocks(msgspec.Struct, frozen=True, kw_only=True):
    """Boots on the host's clock: how often base and variants are booted, and the seed of their order."""

    count: int = 7
    seed: int = 1


def applicability(bench: Bench, system: System, chosen: tuple[Technique, ...]) -> tuple[Applicability, ...]:
    """Say which techniques apply to a system: boots its base and a diagnosis, tries nothing."""
    said, _ = proposals(base_of(bench, system, chosen), chosen)
    return tuple(said)


def try_each(
    bench: Bench,
    system: System,
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


def stack(
    bench: Bench, system: System, selection: Selection, journal: Journal
) -> tuple[Stacked, System, Diagnosis | None]:
    """Try, stack the winners, test each by leaving it out. Return how it went, the stacked system, its diagnosis.

    Raise UserError in free mode.
    """
    if system.clock.mode != "exact":
        raise UserError(
            'stack needs clock.mode = "exact": on the host\'s clock each step would take dozens of boots',
            hint="stack in exact mode, then prove the result on hardware with `bootlab try`",
        )
    chosen = selection.techniques()
    base = base_of(bench, system, chosen, dithers=FEWEST_BASE_BOOTS)
    journal.base(base)
    # Each of them is compared once alone, once on the stack and once left out.
    tried = try_all(bench, base, chosen, forced=selection.forced, uses=3, on_base=journal.base, sink=journal.trial)
    journal.tried(tried)
    stacker = Stacker(bench, tried.base, chosen, barred=selection.why_not_stacked, sink=journal.step)
    bench.phase("stack", stacker.expected_boots(tried.trials))
    stacked = stacker.run(tried.trials)
    final = apply_all(system, stacked.changes)
    systems = ((BASE, system), (STACKED, final))
    journal.quanta(goals_at_other_quanta(bench, base.recording.meta.processors, systems))
    bench.phase("proof of the stack")
    return stacked, final, diagnosis_of(bench, final, stacked.recording, "stacked")


def base_of(
    bench: Bench, system: System, chosen: tuple[Technique, ...], *, inexact: bool = False, dithers: int = 0
) -> Base:
    """Boot the base twice for its time and once for its diagnosis, and trace it where one of the chosen asks.

    `dithers`: so many of its boots under dithers are begun beside the diagnosis.
    """
    bench.phase("base", 3 + max(dithers - 1, 0))
    if not inexact:
        require_exact(bench, system, "base")
    tracing = any(technique.needs_trace for technique in chosen)
    if tracing and system.clock.mode == "exact":
        begin_shared_costs(bench, system, bench.boot(system, "base"))
    base = establish(bench, system, dithers=dithers)
    if not tracing:
        return base
    bench.phase("trace")
    return msgspec.structs.replace(base, shared_costs=shared_costs_of(bench, system))
