"""A base system with everything known of it: timing boot, diagnostic boot, kernel facts."""

from __future__ import annotations

import itertools
from concurrent.futures import Future

import msgspec

from bootlab.builders import compress
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.collectors.diagnosis import CheckOutput, check_output, checking_system, diagnose, diagnostic_system
from bootlab.errors import MeasurementError, TargetError
from bootlab.experiment.bench import Bench
from bootlab.experiment.kernel_source import KernelSource
from bootlab.experiment.trial import SAME_NS, HostEnded, why_broken
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.shared_cost import SharedCost
from bootlab.model.system import System
from bootlab.targets.failure_hint import hint_for
from bootlab.techniques.base import Context, Evidence


class BaseFailedError(TargetError):
    """The base system itself does not reach its goal, so nothing can be compared with it."""

    def __init__(self, recording: Recording) -> None:
        """Say how it ended."""
        meta = recording.meta
        place = f"; its recording is {recording.path}" if recording.path else ""
        super().__init__(
            f"the base did not reach its goal ({meta.outcome.value}): {meta.reason}{place}", hint=hint_for(recording)
        )
        self.exit_code = meta.outcome.exit_code


class CheckNotMade(MeasurementError):
    """The host ended the boot in which the check's command runs, each time it was made."""


# Lengths of an unused module parameter: the kernel ignores it, but reads and prints it, which moves every later
# event against the timer's ticks.
_PLACEBO_LENGTHS = (1, 23, 64)


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """The base of an experiment."""

    system: System
    recording: Recording
    diagnosis: Diagnosis | None
    info: KernelInfo
    placebo_ns: tuple[int, ...] = ()
    output: CheckOutput | None = None
    source: KernelSource | None = None
    shared_costs: tuple[SharedCost, ...] | None = None

    @property
    def same_ns(self) -> int:
        """Return the largest difference that an irrelevant change made, at least SAME_NS."""
        goal = self.recording.meta.goal_ns or 0
        return max([SAME_NS, *(abs(p - goal) for p in self.placebo_ns)])

    @property
    def evidence(self) -> Evidence:
        """Return what a technique compares a variant with."""
        return Evidence(system=self.system, recording=self.recording, diagnosis=self.diagnosis)

    @property
    def context(self) -> Context:
        """Return what a technique may look at."""
        return Context(
            system=self.system,
            recording=self.recording,
            diagnosis=self.diagnosis,
            config=self.info.config,
            kernel_version=self.info.numbers,
            symbols=self.info.symbols,
            compressors=compress.available(),
            pvh_entry=self.info.pvh_entry is not None,
            arch=self.system.machine.arch,
            shared_costs=self.shared_costs,
        )

    @property
    def context_with_source(self) -> Context:
        """Return the same with the options that build the initcalls, which the source tells."""
        context = self.context
        if self.source is None or self.diagnosis is None:
            return context
        # What did find something tells which options must stay.
        names = tuple(dict.fromkeys(call.function for call in self.diagnosis.initcalls if call.module is None))
        return msgspec.structs.replace(
            context,
            initcall_options=self.source.initcall_options(names),
            module_options=self.source.module_options(names),
            async_patches=self.source.async_patches(names),
        )


def establish(
    bench: Bench,
    system: System,
    *,
    diagnostic: bool = True,
    placebo: bool = True,
    label: str = "base",
    cache: Cache | None = None,
) -> Base:
    """Boot the base for its time and once more for a diagnosis. Raise BaseFailedError when it has no goal.

    `placebo`: boot it with parameters that nothing reads too, which shows what differences mean nothing. `cache`: where
    the kernel's source lies; without it nothing is asked of the source.
    """
    info = bench.target.plan(system).info
    timing = bench.submit(system, label)
    exact = system.clock.mode == "exact"
    placebos = [_placebo(bench, system, n) for n in _PLACEBO_LENGTHS] if exact and diagnostic and placebo else []
    recording = bench.wait(timing)
    if not recording.ok:
        raise BaseFailedError(recording)
    diagnosis = diagnosis_of(bench, system, recording, label) if diagnostic else None
    return Base(
        system=system,
        recording=recording,
        diagnosis=diagnosis,
        info=info,
        placebo_ns=_goals(bench, placebos),
        output=_output(bench, system, recording, label),
        source=KernelSource(cache, system, info.config) if cache and system.kernel.build is not None else None,
    )


def why_lost(bench: Bench, base: Base, system: System, recording: Recording, label: str) -> str:
    """Return why a variant lost its function, or "". With a check command this makes the variant's check boot."""
    broken = why_broken(base.recording, recording)
    if broken or base.output is None:
        return broken
    try:
        output = _output(bench, system, recording, label)
    except CheckNotMade as fault:
        return HostEnded(fault.message)
    if output == base.output:
        return ""
    if output is None:
        return "the check's command could not be run: there is no root tree to carry the agent"
    if output.exit_status != base.output.exit_status:
        return f"the check's command ended with {output.exit_status}, in the base with {base.output.exit_status}"
    old, new = next(
        (pair for pair in itertools.zip_longest(base.output.lines, output.lines) if pair[0] != pair[1]), ("", "")
    )
    return f"the check's command printed {(new or '')[:120]!r}, in the base {(old or '')[:120]!r}"


def _output(bench: Bench, system: System, timing: Recording, label: str) -> CheckOutput | None:
    checking = checking_system(system, timing)
    if checking is None:
        return None
    made = bench.boot(checking, f"{label} (check)", purpose="check")
    if made.by_host:
        raise CheckNotMade(f"the check's boot: {made.meta.reason}", hint="run the same command again")
    return check_output(made)


def _goals(bench: Bench, placebos: list[Future[Recording]]) -> tuple[int, ...]:
    try:
        recordings = bench.wait_all(placebos)
    except TargetError:
        return ()  # a replay that holds none
    return tuple(r.meta.goal_ns for r in recordings if r.ok and r.meta.goal_ns is not None)


def _placebo(bench: Bench, system: System, length: int) -> Future[Recording]:
    line = system.cmdline.with_param("bootlab.placebo", "x" * length)
    return bench.submit(msgspec.structs.replace(system, cmdline=line), f"placebo ({length} characters)")


def diagnosis_of(bench: Bench, system: System, timing: Recording, label: str) -> Diagnosis | None:
    """Make the diagnostic boot of a system whose timing boot is there. None: this system cannot carry the agent."""
    instrumented = diagnostic_system(system, timing)
    if instrumented is None:
        return None
    return diagnose(bench.boot(instrumented, f"{label} (diagnostic)", purpose="diagnostic"))
