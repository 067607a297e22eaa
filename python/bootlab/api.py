"""bootlab from Python: systems, boots and results as objects, as the verbs of the command line use them.

The example plays recordings back (`target = "replay"`); with `target = "qemu"` the same lines boot machines.

>>> import bootlab
>>> system = bootlab.System.load("tests/replay/system.toml", store=store)
>>> boot = system.boot()
>>> boot.ok, boot.clock, round(boot.goal_ms, 3)
(True, 'virtual', 3139.553)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import UserError
from bootlab.experiments.selection import Selection
from bootlab.laboratory import Laboratory, PhaseObserver
from bootlab.model.change import Change, SetKernelOptions, apply_all
from bootlab.results import file as results_file
from bootlab.store import runs
from bootlab.systemfile import load
from bootlab.targets.choose import target_for
from bootlab.techniques.base import COSTS

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality
    from bootlab.analysis.kernel_size import KernelSize
    from bootlab.builders.kbuild import BuiltKernel
    from bootlab.builders.kbuild.fragment import KernelOption
    from bootlab.builders.tree_check import Finding
    from bootlab.collectors.kernel_tracer import KernelTracer, TracedByKernel
    from bootlab.experiments.comparison import Experiment
    from bootlab.experiments.lpj import Booted
    from bootlab.experiments.traced_boot import Traced
    from bootlab.experiments.trials import Applicability
    from bootlab.experiments.trim import TrimRequest
    from bootlab.kernelsource.delay_patch import DelayPatch
    from bootlab.model.comparison import Comparison
    from bootlab.model.recording import Diagnosis, GoalClock, Line, Mark, Outcome, Recording
    from bootlab.model.system import System as SystemValue
    from bootlab.model.timeline import Stage
    from bootlab.model.trim import Trimmed
    from bootlab.model.verdict import Trial
    from bootlab.results.document import BootSummary
    from bootlab.results.document import Results as ResultsValue
    from bootlab.targets.base import BootPlan
    from bootlab.targets.trace_boot import TraceRequest


def default_store() -> Path:
    """Return where recordings and runs are kept unless something else is said: BOOTLAB_STORE, else `.bootlab`."""
    return Path(os.environ.get("BOOTLAB_STORE") or ".bootlab")


class Results:
    """What a run found, and where it is kept. `data` is the whole document that `results.json` holds."""

    def __init__(self, run: runs.Run, data: ResultsValue) -> None:
        """Join a run and its document."""
        self.run = run
        self.data = data

    @classmethod
    def open(cls, name: str = "last", *, store: Path | str | None = None) -> Self:
        """Read a run that was made before: by id, by its beginning, by its folder, or `last`. Raise UserError."""
        run = runs.find(default_store() if store is None else Path(store), name)
        return cls(run, results_file.load(run.results))

    def __repr__(self) -> str:
        """Name the run."""
        return f"<bootlab.Results {self.id}>"

    @property
    def id(self) -> str:
        """The run's name, as `bootlab report` takes it."""
        return self.run.id

    @property
    def base(self) -> BootSummary:
        """The boot that everything was compared with."""
        return self.data.base

    @property
    def final(self) -> BootSummary | None:
        """The stacked boot; None for `try_` and `boot`."""
        return self.data.final

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every variant against the base, most time saved first."""
        return self.data.trials_by_saved()

    @property
    def comparison(self) -> Comparison:
        """The rows of a comparison. Raise UserError for a run that is none."""
        if self.data.comparison is None:
            raise UserError(f"{self.id} is not a comparison", hint="bootlab report shows what it is")
        return self.data.comparison

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each variant, by the change's id."""
        return {t.change.id: t.verdict.value for t in self.trials}

    @property
    def stacked(self) -> tuple[str, ...]:
        """Ids of the changes that stand at the end, in the order in which they were taken; empty without a stack."""
        if self.data.stack is None:
            return ()
        gone = {row.change_id for row in self.data.stack.leave_one_out if not row.kept}
        return tuple(step.change_id for step in self.data.stack.steps if step.change_id not in gone)

    @property
    def faster(self) -> Path | None:
        """The system file of the faster system that `stack` handed over."""
        path = self.data.stack.system.system_path if self.data.stack else None
        return Path(path) if path else None

    def html(self, path: Path | str) -> Path:
        """Write one self-contained page. Return its path."""
        return self._write("html", path)

    def markdown(self, path: Path | str) -> Path:
        """Write the hand-over text. Return its path."""
        return self._write("markdown", path)

    def csv(self, path: Path | str) -> Path:
        """Write the rows of a comparison as CSV, with plain numbers. Return its path."""
        return self._write("csv", path)

    def perfetto(self, path: Path | str) -> Path:
        """Write a Perfetto trace of the run's last boot. Return its path."""
        return self._write("perfetto", path)

    def chrome(self, path: Path | str) -> Path:
        """Write a Chrome-JSON trace of the run's last boot. Return its path."""
        return self._write("chrome", path)

    def form(self, name: str) -> bytes:
        """Return what the method of that name writes."""
        from bootlab.views import publish

        return publish.FORMS[name](self.data)

    def _write(self, name: str, path: Path | str) -> Path:
        results_file.write_atomically(Path(path), self.form(name))
        return Path(path)


