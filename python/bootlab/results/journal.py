# SPDX-License-Identifier: MIT
"""Writes the results of a run as they come: after each trial, each step, each row. A run cut off shows what it had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from bootlab.errors import UserError
from bootlab.experiments.stacked import Stacked, StackStep
from bootlab.model.change import apply_all
from bootlab.model.comparison import Comparison
from bootlab.model.costing import Costing
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.processors import QuantumGoal
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Trial
from bootlab.results import assemble
from bootlab.results import file as results_file
from bootlab.results.document import RunDocument
from bootlab.store import runs

if TYPE_CHECKING:
    from bootlab.experiments.base import Base
    from bootlab.experiments.trials import Tried
    from bootlab.store.handover import HandedOver
    from bootlab.techniques.base import Technique


def keep_boot(
    store: Path,
    system: SystemDescription,
    recording: Recording,
    diagnosis: Diagnosis | None,
    costing: Costing | None = None,
) -> tuple[runs.Run, RunDocument]:
    """Write the results of a single boot as a run."""
    run, started = runs.create(store, "boot", system.name), runs.now()
    summary = assemble.summary(recording, diagnosis, system)
    results = assemble.results("boot", run.id, system, started, summary, modelled_for=recording)
    results = msgspec.structs.replace(results, costing=costing)
    results_file.save(results, run.results)
    return run, results


class ComparisonJournal:
    """A run of a comparison, whose rows are written as they come."""

    def __init__(self, store: Path, system: SystemDescription, kind: str) -> None:
        """Begin a run."""
        self.run = runs.create(store, kind, system.name)
        self._system = system
        self._started = runs.now()

    def write(self, found: Comparison) -> RunDocument:
        """Write the comparison as far as it has come."""
        results = assemble.compared(self.run.id, self._system, self._started, found)
        results_file.save(results, self.run.results)
        return results


CampaignKind = Literal["try", "stack", "optimize", "compare"]


class CampaignJournal:
    """A run that tries techniques, whose trials and steps are written as they come."""

    def __init__(
        self,
        store: Path,
        system: SystemDescription,
        kind: CampaignKind,
        chosen: tuple[Technique, ...],
        *,
        reproduce: str = "",
        run: runs.Run | None = None,
        table: Callable[[RunDocument], Comparison] | None = None,
    ) -> None:
        """Begin a run, or go on in `run`.

        `reproduce`: the command that makes it again, where that is not `bootlab KIND SYSTEM.toml`. `table`: makes the
        table of a comparison (kind `compare`) out of the trials so far.
        """
        self.run = run or runs.create(store, kind, system.name)
        self._system = system
        self._kind: CampaignKind = kind
        self._chosen = chosen
        self._table = table
        self._reproduce = reproduce
        self._started = runs.now()
        self._results: RunDocument | None = None
        self._notes: tuple[str, ...] = ()
        self._steps = 0
        self._left_out = 0

    @property
    def results(self) -> RunDocument:
        """What stands in the run's file. Raise UserError before there is a base."""
        if self._results is None:
            raise UserError(
                f"{self.run.id} has no base yet", hint="run `bootlab boot` on the system and see what it says"
            )
        return self._results

    def base(self, base: Base) -> None:
        """Begin the document."""
        summary = assemble.base_summary(base)
        results = assemble.results(
            self._kind, self.run.id, self._system, self._started, summary, modelled_for=base.recording
        )
        self._notes = assemble.notes(base)
        if self._reproduce:
            results = msgspec.structs.replace(results, reproduce=(self._reproduce,))
        self._save(msgspec.structs.replace(results, notes=self._notes))

    def trial(self, trial: Trial) -> None:
        """Add a trial."""
        base = assemble.with_samples(self.results.base, (trial,))
        self._save(msgspec.structs.replace(self.results, base=base, trials=(*self.results.trials, trial)))

    def tried(self, tried: Tried) -> None:
        """Put the trials in their order, and add what each technique said."""
        answers = assemble.applicability(tried.applicability, self._chosen)
        if tried.failed_base:
            self._notes = (*self._notes, assemble.failed_base_note(tried.failed_base))
        self._save(msgspec.structs.replace(self.results, trials=tried.trials, techniques=answers, notes=self._notes))

    def step(self, step: StackStep | LeaveOneOut) -> None:
        """Note how far stacking has come."""
        if isinstance(step, StackStep):
            self._steps += 1
        else:
            self._left_out += 1
        unfinished = f"unfinished: {self._steps} steps stacked, {self._left_out} left out in turn"
        self._save(msgspec.structs.replace(self.results, notes=(*self._notes, unfinished)))

    def quanta(self, goals: tuple[QuantumGoal, ...]) -> None:
        """Add the goals with other quanta, and say whose gain turns."""
        if not goals:
            return
        self._notes = (*self._notes, *assemble.quantum_notes(goals, self.results.processors))
        self._save(msgspec.structs.replace(self.results, quanta=goals, notes=self._notes))

    def stacked(self, stacked: Stacked, diagnosis: Diagnosis | None, faster: HandedOver, *, ended: str = "") -> None:
        """Add the stack. `ended`: why it was cut short."""
        final = apply_all(self._system, stacked.changes)
        results = assemble.with_stack(self.results, stacked, diagnosis, faster, final)
        notes = self._notes
        if stacked.hold is not None:
            wait = f"between “{stacked.hold.after}” and “{stacked.hold.before}”"
            held = f"the goal waits for the clock {wait}: steps were compared, and are timed, where that wait begins"
            notes = (*notes, held)
        notes = (*notes, *assemble.ended_notes(ended, stacked))
        if failed := assemble.failed_stack_note(stacked):
            notes = (*notes, failed)
        self._save(msgspec.structs.replace(results, notes=notes))

    def _save(self, results: RunDocument) -> None:
        comparison = self._table(results) if self._table is not None else None
        self._results = msgspec.structs.replace(results, finished=runs.now(), comparison=comparison)
        results_file.save(self._results, self.run.results)
