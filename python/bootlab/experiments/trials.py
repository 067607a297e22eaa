# SPDX-License-Identifier: MIT
"""`try`: every technique that applies, each variant booted against the base."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from bootlab.analysis.sequential_test import cheapest
from bootlab.errors import BootlabError, MeasurementError, UserError
from bootlab.experiments import dither
from bootlab.experiments.base import (
    Base,
    DiagnosisNotMade,
    begin_check,
    booted_base,
    why_lost,
    with_dithers,
)
from bootlab.experiments.bench import Bench
from bootlab.experiments.board_changes import for_board
from bootlab.experiments.closer_look import CloserLook
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.judged_sample import judge_sample
from bootlab.experiments.on_board import ends_of
from bootlab.experiments.trial import GROUNDS, grounded, judge_exact, judge_free, unbuilt, why_broken
from bootlab.model.change import Change
from bootlab.model.recording import Recording
from bootlab.model.sample import Sample, goals_ns
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Trial, Verdict
from bootlab.techniques.base import Answer, Applies, Evidence, Technique
from bootlab.techniques.program import ProgramTechnique
from bootlab.techniques.scope import propose


class Applicability(msgspec.Struct, frozen=True, kw_only=True):
    """What a technique said of the base, and whether it was tried."""

    technique: str
    applies: Applies
    tried: bool
    forced: bool = False


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `try` found. `base`: what the variants were compared with, its dithers among it.

    `failed_base`: how boots of the base on a noisy clock ended that were made again.
    """

    base: Base
    applicability: tuple[Applicability, ...]
    trials: tuple[Trial, ...]
    failed_base: tuple[str, ...] = ()


_VARIANTS_PER_JOB = 2
"""So many variants are under way for each machine: the further boots of one do not wait behind the first of all."""

TrialSink = Callable[[Trial], None]


def proposals(
    base: Base, techniques: tuple[Technique, ...], *, forced: bool = False
) -> tuple[list[Applicability], list[tuple[Technique, Change]]]:
    """Ask each technique. `forced`: those that say no are tried all the same (they were named by the user).

    Raise UserError when something was named and nothing of it can be tried.
    """
    context = base.context_with_source if any(t.needs_source for t in techniques) else base.context
    answers: list[Applicability] = []
    pairs: list[tuple[Technique, Change]] = []
    for technique in techniques:
        proposal = propose(technique, context, forced=forced)
        answer, changes = for_board(base.system, proposal.applies, proposal.changes)
        answers.append(
            Applicability(
                technique=technique.id,
                applies=answer,
                tried=bool(changes),
                forced=bool(changes) and answer.answer is Answer.NO,
            )
        )
        pairs += [(technique, change) for change in changes]
    if forced and answers and not pairs:
        whys = "; ".join(f"{one.technique}: {_said(one.applies)}" for one in answers)
        hint = f"bootlab techniques show {answers[0].technique}"
        if any(t.builds for t in techniques) and base.system.kernel.build is None:
            hint = _SOURCE_HINT
        raise UserError(f"none of the named techniques can be tried on {base.system.name}: {whys}", hint=hint)
    return answers, pairs


def _said(applies: Applies) -> str:
    return f"{applies.reason} ({applies.evidence})" if applies.evidence else applies.reason


_SOURCE_HINT = 'give the system a kernel source: [kernel] source = "debian", config = ["kernel.config"]'


def require_buildable(system: SystemDescription, named: tuple[Technique, ...]) -> None:
    """Raise UserError, before anything is booted, when all named techniques build a kernel that bootlab cannot build.

    A system that names an image has no configuration to change, whatever its boots would show.
    """
    if not named or system.kernel.build is not None or not all(technique.builds for technique in named):
        return
    names = ", ".join(technique.id for technique in named)
    raise UserError(
        f"none of the named techniques can be tried on {system.name}: {names}: each builds the kernel, and the system "
        "names no kernel source",
        hint=_SOURCE_HINT,
    )


def require_tools(system: SystemDescription, named: tuple[Technique, ...]) -> None:
    """Raise ToolMissing, before anything is booted, where a named technique builds what no compiler here can build.

    The tools of every kernel build, and the compiler of the system's programs; what one variant alone needs, such as a
    compressor, is said of that variant.
    """
    build = system.kernel.build
    if build is not None and any(technique.builds for technique in named):
        from bootlab.builders.kbuild import architecture, toolchain  # noqa: PLC0415 - most systems name an image

        toolchain.find(architecture.architecture(system.machine.arch), build.compiler)
    if any(isinstance(technique, ProgramTechnique) for technique in named):
        from bootlab.builders.programs import toolchain as of_programs  # noqa: PLC0415 - most systems build none

        for program in system.programs:
            of_programs.find(system.machine.arch, program.libc, program.compiler)