class Boot:
    """One boot: its recording, and a diagnosis where one was asked for."""

    def __init__(self, recording: Recording, diagnosis: Diagnosis | None, results: Results) -> None:
        """Join what one boot left."""
        self.recording = recording
        self.diagnosis = diagnosis
        self.results = results

    def __repr__(self) -> str:
        """Say how it ended and when."""
        goal = f" {self.goal_ms:.3f} ms on the {self.clock} clock" if self.goal_ms is not None else ""
        return f"<bootlab.Boot {self.outcome.value}{goal}>"

    @property
    def ok(self) -> bool:
        """Tell whether the goal was reached and the functional check passed."""
        return self.recording.ok

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        return self.recording.meta.outcome

    @property
    def clock(self) -> GoalClock:
        """Where the goal's time comes from."""
        return self.recording.meta.goal_clock

    @property
    def goal_ns(self) -> int | None:
        """Power-on to goal in nanoseconds; None when it was never seen."""
        return self.recording.meta.goal_ns

    @property
    def goal_ms(self) -> float | None:
        """Power-on to goal in milliseconds; None when it was never seen."""
        return None if self.goal_ns is None else self.goal_ns / 1e6

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The intervals between the events that were seen."""
        return self.results.base.stages

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The events that were seen, in order of time."""
        return self.recording.marks

    @property
    def lines(self) -> tuple[Line, ...]:
        """The console, each line with its times."""
        return self.recording.lines


