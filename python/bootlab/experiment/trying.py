"""`try`: every technique that applies, each variant booted against the base."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from bootlab.errors import BuildError, MeasurementError, SourceMissing, ToolMissing, UserError
from bootlab.experiment.bench import Bench
from bootlab.experiment.evidence import Base, BaseFailedError, diagnosis_of, why_lost
from bootlab.experiment.trial import judge_exact, judge_free, unbuilt
from bootlab.model.change import Change
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.model.verdict import Trial, Verdict
from bootlab.techniques.base import Answer, Applies, Evidence, Technique
from bootlab.techniques.evidence import needs_diagnosis
from bootlab.techniques.scope import propose


class Applicability(msgspec.Struct, frozen=True, kw_only=True):
    """What a technique said of the base, and whether it was tried."""

    technique: str
    applies: Applies
    tried: bool
    forced: bool = False


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `try` found."""

    applicability: tuple[Applicability, ...]
    trials: tuple[Trial, ...]


TrialSink = Callable[[Trial], None]


def proposals(
    base: Base, techniques: tuple[Technique, ...], *, forced: bool = False
) -> tuple[list[Applicability], list[tuple[Technique, Change]]]:
    """Ask each technique. `forced`: those that say no are tried all the same (they were named by the user).

    Raise UserError when something was named and nothing of it can be tried.
    """
    context = base.context_with_source if any(t.needs_source for t in techniques) else base.context
    said: list[Applicability] = []
    pairs: list[tuple[Technique, Change]] = []
    for technique in techniques:
        proposal = propose(technique, context, forced=forced)
        answer, changes = proposal.applies, proposal.changes
        said.append(
            Applicability(
                technique=technique.id,
                applies=answer,
                tried=bool(changes),
                forced=bool(changes) and answer.answer is Answer.NO,
            )
        )
        pairs += [(technique, change) for change in changes]
    if forced and said and not pairs:
        whys = "; ".join(f"{one.technique}: {one.applies.reason}" for one in said)
        hint = f"bootlab techniques show {said[0].technique}"
        if any(t.builds for t in techniques) and base.system.kernel.build is None:
            hint = 'give the system a kernel source: [kernel] source = "debian", config = ["kernel.config"]'
        raise UserError(f"nothing of what was named can be tried on {base.system.name}: {whys}", hint=hint)
    return said, pairs


def try_all(
    bench: Bench, base: Base, techniques: tuple[Technique, ...], *, forced: bool = False, sink: TrialSink | None = None
) -> Tried:
    """Boot every variant once and judge it (exact mode: one boot proves a difference)."""
    said, pairs = proposals(base, techniques, forced=forced)
    trials: list[Trial] = []
    flying: deque[tuple[Technique, Change, System, Future[Recording] | _Grounded]] = deque()

    def judge_next() -> None:
        trial = _judge(bench, base, *flying.popleft(), forced=forced)
        trials.append(trial)
        if sink:
            sink(trial)

    for technique, change in pairs:
        system = change.apply(base.system)
        flying.append((technique, change, system, _submit(bench, system, change)))
        # Planning builds a kernel, which takes long: what is ready meanwhile is judged and kept.
        while flying[0][3].done():
            judge_next()
            if not flying:
                break
    while flying:
        judge_next()
    return Tried(applicability=tuple(said), trials=tuple(trials))


class _Grounded(msgspec.Struct, frozen=True):
    """A variant that cannot be built, which is a result."""

    verdict: Verdict
    reason: str

    def done(self) -> bool:
        """There is nothing to wait for."""
        return True


def _submit(bench: Bench, system: System, change: Change) -> Future[Recording] | _Grounded:
    """Start a variant's boot, if it can be built."""
    try:
        return bench.submit(system, change.id)
    except BuildError as fault:
        return _Grounded(Verdict.BROKEN, f"it cannot be built: {fault.message}")
    except (SourceMissing, ToolMissing) as fault:
        # The base needs neither: one variant must not end the run of all others.
        return _Grounded(Verdict.NOT_BOOTED, f"it cannot be built on this machine: {fault.message}; {fault.hint}")


def _judge(
    bench: Bench,
    base: Base,
    technique: Technique,
    change: Change,
    system: System,
    flight: Future[Recording] | _Grounded,
    *,
    forced: bool,
) -> Trial:
    if isinstance(flight, _Grounded):
        return unbuilt(change, base.recording, flight.reason, verdict=flight.verdict)
    recording = bench.wait(flight)
    after = Evidence(system=system, recording=recording)
    lost = why_lost(bench, base, system, recording, change.id)
    trial = judge_exact(technique, change, base.evidence, after, same_ns=base.same_ns, broken=lost)
    wanted = trial.verdict is Verdict.NO_EFFECT and base.diagnosis is not None and needs_diagnosis(technique, after)
    if wanted and not forced and (trial.saved_ns or 0) <= base.same_ns:
        # A proof takes a boot of its own, and what is not faster is not stacked: only when it was asked for.
        reason = f"not faster, so no proof was sought (`bootlab try {technique.id}` seeks it)"
        return msgspec.structs.replace(trial, reason=reason)
    if not wanted:
        return trial
    # What the console of a timing boot cannot show, the kernel's whole log may.
    diagnosis = diagnosis_of(bench, system, recording, change.id)
    after = msgspec.structs.replace(after, diagnosis=diagnosis)
    return judge_exact(technique, change, base.evidence, after, same_ns=base.same_ns, broken=lost)


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
    """Boot base and variants in randomised blocks on the host's clock, one machine at a time."""
    if bench.jobs != 1:
        raise MeasurementError(
            "wall-clock boots must not share the machine with another boot", hint="use --jobs 1 in free mode"
        )
    said, pairs = proposals(base, techniques, forced=forced)
    order = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    base_runs: list[Recording] = []
    runs: list[list[Recording]] = [[] for _ in pairs]
    for block in range(1, blocks + 1):
        turns = [-1, *range(len(pairs))]
        order.shuffle(turns)
        for turn in turns:
            system = base.system if turn < 0 else pairs[turn][1].apply(base.system)
            label = f"{'base' if turn < 0 else pairs[turn][1].id} (block {block})"
            recording = bench.boot(system, label, fresh=block)
            if turn < 0 and not recording.ok:
                raise BaseFailedError(recording)
            (base_runs if turn < 0 else runs[turn]).append(recording)
    before = [Evidence(system=base.system, recording=r, diagnosis=base.diagnosis) for r in base_runs]
    trials = []
    for (technique, change), own in zip(pairs, runs, strict=True):
        after = [Evidence(system=change.apply(base.system), recording=r) for r in own]
        lost = why_lost(bench, base, after[0].system, after[0].recording, change.id)
        trial = judge_free(technique, change, before, after, tests=len(pairs), broken=lost)
        trials.append(trial)
        if sink:
            sink(trial)
    return Tried(applicability=tuple(said), trials=tuple(trials))


def winners(trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
    """Return the variants that were proved faster, the largest saving first."""
    good = [t for t in trials if t.verdict is Verdict.FASTER and t.saved_ns is not None]
    return tuple(sorted(good, key=lambda t: (-(t.saved_ns or 0), t.change.id)))
