"""What stacking came to: the steps, what leaving each out costs, the system that stands at the end."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.model.change import Change
from bootlab.model.recording import Recording
from bootlab.model.sample import Spread
from bootlab.model.verdict import Effect, Hold, Verdict


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One change tried on top of the stack so far, or several together (`members`).

    `unproved`: ids of members whose effect was not shown, with the reason.

    Times are medians; `before` and `after` tell how many boots they rest on. `effect`: the proof that the change was
    active in the stacked boot, None where none was sought.
    """

    change: Change
    before_ns: int
    after_ns: int | None
    kept: bool
    phase: str
    reason: str = ""
    key: str = ""
    verdict: Verdict = Verdict.NOT_BOOTED
    effect: Effect | None = None
    before: Spread | None = None
    after: Spread | None = None
    members: tuple[Change, ...] = ()
    unproved: tuple[tuple[str, str], ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return every change that was tried in this step."""
        return self.members or (self.change,)

    @property
    def saved_ns(self) -> int:
        """Time saved on top of the stack; 0 when it did not reach its goal."""
        return self.before_ns - self.after_ns if self.after_ns is not None else 0


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """The final stack without one of its changes. `cost_ns`: how much later the goal comes without it."""

    change: Change
    goal_ns: int | None
    cost_ns: int | None
    kept: bool
    reason: str = ""
    key: str = ""
    verdict: Verdict = Verdict.UNKNOWN
    spread: Spread | None = None


class Stacked(msgspec.Struct, frozen=True, kw_only=True):
    """The result: the changes that stand at the end, and how they got there. `boots`: of the final system.

    `hold`: the wait that holds the goal; steps were then compared where it begins, and their times are of that instant.
    """

    changes: tuple[Change, ...]
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...]
    recording: Recording
    boots: tuple[Recording, ...] = ()
    hold: Hold | None = None


def left_out(
    change: Change, verdict: Verdict, saved_ns: int, spread: Spread | None, *, broken: str, key: str
) -> LeftOut:
    """Return what leaving a change out came to. `saved_ns`: what it saves. `broken`: why it lost its goal."""
    keep = bool(broken) or verdict in {Verdict.SLOWER, Verdict.UNKNOWN}
    return LeftOut(
        change=change,
        goal_ns=spread.median_ns if spread else None,
        cost_ns=-saved_ns if spread else None,
        kept=keep,
        reason=broken or ("" if keep else "the stack is as fast without it"),
        key=key,
        verdict=verdict,
        spread=spread,
    )


def named(changes: tuple[Change, ...]) -> str:
    """Return a short name of changes that are tried together."""
    return changes[0].id if len(changes) == 1 else f"{len(changes)} changes"


def bundle(changes: tuple[Change, ...]) -> Change:
    """Return several changes as one, for a report; a single one as it is."""
    if len(changes) == 1:
        return changes[0]
    ids = " + ".join(change.id for change in changes)
    return Change(technique="group", label=ids, ops=tuple(op for change in changes for op in change.ops))


def effect_of_all(found: Sequence[tuple[str, Effect]]) -> tuple[Effect, tuple[tuple[str, str], ...]]:
    """Return the proof of all changes together, by id, and those without one, with the reason."""
    missing = tuple((name, effect.evidence) for name, effect in found if not effect.shown)
    if len(found) == 1:
        return found[0][1], missing
    said = missing or [(name, effect.evidence) for name, effect in found]
    return Effect(not missing, "; ".join(f"{name}: {evidence}" for name, evidence in said)), missing


def sentence(step: Step | LeftOut) -> str:
    """Say in one line what a step came to."""
    if isinstance(step, LeftOut):
        if not step.key:
            return f"  {step.change.id} stays: {step.reason}"
        cost = f"{step.cost_ns / 1e6:+.3f} ms" if step.cost_ns is not None else "no goal"
        return f"  without {step.change.id}: {cost}; {'it stays' if step.kept else step.reason}"
    what = f"{len(step.changes)} changes: " if len(step.changes) > 1 else ""
    what += ", ".join(change.id for change in step.changes)
    if step.kept:
        return f"  kept {what}: {step.before_ns / 1e6:.3f} to {(step.after_ns or 0) / 1e6:.3f} ms"
    return f"  not kept {what}: {step.reason or step.verdict.value}"