class System:
    """A system that can be booted. Never edited: `changed` returns another one."""

    def __init__(
        self,
        value: SystemValue,
        *,
        store: Path | str | None = None,
        cache: Path | str | None = None,
        jobs: int | None = None,
        observer: PhaseObserver | None = None,
    ) -> None:
        """Boot `value`. Recordings and runs go to `store`, artefacts to `cache` (default: the user's cache folder).

        `jobs`: machines at a time (default: one a core, at most 4). `observer` is told what is being booted.
        """
        self.value = value
        self.store = default_store() if store is None else Path(store)
        self._cache = Path(cache) if cache is not None else default_folder()
        self._jobs = jobs
        self._observer = observer

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        store: Path | str | None = None,
        cache: Path | str | None = None,
        jobs: int | None = None,
        observer: PhaseObserver | None = None,
    ) -> Self:
        """Read a system file. Raise SystemFileError, which names the key or line that is wrong."""
        return cls(load(Path(path)), store=store, cache=cache, jobs=jobs, observer=observer)

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

    def like(self, value: SystemValue) -> Self:
        """Return another system on the same store and cache."""
        return type(self)(value, store=self.store, cache=self._cache, jobs=self._jobs, observer=self._observer)

    def plan(self) -> BootPlan:
        """Build what is needed and say what would be booted: the emulator's command, the recording's key."""
        return target_for(self.value, Cache(self._cache), builds=self._observer).plan(self.value)

    def build_kernel(self, options: tuple[tuple[str, str], ...] = (), *, compilers: int | None = None) -> BuiltKernel:
        """Build the kernel, with options set, unless it is in the cache. Raise UserError when it has no source.

        `compilers`: how many run at a time (default: one a core).
        """
        from bootlab.builders.artefacts import build_system_kernel
        from bootlab.builders.kbuild import KernelBuilder

        cache = Cache(self._cache)
        kernels = KernelBuilder(cache, jobs=compilers, observer=self._observer)
        return build_system_kernel(self._with_options(options), cache, kernels)

    def kernel_size(self, options: tuple[tuple[str, str], ...] = (), *, depth: int = 2) -> KernelSize:
        """Return the kernel's size by subsystem and by option, and against others in the cache; build it if need be.

        `depth`: how many folders deep a subsystem is.
        """
        from bootlab.analysis.kernel_size import kernel_size
        from bootlab.builders.artefacts import size_system_kernel
        from bootlab.builders.kbuild import KernelBuilder

        cache = Cache(self._cache)
        kernels = KernelBuilder(cache, observer=self._observer)
        return kernel_size(size_system_kernel(self._with_options(options), cache, kernels), depth=depth)

    def kernel_config(self, options: tuple[tuple[str, str], ...] = ()) -> str:
        """Return the `.config` that the kernel is built with, with options set."""
        from bootlab.builders.artefacts import configure_system_kernel
        from bootlab.builders.kbuild import KernelBuilder

        cache = Cache(self._cache)
        return configure_system_kernel(self._with_options(options), cache, KernelBuilder(cache))

    def kernel_options(self, options: tuple[tuple[str, str], ...]) -> tuple[KernelOption, ...]:
        """Return every option of the `.config` that setting some options changes: those, and what follows from them."""
        from bootlab.builders.kbuild.fragment import KernelOption, read_config

        before, after = (read_config(self.kernel_config(some)) for some in ((), options))
        asked = {name for name, _ in options}
        return tuple(
            KernelOption(name=name, before=before.get(name), after=after.get(name), asked=name in asked)
            for name in sorted(before.keys() | after.keys(), key=lambda name: (name not in asked, name))
            if before.get(name) != after.get(name)
        )

    def _with_options(self, options: tuple[tuple[str, str], ...]) -> SystemValue:
        return SetKernelOptions(options).apply(self.value) if options else self.value

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
        with self._laboratory(force=force) as lab:
            recording, diagnosis = lab.boot(self.value, diagnostic=diagnostic, fresh=fresh)
            run, data = lab.keep_boot(self.value, recording, diagnosis)
        return Boot(recording, diagnosis, Results(run, data))

    def repeat(self, times: int, *, force: bool = False) -> tuple[Boot, Equality]:
        """Boot several times anew. Return the first boot, and whether the others equal it (and why not).

        `force`: also what cannot work.
        """
        recordings, equality = self.repeat_recordings(times, force=force)
        with self._laboratory(force=force) as lab:
            run, data = lab.keep_boot(self.value, recordings[0], None)
        return Boot(recordings[0], None, Results(run, data)), equality

    def repeat_recordings(self, times: int, *, force: bool = False) -> tuple[tuple[Recording, ...], Equality]:
        """Boot several times anew. Return every recording, and whether they are equal; no run is written."""
        if times < 2:
            raise UserError(f"cannot compare {times} boots", hint="repeat at least twice")
        with self._laboratory(force=force) as lab:
            return lab.repeat(self.value, times)

    def trace(self, request: TraceRequest | None = None) -> Traced:
        """Boot once for the time and once with every function of the kernel traced, up to the same goal.

        Raise BootlabError where no exact trace is possible, MeasurementError when the traced boot differs.
        """
        from bootlab.targets.trace_boot import TraceRequest

        with self._laboratory() as lab:
            return lab.trace(self.value, request or TraceRequest())

    def compare(self, experiment: Experiment) -> Results:
        """Boot this system's variants beside each other; `results.comparison` holds the rows.

        Experiments: `bootlab.experiments` (file systems, steps, start from flash, presets of lpj), or a subclass of
        `Experiment` of your own. Raise UserError where the system does not suit.
        """
        with self._laboratory() as lab:
            return Results(*lab.compare(self.value, experiment))

    def trim(self, request: TrimRequest | None = None, *, folder: Path | str | None = None) -> Trimmed:
        """Leave out of the root tree what neither boot nor check uses; boot, check and write down what is left."""
        with self._laboratory() as lab:
            trimmed = lab.trim(self.value, request)
            return lab.keep_trimmed(trimmed, Path(folder) if folder is not None else None)

    def check_tree(self) -> tuple[Finding, ...]:
        """Return what cannot run in the root tree, without a boot."""
        from bootlab.builders.tree_check import check_tree

        return check_tree(self.value, Cache(self._cache))

    def trace_by_kernel(self, tracer: KernelTracer | None = None) -> TracedByKernel:
        """Boot once for the time and once with the kernel's own function_graph tracer (any target, boards too).

        Raise BootlabError where the agent cannot ride along, MeasurementError when the kernel gave no trace.
        """
        from bootlab.collectors.kernel_tracer import KernelTracer

        with self._laboratory() as lab:
            return lab.trace_by_kernel(self.value, tracer or KernelTracer())

    def applies(self, *ids: str) -> tuple[Applicability, ...]:
        """Say which techniques apply, and on what evidence: boots the base and a diagnosis, tries nothing."""
        with self._laboratory() as lab:
            _, said = lab.applicability(self.value, Selection(ids=ids).techniques())
        return tuple(said)

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
        with self._laboratory() as lab:
            selection = _selection(ids, (), (), stages)
            return Results(*lab.try_(self.value, selection, blocks=blocks, seed=seed, inexact=inexact))

    def delay_patch(self, function: str, to_ns: int, *, sleep: bool = False, only: int | None = None) -> DelayPatch:
        """Write the patch that shortens the delays of a function of the kernel's source.

        `function`: a name, or FILE:NAME. `sleep`: let it sleep where it spins. `only`: the number of one delay, from 1.
        Raise UserError where the function is not found, or has no longer delay.
        """
        from bootlab.experiments.delay import patch_of

        return patch_of(Cache(self._cache), self.value, function, to_ns, sleep=sleep, only=only)

    def try_delay(self, patch: DelayPatch) -> Results:
        """Boot with and without a patched delay. What the hardware needs of the delay no emulator can tell."""
        with self._laboratory() as lab:
            return Results(*lab.try_delay(self.value, patch))

    def stack(self, *ids: str, allow: Iterable[str] = (), also: Iterable[str] = ()) -> Results:
        """Try, put the winners on top of each other, leave each out once, hand over the faster system.

        What costs function, security or run time is tried too, and stacked only when `ids` or `also` name it or `allow`
        lets its kinds in. Cut off at any moment, the same call goes on without repeating a boot. Raises as `try_` does.

        >>> import bootlab
        >>> system = bootlab.System.load("tests/replay/system.toml", store=store)
        >>> results = system.stack("quiet", "crypto-selftests", "no-timer-check", "lpj-preset")
        >>> results.stacked
        ('crypto-selftests', 'no-timer-check', 'quiet')
        >>> round(results.base.goal_ns / 1e6), round(results.final.goal_ns / 1e6)
        (3140, 1358)
        """
        with self._laboratory() as lab:
            return Results(*lab.stack(self.value, _selection(ids, allow, also)))

    def delay_loop(self, *, anew: bool = False) -> Booted:
        """Boot without a preset and read the delay loop's line. `anew`: with `lpj=0`, against a compiled-in preset.

        Raise MeasurementError when this kernel calibrates nothing.
        """
        with self._laboratory() as lab:
            return lab.delay_loop(self.value, anew=anew)

    def _laboratory(self, *, force: bool = False) -> Laboratory:
        return Laboratory(self.store, cache=self._cache, jobs=self._jobs, observer=self._observer, force=force)


def _selection(
    ids: tuple[str, ...], allow: Iterable[str], also: Iterable[str], stages: Iterable[str] = ()
) -> Selection:
    allowed = frozenset(allow)
    if wrong := sorted(allowed.difference(COSTS)):
        raise UserError(f"{wrong[0]!r} is not a cost that --allow knows", hint=f"known: {', '.join(COSTS)}")
    return Selection(ids=ids, allow=allowed, also=tuple(also), stages=tuple(stages))
