# SPDX-License-Identifier: MIT
"""A system as an object: everything that bootlab does with one. The verbs of the command line call nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bootlab.api.again import command_again
from bootlab.api.boot import Boot
from bootlab.api.kernel_builds import KernelBuilds
from bootlab.api.results import Results
from bootlab.api.store_folder import default_store
from bootlab.api.traced_boots import TracedBoots
from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench, Observer, bench_for
from bootlab.experiments.selection import Selection
from bootlab.model.change import Change, apply_all
from bootlab.model.modelled import DEFAULT_BANDWIDTH
from bootlab.store import runs
from bootlab.systemfile.costs import load_with
from bootlab.targets.choose import target_for

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality
    from bootlab.builders.tree_check import TreeFault
    from bootlab.experiments.campaign import Blocks
    from bootlab.experiments.comparison import Experiment
    from bootlab.experiments.optimize.planning import Wishes
    from bootlab.experiments.trials import Applicability
    from bootlab.experiments.trim import TrimRequest
    from bootlab.kernelsource.delay_patch import DelayPatch
    from bootlab.launch.boot_plan import BootPlan
    from bootlab.launch.target import Target
    from bootlab.model.comparison import Comparison
    from bootlab.model.costing import Costing
    from bootlab.model.plan import Plan
    from bootlab.model.recording import Diagnosis, Recording
    from bootlab.model.system import SystemDescription
    from bootlab.model.trim import Trimmed
    from bootlab.results.document import RunDocument as ResultsValue
    from bootlab.techniques.base import Technique


class System(KernelBuilds, TracedBoots):
    """A system that can be booted. Never edited: `changed` returns another one."""

    def __init__(
        self,
        value: SystemDescription,
        *,
        store: Path | str | None = None,
        cache: Path | str | None = None,
        jobs: int | None = None,
        observer: Observer | None = None,
        target: Target | None = None,
        scheduler: str | None = None,
        share: str | None = None,
    ) -> None:
        """Boot `value`. Recordings and runs go to `store`, artefacts to `cache` (default: the user's cache folder).

        `jobs`: machines at a time (default: one a core, at most 4). `observer` is told what is booted. `target` boots
        it instead of the one that the system names; `scheduler`: the workers of a dask scheduler do
        (`tcp://HOST:8786`, or `file:PATH` of its file); `share`: the URL over which they share files.
        """
        self.value = value
        self.store = default_store() if store is None else Path(store)
        self._cache = Path(cache) if cache is not None else default_folder()
        self._jobs = jobs
        self._observer = observer
        self._target = target
        self._scheduler = scheduler
        self._share = share

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        store: Path | str | None = None,
        cache: Path | str | None = None,
        jobs: int | None = None,
        observer: Observer | None = None,
        scheduler: str | None = None,
        share: str | None = None,
        costs: str | None = None,
    ) -> Self:
        """Read a system file. `costs`: of a board, instead of its own. Raise SystemFileError, which names the key."""
        value = load_with(Path(path), costs)
        return cls(value, store=store, cache=cache, jobs=jobs, observer=observer, scheduler=scheduler, share=share)

    def __repr__(self) -> str:
        """Name it."""
        return f"<bootlab.System {self.name}>"

    @property
    def name(self) -> str:
        """The name that its file gives it."""
        return self.value.name

    @property
    def cmdline(self) -> str:
        """The kernel's command line as the file has it."""
        return str(self.value.cmdline)

    def changed(self, *changes: Change) -> Self:
        """Return this system with changes applied in order."""
        return self.like(apply_all(self.value, changes))

    def like(self, value: SystemDescription) -> Self:
        """Return another system on the same store and cache."""
        other = copy.copy(self)
        other.value = value
        return other

    @contextmanager
    def bench(self, *, jobs: int | None = None, force: bool = False) -> Iterator[Bench]:
        """Open the bench that boots this system, for functions of `bootlab.experiments`. Leaving it ends every machine.

        Raise UserError when no boot could work; `force`: boot all the same.
        """
        with bench_for(
            self.value,
            self.store,
            Cache(self._cache),
            target=self._target,
            jobs=jobs or self._jobs,
            observer=self._observer,
            force=force,
            scheduler=self._scheduler,
            share=self._share,
        ) as bench:
            if self.value.costs is not None and self.value.costs.modelled:
                from bootlab.experiments.costing import with_core

                self.value = with_core(bench, self.value)
            yield bench

    def plan(self) -> BootPlan:
        """Build what is needed and say what would be booted: the emulator's command, the recording's key."""
        return (self._target or target_for(self.value, Cache(self._cache), builds=self._observer)).plan(self.value)

    def boot(self, *, diagnostic: bool = False, fresh: bool = False, force: bool = False) -> Boot:
        """Boot to the goal or to failure, which is a result too: look at `ok`. Equal exact systems boot only once.

        `diagnostic`: boot once more with `initcall_debug` and the agent inside. `fresh`: boot even when a recording
        of this very system is kept; `force`: when the first program cannot start. Raise BootlabError if there is none.

        >>> import bootlab
        >>> boot = bootlab.System.load("tests/replay/system.toml", store=store).boot(diagnostic=True)
        >>> boot
        <bootlab.Boot goal 3139.553 ms on the virtual clock>
        >>> [stage.name for stage in boot.stages][:3], [stage.name for stage in boot.stages][-2:]
        (['firmware', 'kernel set-up', 'decompression'], ['RC scripts', 'application'])
        >>> max(boot.diagnosis.initcalls, key=lambda call: call.duration_ns).name
        'crypto_algapi_init'
        """
        diagnosis = None
        with self.bench(force=force) as bench:
            bench.phase("boot", 2 if diagnostic else 1)
            recording = bench.boot(self.value, self.name, fresh=bench.fresh_number() if fresh else 0)
            if diagnostic:
                from bootlab.experiments.base import diagnosis_of

                diagnosis = diagnosis_of(bench, self.value, recording, self.name)
        return self._kept(recording, diagnosis)

    def repeat(self, times: int, *, force: bool = False) -> tuple[Boot, Equality]:
        """Boot several times anew. Return the first boot, and whether the others equal it (and why not).

        `force`: also what cannot work.
        """
        recordings, equality = self.repeat_recordings(times, force=force)
        return self._kept(recordings[0], None), equality

    def repeat_recordings(self, times: int, *, force: bool = False) -> tuple[tuple[Recording, ...], Equality]:
        """Boot several times anew. Return every recording, and whether they are equal; no run is written."""
        from bootlab.experiments.self_check import repeat

        with self.bench(force=force) as bench:
            return repeat(bench, self.value, times)

    def _kept(self, recording: Recording, diagnosis: Diagnosis | None, costing: Costing | None = None) -> Boot:
        from bootlab.api.kept_run import keep_boot

        run = keep_boot(self.store, self.value, recording, diagnosis, costing)
        return Boot(recording, diagnosis, Results(*run), self.value)

    def compare(self, experiment: Experiment) -> Results:
        """Boot this system's variants side by side; `results.comparison` holds the rows.

        Experiments: `bootlab.experiments` (file systems, steps, start from flash, presets of lpj), or a subclass of
        `Experiment` of your own. Raise UserError where the system does not suit.
        """
        from bootlab.experiments.comparison import compare
        from bootlab.experiments.self_check import require_exact

        experiment.check(self.value)
        with self.bench() as bench:
            require_exact(bench, self.value)
            keep = self.begin_run(experiment.kind)
            return keep(compare(experiment, bench, self.value, keep))

    def begin_run(self, kind: str) -> Callable[[Comparison], Results]:
        """Begin the run of a comparison; the function that is returned keeps it, as often as there is more of it."""
        from bootlab.api.kept_run import ComparisonJournal

        rows = ComparisonJournal(self.store, self.value, kind)
        return lambda found: Results(rows.run, rows.write(found))

    def trim(self, request: TrimRequest | None = None, *, folder: Path | str | None = None) -> Trimmed:
        """Leave out of the root tree what neither boot nor check uses; boot, check and write down what is left.

        `folder` takes the trimmed system; without one the run's folder does.
        """
        from bootlab.api.kept_run import ComparisonJournal
        from bootlab.experiments.trim import TrimRequest, trim
        from bootlab.experiments.trim_table import trim_table
        from bootlab.store.trimmed import keep_trimmed

        with self.bench() as bench:
            trimmed = trim(bench, self.value, request or TrimRequest())
            rows = ComparisonJournal(self.store, self.value, "trim")
            where = Path(folder) if folder is not None else rows.run.folder
            plan = None if trimmed.recording is None else bench.target.plan(trimmed.system)
            found = keep_trimmed(where, trimmed.result, plan.system if plan else trimmed.system, plan)
            rows.write(trim_table(found))
            return found

    def check_tree(self) -> tuple[TreeFault, ...]:
        """Return what cannot run in the root tree, without a boot."""
        from bootlab.builders.tree_check import check_tree

        return check_tree(self.value, Cache(self._cache))

    def applies(self, *ids: str) -> tuple[Applicability, ...]:
        """Say which techniques apply, and on what evidence: boots the base and a diagnosis, tries nothing."""
        from bootlab.experiments.campaign import applicability

        with self.bench() as bench:
            return applicability(bench, self.value, Selection(ids=ids).techniques())

    def try_(
        self, *ids: str, blocks: int = 7, seed: int = 1, stages: Iterable[str] = (), inexact: bool = False
    ) -> Results:
        """Boot with and without each technique and give verdicts.

        `ids`: only these, also where they say that they do not apply; none: all that apply. `inexact`: an exact system
        that does not boot alike twice (InexactError) is compared as a free-running one. `blocks` and `seed` are for
        these two; `stages`: without `ids`, only techniques of these. Raise BootlabError, BaseFailedError
        when the base does not reach its goal.

        >>> import bootlab
        >>> system = bootlab.System.load("tests/replay/system.toml", store=store)
        >>> results = system.try_("quiet", "crypto-selftests", "lpj-preset")
        >>> results.verdicts
        {'crypto-selftests': 'faster', 'quiet': 'faster', 'lpj-preset': 'no effect shown'}
        >>> results.trials[0].effect.evidence
        'alg: self-tests disabled (console of the timing boot)'
        """
        if blocks < 3:
            raise UserError(f"{blocks} blocks are too few for a verdict", hint="use at least 3, better 7")
        from bootlab.experiments.campaign import Blocks

        selection = Selection(ids=ids, stages=tuple(stages))
        free = inexact or self.value.clock.mode == "free"
        return self._tried(
            selection.techniques(),
            forced=selection.forced,
            blocks=Blocks(count=blocks, seed=seed) if free else None,
            reproduce=command_again(
                self.value,
                "try",
                *selection.words,
                *["--inexact"] * inexact,
                *(("--blocks", str(blocks), "--seed", str(seed)) if free else ()),
            ),
        )

    def ladder(self, *ids: str, bandwidth_bytes_per_s: int = DEFAULT_BANDWIDTH) -> Results:
        """Try techniques as `try_` does; `results.comparison` has time and size of each beside published gains.

        `ids`: only these; none: all of a ladder's stages. `bandwidth_bytes_per_s`: of the loads that are modelled.

        >>> import bootlab
        >>> system = bootlab.System.load("tests/replay/system.toml", store=store)
        >>> system.ladder("quiet", "crypto-selftests").comparison.headline
        'small: 2 proved rows, base 3139.553 virtual ms, image 13.5 MiB'
        """
        from bootlab import techniques
        from bootlab.experiments.campaign import Blocks
        from bootlab.experiments.ladder import STAGES, ladder

        def table(found: ResultsValue) -> Comparison:
            base = (found.base.goal_ns, found.base.artefact_bytes)
            speed = bandwidth_bytes_per_s
            return ladder(self.name, found.base.clock, base, found.trials, techniques.get, bandwidth_bytes_per_s=speed)

        selection = Selection(ids=ids, stages=STAGES)
        speed = ("--bandwidth", f"{bandwidth_bytes_per_s / 1e6:g}")
        return self._tried(
            selection.techniques(),
            forced=selection.forced,
            blocks=Blocks() if self.value.clock.mode == "free" else None,
            reproduce=command_again(self.value, "ladder", *ids, *speed * (bandwidth_bytes_per_s != DEFAULT_BANDWIDTH)),
            table=table,
        )

    def _tried(
        self,
        chosen: tuple[Technique, ...],
        *,
        forced: bool,
        blocks: Blocks | None = None,
        reproduce: str = "",
        table: Callable[[ResultsValue], Comparison] | None = None,
    ) -> Results:
        from bootlab.api.kept_run import CampaignJournal, CampaignKind
        from bootlab.experiments.campaign import try_each

        kind: CampaignKind = "try" if table is None else "compare"
        # What follows the host's clock must not share the machine with another boot.
        with self.bench(jobs=1 if blocks else None) as bench:
            run = runs.create(self.store, "try" if table is None else "ladder", self.name)
            written = CampaignJournal(self.store, self.value, kind, chosen, reproduce=reproduce, run=run, table=table)
            try_each(bench, self.value, chosen, written, forced=forced, blocks=blocks)
        return Results(written.run, written.results)

    def try_delay(self, patch: DelayPatch) -> Results:
        """Boot with and without a patched delay. What the hardware needs of the delay no emulator can tell."""
        from bootlab.experiments.delay import DelayPatched

        technique = DelayPatched(patch)
        return self._tried((technique,), forced=True, reproduce=technique.command(self.value))

    def stack(self, *ids: str, allow: Iterable[str] = (), also: Iterable[str] = ()) -> Results:
        """Try, put the winners on top of each other, leave each out once, hand over the faster system.

        What costs function, security or run time is tried too, and stacked only when `ids` or `also` name it or `allow`
        lets its kinds in. Ctrl-C ends it with what is proved so far; the same call goes on. Raises as `try_` does.

        >>> import bootlab
        >>> system = bootlab.System.load("tests/replay/system.toml", store=store)
        >>> results = system.stack("quiet", "crypto-selftests", "no-timer-check", "lpj-preset")
        >>> results.stacked
        ('crypto-selftests', 'no-timer-check', 'quiet')
        >>> round(results.base.goal_ns / 1e6), round(results.final.goal_ns / 1e6)
        (3140, 1358)
        """
        from bootlab.api.deliver import for_build_systems
        from bootlab.api.kept_run import CampaignJournal
        from bootlab.experiments.campaign import stack
        from bootlab.store.handover import hand_over

        selection = Selection(ids=ids, allow=frozenset(allow), also=tuple(also))
        with self.bench() as bench:
            command = command_again(self.value, "stack", *selection.words)
            written = CampaignJournal(self.store, self.value, "stack", selection.techniques(), reproduce=command)
            found = stack(bench, self.value, selection, written)
            plan = bench.target.plan(found.system)
            faster = hand_over(written.run.folder, plan.system, plan)
            written.stacked(found.stacked, found.diagnosis, faster, ended=found.ended)
            for_build_systems(written.results, self.value, Path(faster.folder))
        return Results(written.run, written.results)

    def plan_optimisation(self, wishes: Wishes | None = None) -> Plan:
        """Boot the base and a diagnosis, and return what an optimisation would try, in which order."""
        from bootlab.api.optimizing import planned
        from bootlab.experiments.optimize.planning import Wishes

        with self.bench() as bench:
            return planned(bench, self.value, wishes or Wishes())[1]

    def optimize(self, wishes: Wishes | None = None, *, plan: Plan | None = None, reproduce: str = "") -> Results:
        """Search the fastest system that still works, and hand it over in `optimized/` of the run; raises as `stack`.

        `plan`: this one; None: what `plan_optimisation` makes. Cut off at any instant, the same call goes on.
        """
        from bootlab.api.optimizing import carried_out, edited, planned
        from bootlab.experiments.optimize.planning import Wishes

        with self.bench() as bench:
            base, fresh, said = planned(bench, self.value, wishes or Wishes(), searched=True)
            chosen = fresh if plan is None else edited(plan, fresh)
            return carried_out(bench, self.store, base, chosen, said, reproduce=reproduce)
