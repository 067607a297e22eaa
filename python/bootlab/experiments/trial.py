# SPDX-License-Identifier: MIT
"""One variant against its base: a verdict with its proof."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.analysis.grid import holding_wait
from bootlab.analysis.noisy import variants
from bootlab.analysis.noisy.interval import pairs_carry
from bootlab.analysis.parts import judged, undecided
from bootlab.analysis.same_processors import require_same_processors
from bootlab.analysis.schedule import stage_verdicts, steady_part
from bootlab.analysis.sequential_test import Design
from bootlab.analysis.stages import stage_deltas
from bootlab.errors import BuildError, MeasurementError, SourceMissing, ToolMissing, UserError
from bootlab.experiments.host_ends import GO_ON
from bootlab.experiments.judged_sample import judge_sample
from bootlab.experiments.on_board import judged_on_board
from bootlab.model.change import Change
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.sample import Sample, Spread, goals_ns
from bootlab.model.verdict import Effect, Trial, Verdict
from bootlab.techniques.base import Evidence, Technique


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What the boots of both sides say so far: a trial, or how many more boots of the variant it takes."""

    trial: Trial
    wanted: int = 0


def judge_exact(
    technique: Technique,
    change: Change,
    before: Evidence,
    after: Evidence,
    sample: Sample,
    rule: Design | None,
    *,
    broken: str | None = None,
) -> Compared:
    """Compare exact boots. Broken comes before proof, proof before the difference.

    `before`, `after`: both systems as they are. `sample`: the boots of both under the same dithers. `rule`: how they
    are judged; None: a replay holds no boots under dithers, so that nothing but *same* can be said. `broken`:
    why the variant lost its function (""), when more than the recordings was looked at.
    """
    base, new = before.recording, after.recording
    broken = broken or why_broken_somewhere(sample)
    effect = Effect(shown=False, evidence="") if broken else technique.took_effect(before, after)
    if broken:
        return Compared(trial=_trial(change, base, new, verdict_of_loss(broken), str(broken), effect))
    if not effect.shown:
        return Compared(trial=_sampled(_trial(change, base, new, Verdict.NO_EFFECT, effect.evidence, effect), sample))
    judgement = judge_sample(sample, rule)
    trial = _trial(change, base, new, judgement.verdict, judgement.reason, effect)
    trial = _sampled(trial, sample, rule)
    wanted = judgement.wanted
    if before.system.costs is not None:
        on_board = judged_on_board(before.system.costs, sample, rule, trial.hold)
        trial, wanted = msgspec.structs.replace(trial, board=on_board.board), max(wanted, on_board.wanted)
    if wanted or rule is None:
        return Compared(trial=trial, wanted=wanted)
    few = rule.looks[0] - len(sample.variant)
    if few > 0 and trial.hold is not None and trial.hold.decides and undecided(trial):
        return Compared(trial=trial, wanted=few)
    return Compared(trial=judged(trial))


def why_broken_somewhere(sample: Sample) -> str:
    """Return why a variant lost its function under some dither, or ""."""
    for dither, (base, new) in zip(sample.dithers, sample.pairs, strict=False):
        if broken := why_broken(base, new):
            if dither == sample.dithers[0] or isinstance(broken, HostEnded):
                return broken
            return f"{broken} (under {dither})"
    return ""


def _sampled(trial: Trial, sample: Sample, rule: Design | None = None) -> Trial:
    base_ns, new_ns = sample.base_goals_ns, sample.variant_goals_ns
    base, new = Spread.of(base_ns), Spread.of(new_ns)
    if base is None or new is None or len(base_ns) < 2:
        return trial
    return msgspec.structs.replace(
        trial,
        base_ns=base.median_ns,
        goal_ns=new.median_ns,
        base_samples_ns=base_ns,
        samples_ns=new_ns,
        base_spread=base,
        spread=new,
        error_rate=rule.error_rate if rule is not None else None,
        stage_verdicts=stage_verdicts(sample.base, sample.variant),
        steady=steady_part(sample.base, sample.variant),
        hold=holding_wait(sample.base, sample.variant),
    )


GROUNDS = (UserError, SourceMissing, ToolMissing)
"""What keeps one change from being booted. The base boots, so that it must not end the run of all others."""


def grounded(fault: UserError | SourceMissing | ToolMissing, where: str = "") -> tuple[Verdict, str]:
    """Return the verdict on a change that was not booted, and why: broken, or only this machine lacks something."""
    if isinstance(fault, BuildError):
        return Verdict.BROKEN, f"cannot be built{where}: {fault.message}"
    if isinstance(fault, UserError):
        return Verdict.BROKEN, f"cannot be booted{where}: {fault.message}"
    return Verdict.NOT_BOOTED, f"cannot be built on this machine: {fault.message}; {fault.hint}"


def unbuilt(change: Change, base: Recording, reason: str, *, verdict: Verdict = Verdict.BROKEN) -> Trial:
    """Return the trial of a variant that never booted, because what it boots from cannot be built.

    `verdict`: broken where it can be built nowhere, not booted where only this machine lacks something.
    """
    return Trial(
        change=change,
        verdict=verdict,
        base_key=base.meta.key,
        base_ns=base.meta.goal_ns,
        base_insns=base.meta.goal_insns,
        effect=Effect(shown=False, evidence=""),
        reason=reason,
        base_console_bytes=base.meta.console_bytes,
    )