def try_all(
    bench: Bench,
    base: Base,
    techniques: tuple[Technique, ...],
    *,
    forced: bool = False,
    uses: int = 1,
    on_base: Callable[[Base], object] | None = None,
    sink: TrialSink | None = None,
) -> Tried:
    """Boot every variant once, and under dithers where that alone does not answer.

    `uses`: how often each variant will be compared with something, which decides how often the base is booted under
    dithers; `on_base` gets the base with these boots. The trials come back in the order of the proposals; `sink` gets
    each as it is judged. When a boot cannot be made, what is under way is judged, and then its error is raised.
    """
    answers, pairs = proposals(base, techniques, forced=forced)
    if base.system.clock.mode == "exact" and base.rule is None and not base.undithered:
        base = with_dithers(bench, base, cheapest(uses * len(pairs)))
        if on_base:
            on_base(base)
    bench.phase("try", len(pairs))
    bench.build_ahead(change.apply(base.system) for _, change in pairs)
    trials: dict[str, Trial] = {}
    proposed = deque(pairs)
    flying: list[_Flight] = []
    fault: BootlabError | None = None
    while proposed or flying:
        while proposed and len(flying) < _VARIANTS_PER_JOB * bench.jobs:
            flying.append(_launch(bench, base, *proposed.popleft()))
        if not any(flight.done() for flight in flying):
            bench.wait_any(itertools.chain.from_iterable(flight.boots_missing() for flight in flying))
        for flight in [flight for flight in flying if flight.done()]:
            try:
                trial = _judge(bench, base, flight, forced=forced)
            except BootlabError as raised:
                # Nothing new is begun; what is under way is judged first, so that the run keeps it.
                fault = fault or raised
                proposed.clear()
                flying.remove(flight)
                continue
            if trial is None:
                continue
            flying.remove(flight)
            trials[trial.change.id] = trial
            if sink:
                sink(trial)
    if fault:
        raise fault
    ordered = tuple(trials[change.id] for _, change in pairs if change.id in trials)
    return Tried(base=base, applicability=tuple(answers), trials=ordered)


class _Flight:
    """A variant on its way: its boots, or why it cannot be built, which is a result."""

    def __init__(self, technique: Technique, change: Change, boots: DitheredBoots) -> None:
        """Start nothing yet."""
        self.technique = technique
        self.change = change
        self.boots = boots
        self.grounded: tuple[Verdict, str] | None = None
        self.beside: list[Future[Recording]] = []
        """Boots that are not timed: for the check's command, for a diagnosis."""

    def boots_missing(self) -> list[Future[Recording]]:
        """Return what was asked for and is not there yet."""
        return [boot for boot in (*self.boots.flying, *self.beside) if not boot.done()]

    def done(self) -> bool:
        """Tell whether there is nothing to wait for."""
        return self.grounded is not None or not self.boots_missing()

    def waits_for(self, begun: Future[Recording] | None) -> bool:
        """Note a boot that was begun beside the timed ones. Tell whether it is still to come."""
        if begun is None or begun.done():
            return False
        self.beside.append(begun)
        return True


def _launch(bench: Bench, base: Base, technique: Technique, change: Change) -> _Flight:
    """Start a variant's first boot, if it can be built."""
    boots = DitheredBoots(bench, change.apply(base.system), change.id, dithers=base.dithers)
    flight = _Flight(technique, change, boots)
    try:
        boots.ask(1)
    except GROUNDS as fault:
        verdict, why = grounded(fault)
        flight.grounded = (verdict, f"it {why}")
    return flight


def _judge(bench: Bench, base: Base, flight: _Flight, *, forced: bool) -> Trial | None:  # noqa: PLR0911 - one a reason
    """Return the verdict; None: more boots were started. Nothing is waited for, so that others are judged meanwhile."""
    technique, change = flight.technique, flight.change
    if flight.grounded is not None:
        verdict, reason = flight.grounded
        return unbuilt(change, base.recording, reason, verdict=verdict)
    boots = flight.boots.recordings()
    after = Evidence(system=flight.boots.system, recording=boots[0])
    if (
        base.output is not None
        and not why_broken(base.recording, after.recording)
        and flight.waits_for(begin_check(bench, after.system, after.recording, change.id))
    ):
        return None
    lost = why_lost(bench, base, after.system, after.recording, change.id)
    sample = Sample(base=base.boots, variant=boots, dithers=tuple(dither.name(n) for n in base.dithers))
    judged = judge_exact(technique, change, base.evidence, after, sample, base.rule, broken=lost)
    look = CloserLook(bench, base)
    if judged.trial.verdict is Verdict.NO_EFFECT and look.wanted(technique, after):
        if not forced and not _maybe_faster(sample, base):
            # A proof takes a boot of its own, and what is not faster is not stacked: only when it was asked for.
            reason = f"not faster, so no proof was looked for (`bootlab try {technique.id}` does)"
            return msgspec.structs.replace(judged.trial, reason=reason)
        # What the console of a timing boot cannot show, the kernel's whole log may.
        if flight.waits_for(look.begin(after, change.id)):
            return None
        try:
            after = look.at(after, change.id)
        except DiagnosisNotMade as fault:
            return msgspec.structs.replace(judged.trial, verdict=Verdict.UNKNOWN, reason=fault.message)
        judged = judge_exact(technique, change, base.evidence, after, sample, base.rule, broken=lost)
    if not judged.wanted:
        return judged.trial
    flight.boots.ask(len(boots) + judged.wanted)
    return None


