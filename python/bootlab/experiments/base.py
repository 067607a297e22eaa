# SPDX-License-Identifier: MIT
"""A base system with everything known of it: timing boot, diagnostic boot, kernel facts."""

from __future__ import annotations

import contextlib
import itertools
from concurrent.futures import Future

import msgspec

from bootlab.analysis.sequential_test import Design, visible_gain_ns
from bootlab.builders import compress
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.collectors.diagnosis import (
    CheckOutput,
    check_output,
    checking_system,
    diagnose,
    diagnostic_system,
    why_no_report,
)
from bootlab.errors import TargetError
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithered_base import dithered_base
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.host_ends import GO_ON
from bootlab.experiments.kernel_source import KernelSource
from bootlab.experiments.trial import EndedByHost, HostEnded, why_broken
from bootlab.hints.failure import hint_for
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.sample import Spread, goals_ns
from bootlab.model.shared_cost import SharedCost
from bootlab.model.system import SystemDescription
from bootlab.targets.replay import NotRecordedError
from bootlab.techniques.base import Context, Evidence
from bootlab.techniques.diagnosed import loaded_modules

BASE_TRIES = 3
"""So many boots of a base on a noisy clock may fail one after the other before nothing can be compared with it."""


class BaseFailedError(TargetError):
    """The base system itself does not reach its goal, so nothing can be compared with it."""

    def __init__(self, recording: Recording, what: str = "the base") -> None:
        """Say how it ended. `what` did: the base, or a boot of it that is observed."""
        meta = recording.meta
        place = f"; its recording is {recording.path}" if recording.path else ""
        where = f" on the board {meta.board}" if meta.board else ""
        super().__init__(
            f"{what} did not reach its goal{where} ({meta.outcome.value}): {meta.reason}{place}",
            hint=hint_for(recording),
        )
        self.exit_code = meta.outcome.exit_code


def require_goal(recording: Recording, what: str = "the base") -> None:
    """Raise EndedByHost for a boot that the host ended, BaseFailedError for one that failed by itself."""
    if recording.by_host:
        raise EndedByHost(
            f"the host ended a boot of {recording.meta.system_name}, so it proves nothing about the system: "
            f"{recording.meta.reason}",
            hint="run the same command again",
        )
    if not recording.ok:
        raise BaseFailedError(recording, what)


class NoReportError(TargetError):
    """A boot with the agent inside brought no report, so what it was made for is not known."""

    def __init__(self, what: str, why: str) -> None:
        """Say what was not done, and why."""
        super().__init__(f"{what}: {why}", hint="`bootlab boot SYSTEM.toml --diagnostic` boots with the agent alone")


def require_report(system: SystemDescription, recording: Recording, what: str) -> None:
    """Raise NoReportError for a boot of this system with the agent that brought no report.

    Raise EndedByHost where the host ended it.
    """
    if recording.by_host:
        require_goal(recording)
    if why := why_no_report(system, recording):
        raise NoReportError(what, why)


class CheckNotMade(EndedByHost):
    """The host ended the boot in which the check's command runs, each time it was made."""