def judge_free(
    technique: Technique,
    change: Change,
    before: list[Evidence],
    after: list[Evidence],
    *,
    tests: int,
    others_ns: Sequence[tuple[int, ...]] = (),
    broken: str = "",
    base_failed: tuple[int, int] = (0, 0),
) -> Trial:
    """Compare boots on the host's clock, taken in the same blocks. `base_failed`: so many of so many boots of the base.

    `others_ns`: the times of other variants in these blocks.

    A variant of which some boots fail as the base's do is *unknown*: that may be the board's, or its own.
    """
    base, new = before[0].recording, after[0].recording
    require_same_processors(one.recording for one in (*before, *after))
    for other in after:
        if broken := broken or why_broken(base, other.recording):
            nothing = Effect(shown=False, evidence="")
            verdict, said = verdict_of_loss(broken), str(broken)
            lost = sum(not one.recording.ok for one in after)
            if base_failed[0] and 0 < lost < len(after):
                verdict = Verdict.UNKNOWN
                said = (
                    f"{said}; {lost} of {len(after)} boots failed, and {base_failed[0]} of {base_failed[1]} of the base"
                )
            return _trial(change, base, other.recording, verdict, said, nothing)
    effect = technique.took_effect(before[0], after[0])
    base_ns, new_ns = (goals_ns(tuple(one.recording for one in side)) for side in (before, after))
    if len(base_ns) < len(before) or len(new_ns) < len(after):
        reason = "the goal was reached, but its time is not known in every boot"
        return _trial(change, base, new, Verdict.UNKNOWN, reason, effect)
    judgement = variants.compare(base_ns, new_ns, tests=tests, others_ns=others_ns)
    trial = _trial(change, base, new, judgement.verdict if effect.shown else Verdict.NO_EFFECT, "", effect)
    middle = sorted(base_ns)[len(base_ns) // 2]
    return _with_samples(trial, middle, middle - judgement.saved_ns, base_ns, new_ns, judgement)


def _with_samples(
    trial: Trial,
    base_median: int,
    median: int,
    base_ns: tuple[int, ...],
    new_ns: tuple[int, ...],
    found: variants.WallComparison,
) -> Trial:
    return msgspec.structs.replace(
        trial,
        base_ns=base_median,
        goal_ns=median,
        samples_ns=new_ns,
        base_samples_ns=base_ns,
        p_value=found.p_value,
        interval_ns=found.interval_ns if pairs_carry(min(len(base_ns), len(new_ns))) else None,
        stages=(),
    )


class HostEnded(str):
    """Why a boot says nothing about its system: the host ended it. No variant is broken by that."""

    __slots__ = ()


class EndedByHost(MeasurementError):
    """The host ended a boot, each time it was made."""


def require_told(why: str, label: str) -> None:
    """Raise EndedByHost where a boot says nothing about its system: what rests on it would depend on the host."""
    if isinstance(why, HostEnded):
        raise EndedByHost(
            f"the host ended a boot of {label}: {why}",
            hint=GO_ON,
        )


def verdict_of_loss(why: str) -> Verdict:
    """Return the verdict on a variant that did not show its function."""
    return Verdict.UNKNOWN if isinstance(why, HostEnded) else Verdict.BROKEN


def why_broken(base: Recording, new: Recording) -> str:
    """Return why a variant lost its function, or "" when it did not. What the check caught must equal the base's.

    A :class:`HostEnded` when the boot does not tell.
    """
    if new.by_host:
        return _overdue(base.meta, new.meta) or HostEnded(f"{new.meta.outcome.value}: {new.meta.reason}")
    if new.meta.outcome is not Outcome.GOAL:
        return f"{new.meta.outcome.value}: {new.meta.reason}".strip(": ")
    if new.meta.check_groups != base.meta.check_groups:
        return f"the functional check's text changed from {base.meta.check_groups} to {new.meta.check_groups}"
    return ""


_OVERDUE = 2
"""A variant that has not reached its goal after so many times the base's is taken for one that does not."""


def _overdue(base: Meta, new: Meta) -> str:
    """Say that a boot which the host ended had long passed the base's goal, in its own time; "" where it had not.

    A guest that computes for ever ends like this on every slow machine: the search must not wait for it each time.
    """
    exact = base.mode == new.mode == "exact" and new.outcome is Outcome.TIME_LIMIT
    if not exact or not base.goal_ns or new.end_ns is None or new.end_ns <= _OVERDUE * base.goal_ns:
        return ""
    return f"no goal by {new.end_ns / 1e6:.0f} virtual ms, the base's comes at {base.goal_ns / 1e6:.0f}: {new.reason}"


def _trial(
    change: Change, base: Recording, new: Recording, verdict: Verdict, reason: str, effect: Effect | None
) -> Trial:
    return Trial(
        change=change,
        verdict=verdict,
        base_key=base.meta.key,
        key=new.meta.key,
        outcome=new.meta.outcome,
        base_ns=base.meta.goal_ns,
        goal_ns=new.meta.goal_ns if new.ok else None,
        base_insns=base.meta.goal_insns,
        goal_insns=new.meta.goal_insns if new.ok else None,
        effect=effect,
        # Results are written as JSON, which knows no kinds of text.
        reason=str(reason),
        stages=stage_deltas(base, new) if new.ok else (),
        console_bytes=new.meta.console_bytes,
        base_console_bytes=base.meta.console_bytes,
        artefact_bytes=new.meta.artefact_bytes,
    )