def _maybe_faster(sample: Sample, base: Base) -> bool:
    for end in ends_of(base.system.costs, sample.base[0], sample.variant[0]):
        judgement = judge_sample(end.sample(sample), base.rule)
        if judgement.saved_ns > 0 and (judgement.wanted or judgement.verdict is not Verdict.SAME):
            return True
    return False


def try_all_free(
    bench: Bench,
    base: Base,
    techniques: tuple[Technique, ...],
    *,
    blocks: int,
    seed: int,
    forced: bool = False,
    sink: TrialSink | None = None,
) -> Tried:
    """Boot base and variants in randomised blocks on the host's clock, one machine at a time.

    A boot of the base that fails is made again, in its place of the block. Where the base fails, a variant that fails
    proves nothing against itself. Raise BaseFailedError when the base fails `BASE_TRIES` times in one place.
    """
    if bench.jobs != 1:
        raise MeasurementError(
            "wall-clock boots must not share the machine with another boot", hint="use --jobs 1 in free mode"
        )
    answers, pairs = proposals(base, techniques, forced=forced)
    bench.phase("try", (len(pairs) + 1) * blocks)
    order = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    base_runs: list[Recording] = []
    failed: list[Recording] = []
    runs: list[list[Recording]] = [[] for _ in pairs]
    for block in range(1, blocks + 1):
        turns = [-1, *range(len(pairs))]
        order.shuffle(turns)
        for turn in turns:
            system = base.system if turn < 0 else pairs[turn][1].apply(base.system)
            label = f"{'base' if turn < 0 else pairs[turn][1].id} (block {block})"
            if turn < 0:
                recording, lost_boots = booted_base(bench, system, label, fresh=block)
                base_runs.append(recording)
                failed += lost_boots
            else:
                runs[turn].append(bench.boot(system, label, fresh=block))
    before = [Evidence(system=base.system, recording=r, diagnosis=base.diagnosis) for r in base_runs]
    trials = []
    for (technique, change), own in zip(pairs, runs, strict=True):
        after = [Evidence(system=change.apply(base.system), recording=r) for r in own]
        lost = why_lost(bench, base, after[0].system, after[0].recording, change.id)
        trial = judge_free(
            technique,
            change,
            before,
            after,
            tests=len(pairs),
            others_ns=[times for one in runs if one is not own and len(times := goals_ns(tuple(one))) == len(one)],
            broken=lost,
            base_failed=(len(failed), len(failed) + blocks),
        )
        trials.append(trial)
        if sink:
            sink(trial)
    ends = tuple(recording.meta.outcome.value for recording in failed)
    return Tried(base=base, applicability=tuple(answers), trials=tuple(trials), failed_base=ends)


HOPELESS_SHARE = 0.05
"""What lost more than this share of the goal is not tried again."""


def promising_late(trials: tuple[Trial, ...], late: Callable[[Trial], bool]) -> tuple[list[Trial], list[Trial]]:
    """Return what is tried again on the stack, and what lost too much alone; `late` tells of whose technique it is so.

    Whatever works on this kernel at all, also what lost on the base: its sign may have turned.
    """
    usable = {Verdict.FASTER, Verdict.SLOWER, Verdict.SAME, Verdict.DEPENDS}
    tried = [t for t in trials if t.decision in usable and late(t)]
    hopeless = [t for t in tried if _best_ns(t) < -HOPELESS_SHARE * (t.base_ns or 0)]
    return [t for t in tried if t not in hopeless], hopeless


def winners(trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
    """Return the variants that were proved faster, the largest saving first."""
    good = [t for t in trials if t.decision is Verdict.FASTER and t.saved_ns is not None]
    return tuple(sorted(good, key=lambda t: (-_gain_ns(t), t.change.id)))


def _best_ns(trial: Trial) -> int:
    return trial.board.saved_ns[1] if trial.board is not None else trial.saved_ns or 0


def _gain_ns(trial: Trial) -> int:
    """Return what was saved, on a board at least; before the wait, where one holds the goal."""
    if trial.board is not None:
        return trial.board.saved_ns[0]
    if trial.hold is not None and trial.hold.decides:
        return trial.hold.saved_ns or 0
    return trial.saved_ns or 0
