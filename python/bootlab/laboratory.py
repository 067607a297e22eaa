"""The laboratory: what the command line and scripts call. Boots, tries, stacks; writes results as they come."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Self

import msgspec

from bootlab.analysis.stages import timeline_of
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.tree_check import check_first_program
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench, Observer
from bootlab.experiments.selection import EVERYTHING, Selection
from bootlab.model.change import apply_all
from bootlab.results import assemble
from bootlab.results import file as results_file
from bootlab.store import runs
from bootlab.targets import preflight
from bootlab.targets.choose import target_for
from bootlab.techniques.proof_symbols import proof_symbols

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality
    from bootlab.analysis.sequential_test import Design
    from bootlab.collectors.kernel_tracer import KernelTracer, TracedByKernel
    from bootlab.collectors.processes import ProcessCost
    from bootlab.experiments.base import Base
    from bootlab.experiments.comparison import Experiment
    from bootlab.experiments.lpj import Booted
    from bootlab.experiments.stacked import LeftOut, Stacked, Step
    from bootlab.experiments.traced_boot import Traced
    from bootlab.experiments.trials import Applicability, Tried
    from bootlab.experiments.trim import TrimmedSystem, TrimRequest
    from bootlab.kernelsource.delay_patch import DelayPatch
    from bootlab.model.comparison import Comparison
    from bootlab.model.recording import Diagnosis, Recording
    from bootlab.model.system import System
    from bootlab.model.trim import Trimmed
    from bootlab.model.verdict import Trial
    from bootlab.results.document import Results
    from bootlab.store.handover import HandedOver
    from bootlab.targets.base import Target
    from bootlab.targets.trace_boot import TraceRequest
    from bootlab.techniques.base import Technique


class PhaseObserver(Observer, BuildObserver, Protocol):
    """An observer that is also told of kernels being built, and what part of a run begins with how many boots."""

    def phase(self, name: str, expected_boots: int) -> None:
        """Note the part that begins."""


class Laboratory:
    """Boots on one store. Use as a context manager: leaving it ends every machine that runs."""

    def __init__(
        self,
        store: Path,
        *,
        cache: Path,
        jobs: int | None = None,
        observer: PhaseObserver | None = None,
        target: Target | None = None,
        force: bool = False,
    ) -> None:
        """Keep recordings and runs in `store`, artefacts in `cache`. `force`: boot what cannot work, too."""
        self._store = store
        self._cache = Cache(cache)
        self._jobs = jobs
        self._observer = observer
        self._target = target
        self._force = force
        self._bench: Bench | None = None
        self._alone = False

    def bench(self, system: System) -> Bench:
        """Return the bench, made at the first system (the target depends on it).

        Raise UserError when no boot of that one could work: its first program cannot start, its root cannot be mounted,
        nothing of it is printed.
        """
        if self._bench is None:
            if not self._force:
                check_first_program(system, self._cache)
            target = self._target or target_for(system, self._cache, proof_symbols(), self._observer)
            if not self._force and system.target == "qemu":
                preflight.check(target.plan(system))
            jobs = 1 if system.clock.mode == "free" or self._alone else self._jobs
            self._bench = Bench(target, self._store, jobs=jobs, observer=self._observer)
        return self._bench

    def _exact(self, system: System) -> Bench:
        """Return the bench, once the system was seen to boot alike twice. Raise InexactError."""
        from bootlab.experiments.self_check import require_exact

        bench = self.bench(system)
        require_exact(bench, system)
        return bench

    def close(self) -> None:
        """End every machine."""
        if self._bench is not None:
            self._bench.__exit__(None, None, None)
            self._bench = None

    def __enter__(self) -> Self:
        """Return the laboratory."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every machine."""
        self.close()

    def _phase(self, name: str, expected_boots: int) -> None:
        if self._observer is not None:
            self._observer.phase(name, expected_boots)

    def boot(
        self, system: System, *, diagnostic: bool = False, fresh: bool = False
    ) -> tuple[Recording, Diagnosis | None]:
        """Boot once; with `diagnostic` boot once more with the agent and initcall_debug."""
        bench = self.bench(system)
        self._phase("boot", 2 if diagnostic else 1)
        recording = bench.boot(system, system.name, fresh=_fresh_number(self._store) if fresh else 0)
        if not diagnostic:
            return recording, None
        from bootlab.experiments.base import diagnosis_of

        return recording, diagnosis_of(bench, system, recording, system.name)

    def repeat(self, system: System, times: int) -> tuple[tuple[Recording, ...], Equality]:
        """Boot several times anew and compare byte for byte."""
        from bootlab.analysis.equality import compare_boots

        bench = self.bench(system)
        self._phase("repeat", times)
        first = _fresh_number(self._store)
        futures = [bench.submit(system, f"{system.name} #{n + 1}", fresh=first + n) for n in range(times)]
        recordings = tuple(bench.wait_all(futures))
        plan = bench.target.plan(system)
        return recordings, compare_boots(system, recordings, plan.command, plan.info.config)

    def trace(self, system: System, request: TraceRequest) -> Traced:
        """Boot once for the time and once with every function traced, up to the same goal."""
        from bootlab.experiments.traced_boot import trace_boot

        bench = self.bench(system)
        self._phase("trace", 2)
        return trace_boot(bench, self._cache, system, request)

    def processes(self, system: System) -> tuple[ProcessCost, ...]:
        """Boot once for the time and once with the plugin that counts each process's instructions, up to the goal."""
        from bootlab.experiments.processes import process_costs

        self._phase("processes", 2)
        return process_costs(self.bench(system), self._cache, system)

    def delay_loop(self, system: System, *, anew: bool = False) -> Booted:
        """Boot without a preset; `anew`: with `lpj=0`, which also a compiled-in preset gives way to."""
        from bootlab.experiments import lpj

        self._phase("delay loop", 1)
        bench = self.bench(system)
        return lpj.recalibrated(bench, system) if anew else lpj.base_value(bench, system)

    def compare(self, system: System, experiment: Experiment) -> tuple[runs.Run, Results]:
        """Run a comparison; its results are written after every row."""
        from bootlab.experiments.comparison import Place, compare

        experiment.check(system)
        bench = self._exact(system)
        self._phase(experiment.phase, experiment.boots(system))
        run, started = runs.create(self._store, experiment.kind, system.name), runs.now()

        def save(found: Comparison) -> Results:
            results = assemble.compared(run.id, system, started, found)
            results_file.save(results, run.results)
            return results

        return run, save(compare(experiment, Place(bench, self._cache, system), save))

    def trim(self, system: System, request: TrimRequest | None = None) -> TrimmedSystem:
        """Trim the system's root tree, and prove that it still works."""
        from bootlab.experiments.trim import TrimRequest, trim

        return trim(
            self.bench(system), self._cache, system, request or TrimRequest(), lambda name: self._phase(name, 1)
        )

    def keep_trimmed(self, trimmed: TrimmedSystem, folder: Path | None = None) -> Trimmed:
        """Write a trimmed system as files, into a run's folder or another one. A dry run only gets its list."""
        from bootlab.store.trimmed import keep_trimmed

        where = folder or runs.create(self._store, "trim", trimmed.result.system).folder
        if trimmed.recording is not None:
            plan = self.bench(trimmed.system).target.plan(trimmed.system)
            return keep_trimmed(where, trimmed.result, plan.system, plan)
        return keep_trimmed(where, trimmed.result, trimmed.system, None)

    def trace_by_kernel(self, system: System, tracer: KernelTracer) -> TracedByKernel:
        """Boot once for the time and once with the kernel's own tracer on."""
        from bootlab.experiments.traced_boot import trace_by_kernel

        bench = self.bench(system)
        self._phase("trace", 2)
        return trace_by_kernel(bench, system, tracer)

    def keep_boot(self, system: System, recording: Recording, diagnosis: Diagnosis | None) -> tuple[runs.Run, Results]:
        """Write the results of a single boot as a run."""
        run = runs.create(self._store, "boot", system.name)
        started = runs.now()
        summary = assemble.summary(recording, timeline_of(recording, diagnosis))
        results = assemble.results("boot", run.id, system, started, summary, modelled_for=recording)
        results_file.save(results, run.results)
        return run, results

    def base(self, system: System, *, chosen: tuple[Technique, ...] = (), inexact: bool = False) -> Base:
        """Boot the base twice for its time and once for its diagnosis, and trace it where one of the chosen asks.

        Raise InexactError when two exact boots differ; `inexact`: take them as they are.
        """
        from bootlab.experiments.base import establish
        from bootlab.experiments.self_check import require_exact
        from bootlab.experiments.shared_costs import shared_costs_of

        self._phase("base", 3)
        bench = self.bench(system)
        if not inexact:
            require_exact(bench, system, "base")
        base = establish(bench, system, cache=self._cache)
        if not any(technique.needs_trace for technique in chosen):
            return base
        self._phase("trace", 1)
        return msgspec.structs.replace(base, shared_costs=shared_costs_of(bench, self._cache, system))

    def applicability(self, system: System, chosen: tuple[Technique, ...]) -> tuple[Base, list[Applicability]]:
        """Say which techniques apply to a system (boots its base and a diagnosis; tries nothing)."""
        from bootlab.experiments.trials import proposals

        base = self.base(system, chosen=chosen)
        said, _ = proposals(base, chosen)
        return base, said

    def try_(
        self,
        system: System,
        selection: Selection = EVERYTHING,
        *,
        blocks: int = 7,
        seed: int = 1,
        inexact: bool = False,
    ) -> tuple[runs.Run, Results]:
        """Try techniques one by one: the named ones (forced where they say no), or all that apply.

        `inexact`: an exact system that does not boot alike twice is compared as on the host's clock. `blocks`, `seed`:
        for that and for free mode.
        """
        chosen = selection.techniques()
        return self._try(system, chosen, forced=selection.forced, blocks=blocks, seed=seed, inexact=inexact)

    def try_delay(self, system: System, patch: DelayPatch) -> tuple[runs.Run, Results]:
        """Try a patched delay as a technique of its own."""
        from bootlab.experiments.delay import DelayPatched

        technique = DelayPatched(patch)
        return self._try(system, (technique,), forced=True, blocks=7, seed=1, reproduce=technique.command(system))

    def _try(
        self,
        system: System,
        chosen: tuple[Technique, ...],
        *,
        forced: bool,
        blocks: int,
        seed: int,
        reproduce: str = "",
        inexact: bool = False,
    ) -> tuple[runs.Run, Results]:
        from bootlab.analysis.sequential_test import cheapest
        from bootlab.experiments.trials import proposals

        # What follows the host's clock must not share the machine with another boot.
        self._alone = inexact
        run = runs.create(self._store, "try", system.name)
        report = _Report(run, system, "try", runs.now(), chosen, reproduce=reproduce)
        base = self.base(system, chosen=chosen, inexact=inexact)
        report.base(base)
        if inexact or system.clock.mode == "free":
            tried = self._free_trials(base, chosen, report, forced=forced, blocks=blocks, seed=seed)
        else:
            _, pairs = proposals(base, chosen, forced=forced)
            base = self._dithered(base, cheapest(len(pairs)), report)
            tried = self._trials(base, chosen, report, forced=forced)
        report.tried(tried)
        return run, report.save()

    def stack(self, system: System, selection: Selection = EVERYTHING) -> tuple[runs.Run, Results]:
        """Try, then stack the winners and test each by leaving it out."""
        from bootlab.analysis.sequential_test import cheapest
        from bootlab.experiments.base import diagnosis_of
        from bootlab.experiments.stack import Stacker
        from bootlab.experiments.trials import proposals
        from bootlab.store.handover import hand_over

        if system.clock.mode != "exact":
            raise UserError(
                'stack needs clock.mode = "exact": on the host\'s clock each step would take dozens of boots',
                hint="stack in exact mode, then prove the result on hardware with `bootlab try`",
            )
        chosen = selection.techniques()
        run = runs.create(self._store, "stack", system.name)
        report = _Report(run, system, "stack", runs.now(), chosen)
        base = self.base(system, chosen=chosen)
        report.base(base)
        _, pairs = proposals(base, chosen, forced=selection.forced)
        # Each of them once alone, once on the stack and once left out.
        base = self._dithered(base, cheapest(3 * len(pairs)), report)
        tried = self._trials(base, chosen, report, forced=selection.forced)
        report.tried(tried)
        bench = self.bench(system)
        stacker = Stacker(bench, base, chosen, barred=selection.why_not_stacked, sink=report.step)
        self._phase("stack", stacker.expected_boots(tried.trials))
        stacked = stacker.run(tried.trials)
        self._phase("proof of the stack", 1)
        final_system = apply_all(system, stacked.changes)
        diagnosis = diagnosis_of(bench, final_system, stacked.recording, "stacked")
        plan = bench.target.plan(final_system)
        faster = hand_over(run.folder, plan.system, plan)
        report.stacked(stacked, diagnosis, faster)
        return run, report.save()

    def _dithered(self, base: Base, rule: Design, report: _Report) -> Base:
        from bootlab.experiments.base import with_dithers

        self._phase("base under dithers", rule.base_boots)
        base = with_dithers(self.bench(base.system), base, rule)
        report.base(base)
        return base

    def _trials(self, base: Base, chosen: tuple[Technique, ...], report: _Report, *, forced: bool) -> Tried:
        from bootlab.experiments.trials import proposals, try_all

        _, pairs = proposals(base, chosen, forced=forced)
        self._phase("try", len(pairs))
        return try_all(self.bench(base.system), base, chosen, forced=forced, sink=report.trial)

    def _free_trials(
        self, base: Base, chosen: tuple[Technique, ...], report: _Report, *, forced: bool, blocks: int, seed: int
    ) -> Tried:
        from bootlab.experiments.trials import proposals, try_all_free

        _, pairs = proposals(base, chosen, forced=forced)
        self._phase("try", (len(pairs) + 1) * blocks)
        bench = self.bench(base.system)
        return try_all_free(bench, base, chosen, blocks=blocks, seed=seed, forced=forced, sink=report.trial)


