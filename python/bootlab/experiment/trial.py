"""One variant against its base: a verdict with its proof."""

from __future__ import annotations

import msgspec

from bootlab.analysis import statistics
from bootlab.analysis.stages import stage_deltas
from bootlab.model.change import Change
from bootlab.model.recording import Outcome, Recording
from bootlab.model.verdict import Effect, Trial, Verdict
from bootlab.techniques.base import Evidence, Technique

SAME_NS = 50_000
"""Exact differences up to this are always called the same: reading and printing a longer command line costs that."""


def judge_exact(
    technique: Technique,
    change: Change,
    before: Evidence,
    after: Evidence,
    *,
    same_ns: int = SAME_NS,
    broken: str | None = None,
) -> Trial:
    """Compare two exact boots. Broken comes before proof, proof before the difference.

    `same_ns`: what an irrelevant change moves the goal by (placebo boots); no more than that is called the same.
    `broken`: why the variant lost its function (""), when more than the two recordings was looked at.
    """
    base, new = before.recording, after.recording
    if broken is None:
        broken = why_broken(base, new)
    effect = Effect(shown=False, evidence="") if broken else technique.took_effect(before, after)
    saved = _saved(base, new)
    if broken:
        verdict, reason = verdict_of_loss(broken), str(broken)
    elif not effect.shown:
        verdict, reason = Verdict.NO_EFFECT, effect.evidence
    elif saved is None:
        verdict, reason = Verdict.UNKNOWN, "the goal's time is not known"
    elif abs(saved) <= same_ns:
        verdict, reason = (
            Verdict.SAME,
            f"within the {same_ns / 1e6:.3f} ms that a placebo moves the goal by",
        )
    else:
        verdict, reason = (Verdict.FASTER if saved > 0 else Verdict.SLOWER), ""
    return _trial(change, base, new, verdict, reason, effect)


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
    technique: Technique, change: Change, before: list[Evidence], after: list[Evidence], *, tests: int, broken: str = ""
) -> Trial:
    """Compare boots on the host's clock, taken in the same blocks."""
    base, new = before[0].recording, after[0].recording
    for other in after:
        if broken := broken or why_broken(base, other.recording):
            nothing = Effect(shown=False, evidence="")
            return _trial(change, base, other.recording, verdict_of_loss(broken), str(broken), nothing)
    effect = technique.took_effect(before[0], after[0])
    base_ns = tuple(e.recording.meta.goal_ns or 0 for e in before)
    new_ns = tuple(e.recording.meta.goal_ns or 0 for e in after)
    found = statistics.compare(base_ns, new_ns, tests=tests)
    trial = _trial(change, base, new, found.verdict if effect.shown else Verdict.NO_EFFECT, "", effect)
    middle = sorted(base_ns)[len(base_ns) // 2]
    return _with_samples(trial, middle, middle - found.saved_ns, base_ns, new_ns, found)


def _with_samples(
    trial: Trial,
    base_median: int,
    median: int,
    base_ns: tuple[int, ...],
    new_ns: tuple[int, ...],
    found: statistics.WallComparison,
) -> Trial:
    return msgspec.structs.replace(
        trial,
        base_ns=base_median,
        goal_ns=median,
        samples_ns=new_ns,
        base_samples_ns=base_ns,
        p_value=found.p_value,
        interval_ns=found.interval_ns,
        stages=(),
    )


class HostEnded(str):
    """Why a boot says nothing about its system: the host ended it. No variant is broken by that."""

    __slots__ = ()


def verdict_of_loss(why: str) -> Verdict:
    """Return the verdict on a variant that did not show its function."""
    return Verdict.UNKNOWN if isinstance(why, HostEnded) else Verdict.BROKEN


def why_broken(base: Recording, new: Recording) -> str:
    """Return why a variant lost its function, or "" when it did not. What the check caught must equal the base's.

    A :class:`HostEnded` when the boot does not tell.
    """
    if new.by_host:
        return HostEnded(f"{new.meta.outcome.value}: {new.meta.reason}")
    if new.meta.outcome is not Outcome.GOAL:
        return f"{new.meta.outcome.value}: {new.meta.reason}".strip(": ")
    if new.meta.check_groups != base.meta.check_groups:
        return f"the functional check's text changed from {base.meta.check_groups} to {new.meta.check_groups}"
    return ""


def _saved(base: Recording, new: Recording) -> int | None:
    if base.meta.goal_ns is None or new.meta.goal_ns is None or base.meta.goal_clock != new.meta.goal_clock:
        return None
    return base.meta.goal_ns - new.meta.goal_ns


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
        reason=reason,
        stages=stage_deltas(base, new) if new.ok else (),
        console_bytes=new.meta.console_bytes,
        base_console_bytes=base.meta.console_bytes,
        artefact_bytes=new.meta.artefact_bytes,
    )