class DiagnosisNotMade(EndedByHost):
    """The host ended the diagnostic boot, each time it was made."""


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """The base of an experiment.

    `dithered`: its boots under the dithers of the numbers in `dithers`, with which every variant is compared by `rule`.
    Only the base of a replay that holds no such boots has no rule. `undiagnosed`: why its diagnostic boot failed.
    `loud`: as in :class:`~bootlab.techniques.base.Evidence`.
    """

    system: SystemDescription
    recording: Recording
    diagnosis: Diagnosis | None
    info: KernelInfo
    output: CheckOutput | None = None
    source: KernelSource | None = None
    shared_costs: tuple[SharedCost, ...] | None = None
    dithered: tuple[Recording, ...] = ()
    dithers: tuple[int, ...] = (0,)
    rule: Design | None = None
    undithered: bool = False
    undiagnosed: str = ""
    loud: Recording | None = None

    @property
    def boots(self) -> tuple[Recording, ...]:
        """Return every boot that variants are compared with, in the order of `dithers`."""
        return self.dithered or (self.recording,)

    @property
    def spread(self) -> Spread | None:
        """Return where the goal came under the dithers; None before any was booted."""
        return Spread.of(goals_ns(self.dithered))

    @property
    def visible_gain_ns(self) -> int | None:
        """Return the smallest gain that will be seen in nine of ten cases; None where no rule was chosen."""
        if self.rule is None or not self.dithered:
            return None
        return visible_gain_ns(goals_ns(self.dithered), self.rule)

    @property
    def evidence(self) -> Evidence:
        """Return what a technique compares a variant with."""
        return Evidence(system=self.system, recording=self.recording, diagnosis=self.diagnosis, loud=self.loud)

    @property
    def context(self) -> Context:
        """Return what a technique may look at."""
        return Context(
            system=self.system,
            recording=self.recording,
            diagnosis=self.diagnosis,
            loud=self.loud,
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
        built_in = self.source.built_in(loaded_modules(context))
        return msgspec.structs.replace(
            context,
            built_in_options=built_in.options,
            modules_left=built_in.left,
            initcall_options=self.source.initcall_options(names),
            module_options=self.source.module_options(names),
            async_patches=self.source.async_patches(names),
        )


def establish(
    bench: Bench,
    system: SystemDescription,
    *,
    diagnostic: bool = True,
    label: str = "base",
    dithers: int = 0,
) -> Base:
    """Boot the base for its time and once more for a diagnosis. Raise BaseFailedError when it has no goal.

    `dithers`: how many of its boots under dithers are begun beside the diagnosis, which takes one machine alone.
    """
    info = bench.target.plan(system).info
    recording = booted_base(bench, system, label)[0] if system.clock.mode == "free" else bench.boot(system, label)
    require_goal(recording)
    begin_check(bench, system, recording, label)
    exact = system.clock.mode == "exact"
    if diagnostic and dithers and exact and begin_diagnosis(bench, system, recording, label) is not None:
        # A replay may hold none of them: `with_dithers` says so.
        with contextlib.suppress(NotRecordedError):
            DitheredBoots(bench, system, label).ask(dithers)
    diagnosis, undiagnosed = _diagnosed(bench, system, recording, label) if diagnostic else (None, "")
    return Base(
        system=system,
        recording=recording,
        diagnosis=diagnosis,
        info=info,
        output=_output(bench, system, recording, label),
        undiagnosed=undiagnosed,
        source=KernelSource(bench.cache, system, info.config) if system.kernel.build is not None else None,
    )


def booted_base(
    bench: Bench, system: SystemDescription, label: str, *, fresh: int = 0
) -> tuple[Recording, tuple[Recording, ...]]:
    """Boot a base on a noisy clock, again where a boot fails, as boards do. Return it, and those that failed.

    Raise BaseFailedError when `BASE_TRIES` boots failed one after the other. `fresh`: see `Bench.submit`.
    """
    failed: list[Recording] = []
    while True:
        number = bench.fresh_number() if failed else fresh
        recording = bench.boot(system, label if not failed else f"{label}, again", fresh=number)
        if recording.ok:
            return recording, tuple(failed)
        failed.append(recording)
        if len(failed) == BASE_TRIES:
            require_goal(recording)
            raise BaseFailedError(recording)


def with_dithers(bench: Bench, base: Base, rule: Design) -> Base:
    """Boot a base under as many dithers as a rule asks for.

    A dither under which the base itself fails is left out. A replay that holds no such boots gives a base without a
    rule.
    """
    bench.phase("base under dithers", rule.base_boots)
    try:
        numbers, boots = dithered_base(bench, base.system, base.recording, rule.base_boots)
    except NotRecordedError:
        return msgspec.structs.replace(base, rule=None, undithered=True)
    return msgspec.structs.replace(base, dithered=boots, dithers=numbers, rule=rule)


def why_lost(bench: Bench, base: Base, system: SystemDescription, recording: Recording, label: str) -> str:
    """Return why a variant lost its function, or "". With a check command this makes the variant's check boot."""
    broken = why_broken(base.recording, recording)
    if broken or base.output is None:
        return broken
    try:
        output = _output(bench, system, recording, label)
    except CheckNotMade as fault:
        return HostEnded(fault.message)
    except NoReportError as fault:
        return fault.message
    return _why_other(base.output, output)


def _why_other(before: CheckOutput, output: CheckOutput | None) -> str:
    """Return how what the check's command printed differs from what it printed in the base, or ""."""
    if output == before:
        return ""
    if output is None:
        return "the check's command could not be run: there is no root tree for the agent"
    if output.exit_status != before.exit_status:
        return f"the check's command ended with {output.exit_status}, in the base with {before.exit_status}"
    old, new = next(
        (pair for pair in itertools.zip_longest(before.lines, output.lines) if pair[0] != pair[1]), ("", "")
    )
    return f"the check's command printed {(new or '')[:120]!r}, in the base {(old or '')[:120]!r}"


def begin_check(bench: Bench, system: SystemDescription, timing: Recording, label: str) -> Future[Recording] | None:
    """Start the boot in which the check's command runs. None: the system names none, or cannot carry the agent."""
    # A board cannot be given the agent: what rides along would have to be installed, and its report typed out slowly.
    checking = checking_system(system, timing) if system.board is None else None
    return bench.submit(checking, f"{label} (check)", purpose="check") if checking is not None else None


def _output(bench: Bench, system: SystemDescription, timing: Recording, label: str) -> CheckOutput | None:
    begun = begin_check(bench, system, timing, label)
    if begun is None:
        return None
    made = bench.wait(begun)
    if made.by_host:
        raise CheckNotMade(f"the check's boot: {made.meta.reason}", hint="run the same command again")
    # Two boots without a report would say the same: nothing, which is no proof that the function is there.
    require_report(system, made, "the check's command was not run")
    return check_output(made)


def begin_diagnosis(bench: Bench, system: SystemDescription, timing: Recording, label: str) -> Future[Recording] | None:
    """Start the diagnostic boot of a system whose timing boot is there. None: it cannot carry the agent."""
    instrumented = diagnostic_system(system, timing) if system.board is None else None
    if instrumented is None:
        return None
    return bench.submit(instrumented, f"{label} (diagnostic)", purpose="diagnostic")


def diagnosis_of(bench: Bench, system: SystemDescription, timing: Recording, label: str) -> Diagnosis | None:
    """Make the diagnostic boot, or wait for the one that was begun.

    None: this system cannot carry the agent, or the boot brought no report; the observer is told why. Raise
    DiagnosisNotMade when the host ended it.
    """
    return _diagnosed(bench, system, timing, label)[0]


def _diagnosed(bench: Bench, system: SystemDescription, timing: Recording, label: str) -> tuple[Diagnosis | None, str]:
    """Return the diagnosis, or why there is none although a boot was made for it. Raise as `diagnosis_of`."""
    begun = begin_diagnosis(bench, system, timing, label)
    if begun is None:
        return None, ""
    made = bench.wait(begun)
    if made.by_host:
        raise DiagnosisNotMade(
            f"the host ended the diagnostic boot of {label}: {made.meta.reason}",
            hint=GO_ON,
        )
    if why := why_no_report(system, made):
        # Half a report must not pass for a whole one: what is absent from it would count as absent from the system.
        bench.decided(f"  {label}: no diagnosis: {why}")
        return None, why
    return diagnose(made), ""