class _Report:
    """Results that grow: saved after each trial and each step, so that a run cut off shows what it had."""

    def __init__(
        self,
        run: runs.Run,
        system: System,
        kind: Literal["try", "stack"],
        started: str,
        chosen: tuple[Technique, ...],
        *,
        reproduce: str = "",
    ) -> None:
        self._run = run
        self._reproduce = reproduce
        self._system = system
        self._kind = kind
        self._started = started
        self._chosen = chosen
        self._results: Results | None = None
        self._steps: list[Step] = []
        self._left: list[LeftOut] = []
        self._notes: tuple[str, ...] = ()

    def base(self, base: Base) -> None:
        summary = assemble.base_summary(base)
        results = assemble.results(
            self._kind, self._run.id, self._system, self._started, summary, modelled_for=base.recording
        )
        self._notes = assemble.notes(base)
        if self._reproduce:
            results = msgspec.structs.replace(results, reproduce=(self._reproduce,))
        self._results = msgspec.structs.replace(results, notes=self._notes)
        self.save()

    def trial(self, trial: Trial) -> None:
        results = self._open
        self._results = msgspec.structs.replace(results, trials=(*results.trials, trial))
        self.save()

    def tried(self, tried: Tried) -> None:
        said = assemble.applicability(tried.applicability, self._chosen)
        self._results = msgspec.structs.replace(self._open, trials=tried.trials, techniques=said)
        self.save()

    def step(self, step: Step | LeftOut) -> None:
        from bootlab.experiments.stacked import Step

        if isinstance(step, Step):
            self._steps.append(step)
        else:
            self._left.append(step)
        self._results = msgspec.structs.replace(
            self._open,
            notes=(
                *self._notes,
                f"unfinished: {len(self._steps)} steps stacked, {len(self._left)} left out in turn",
            ),
        )
        self.save()

    def stacked(self, stacked: Stacked, diagnosis: Diagnosis | None, faster: HandedOver) -> None:
        self._results = msgspec.structs.replace(
            assemble.with_stack(self._open, stacked, diagnosis, faster), notes=self._notes
        )

    @property
    def _open(self) -> Results:
        if self._results is None:
            raise UserError("the run has no base yet")
        return self._results

    def save(self) -> Results:
        self._results = msgspec.structs.replace(self._open, finished=runs.now())
        results_file.save(self._results, self._run.results)
        return self._results


def _fresh_number(store: Path) -> int:
    """Return a number no kept boot carries, so that a boot is made anew."""
    taken = [int(p.name.rsplit("-", 1)[1]) for p in (store / "boots").glob("*-*") if p.name.rsplit("-", 1)[1].isdigit()]
    return max(taken, default=0) + 1
