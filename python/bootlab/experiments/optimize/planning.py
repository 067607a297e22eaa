# SPDX-License-Identifier: MIT
"""Makes the plan of an optimisation from a base that was booted: what applies, in which order, what it may bring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bootlab.errors import BootlabError
from bootlab.experiments.base import Base
from bootlab.experiments.selection import Selection
from bootlab.experiments.trials import Applicability, proposals
from bootlab.logs import analyze
from bootlab.model.change import Change, ExtendParam
from bootlab.model.plan import BUILDS, PHASES, PhaseName, Plan, PlannedPhase, PlannedTechnique, phase_of
from bootlab.techniques.base import Answer, Technique
from bootlab.techniques.remedies import remedy
from bootlab.techniques.scope import ask

_BUILD_WALL_S = 120.0
"""What a kernel build is taken for: nothing was built yet that tells."""

_BLACKLIST = "initcall_blacklist"

_BASIS_LENGTH = 160
_BASES = {"printed": "printed in the log", "computed": "computed from the log", "published": "published elsewhere"}


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What the evidence says that a technique may save, and what that evidence is."""

    gain_ns: int
    basis: str


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asks for: which techniques, how long, whether the kernel is shrunk, what is checked at the end."""

    selection: Selection = Selection()
    budget_s: float | None = None
    rounds: int = 2
    shrink: bool = False
    keep: tuple[str, ...] = ()
    final: tuple[str, ...] = ()


def plan_of(base: Base, wishes: Wishes, *, jobs: int) -> tuple[Plan, tuple[Applicability, ...]]:
    """Plan from a base; also return what every technique said. Nothing is booted."""
    chosen = wishes.selection.techniques()
    answered, pairs = proposals(base, chosen, forced=wishes.selection.forced)
    by_technique: defaultdict[str, list[Change]] = defaultdict(list)
    for technique, change in pairs:
        by_technique[technique.id].append(change)
    gains = expected_gains(base, by_technique)
    planned: defaultdict[PhaseName, list[PlannedTechnique]] = defaultdict(list)
    answers = {one.technique: one.applies for one in answered}
    for technique in chosen:
        if changes := by_technique.get(technique.id):
            barred = wishes.selection.why_not_stacked(technique)
            gain = gains.get(technique.id)
            planned[phase_of(tuple(changes))].append(
                PlannedTechnique(
                    id=technique.id,
                    take=not barred,
                    why_not=barred,
                    gain_ns=gain.gain_ns if gain else None,
                    basis=gain.basis if gain else _published(technique),
                    reason=answers[technique.id].reason,
                    risk=technique.risk.kinds,
                    conflicts=tuple(other for other in technique.conflicts if other in by_technique),
                    requires=technique.requires,
                    variants=tuple(change.label for change in changes) if len(changes) > 1 else (),
                    late=technique.late or answers[technique.id].answer is Answer.UNKNOWN,
                )
            )
    phases = tuple(_phase(name, planned[name]) for name in PHASES if planned[name])
    plan = Plan(
        system=base.system.path or "",
        allow=tuple(sorted(wishes.selection.allow)),
        also=wishes.selection.also,
        budget_s=wishes.budget_s,
        rounds=wishes.rounds,
        shrink=wishes.shrink,
        keep=wishes.keep,
        final=wishes.final,
        base_ns=base.recording.meta.goal_ns,
        boot_wall_s=base.recording.meta.wall_s,
        build_wall_s=_BUILD_WALL_S,
        jobs=jobs,
        phases=phases,
        unbuilt=_unbuilt(base, chosen),
    )
    return plan, tuple(answered)


def _unbuilt(base: Base, chosen: tuple[Technique, ...]) -> tuple[str, ...]:
    """Return techniques that would apply if bootlab could build the system's kernel."""
    if base.system.kernel.build is not None or base.system.board is not None:
        return ()
    context = base.context
    building = [technique for technique in chosen if technique.builds]
    return tuple(one.id for one in building if ask(one, context).answer is Answer.YES)


def expected_gains(base: Base, changes: dict[str, list[Change]]) -> dict[str, Expected]:
    """Return what the log of the diagnostic boot says of each technique: costs that it addresses, initcalls it drops.

    Times of the diagnostic boot: they order the search and stand in no result.
    """
    gains: dict[str, Expected] = {}
    diagnosis = base.diagnosis
    recording = diagnosis.recording if diagnosis is not None else base.recording
    for cost in _costs(recording.path):
        ns = cost[1]
        if ns and ns > gains.get(cost[0], Expected(gain_ns=0, basis="")).gain_ns:
            gains[cost[0]] = Expected(gain_ns=ns, basis=cost[2][:_BASIS_LENGTH])
    calls = {} if diagnosis is None else {call.function: call.duration_ns for call in diagnosis.initcalls}
    for technique, own in changes.items():
        named = _blacklisted(own)
        total = sum(calls.get(name, 0) for name in named)
        if total > gains.get(technique, Expected(gain_ns=0, basis="")).gain_ns:
            gains[technique] = Expected(gain_ns=total, basis=f"initcalls that it leaves out: {', '.join(named[:3])}")
    return gains


def _costs(folder: str | None) -> Iterable[tuple[str, int | None, str]]:
    if folder is None:
        return
    try:
        analysis = analyze(Path(folder) / "console.log")
        for boot in analysis.boots:
            for cost in boot.costs:
                sentence = f"{_BASES.get(cost.basis, cost.basis)}: {cost.title}"
                for technique in remedy(cost.kind).techniques:
                    yield technique, cost.gain_ns if cost.gain_ns is not None else cost.cost_ns, sentence
    except (BootlabError, OSError):
        # A log that cannot be read orders nothing.
        return


def _blacklisted(changes: list[Change]) -> tuple[str, ...]:
    words = [op.value for c in changes for op in c.ops if isinstance(op, ExtendParam) and op.key == _BLACKLIST]
    return tuple(dict.fromkeys(name for word in words for name in word.split(",")))


def _published(technique: Technique) -> str:
    gain = technique.published[0] if technique.published else None
    return f"published elsewhere: {gain.gain} ({gain.machine})" if gain is not None else ""


def _phase(name: PhaseName, techniques: list[PlannedTechnique]) -> PlannedPhase:
    ordered = sorted(techniques, key=lambda t: (not t.take, -(t.gain_ns or 0)))
    return _estimated(PlannedPhase(name=name, techniques=tuple(ordered)))


def estimated(plan: Plan) -> Plan:
    """Return a plan that was edited, with what it takes now."""
    return msgspec.structs.replace(plan, phases=tuple(_estimated(phase) for phase in plan.phases))


def _estimated(phase: PlannedPhase) -> PlannedPhase:
    taken = [t for t in phase.techniques if t.take]
    # A group takes a diagnosis of both sides and two boots, and halves where it fails; each kept one is left out once.
    choices = sum(len(t.variants) for t in taken)
    singles = len(taken) - sum(1 for t in taken if t.variants)
    boots = (6 if singles else 0) + 2 * singles + 2 * choices
    builds = 2 * singles + choices if phase.name == BUILDS and taken else 0
    return msgspec.structs.replace(phase, boots=boots, builds=builds)
