# SPDX-License-Identifier: MIT
"""What stacking came to: the steps, what leaving each out costs, the system that stands at the end."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.model.change import Change
from bootlab.model.costs import Between, BoardRow
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.recording import Recording
from bootlab.model.sample import Spread
from bootlab.model.verdict import Effect, Hold, Verdict


class StackStep(msgspec.Struct, frozen=True, kw_only=True):
    """One change tried on top of the stack so far, or several together (`members`).

    `unproved`: ids of members whose effect was not shown, with the reason.

    Times are medians; `before` and `after` tell how many boots they rest on. `effect`: the proof that the change was
    active in the stacked boot, None where none was sought. `board`: the board's time with it, where costs are given;
    `saved_there`: what it saves by that time, nanoseconds.
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
    board: BoardRow | None = None
    saved_there: Between | None = None
    unproved: tuple[tuple[str, str], ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return every change that was tried in this step."""
        return self.members or (self.change,)

    @property
    def saved_ns(self) -> int:
        """Time saved on top of the stack; 0 when it did not reach its goal."""
        return self.before_ns - self.after_ns if self.after_ns is not None else 0

    @property
    def best_ns(self) -> int:
        """Time saved by the time that decides: on a board that suits it best."""
        return self.saved_ns if self.saved_there is None else round(self.saved_there.high)


class Stacked(msgspec.Struct, frozen=True, kw_only=True):
    """The result: the changes that stand at the end, and how they got there. `boots`: of the final system.

    `hold`: the wait that holds the goal; steps were then compared where it begins, and their times are of that instant.
    """

    changes: tuple[Change, ...]
    steps: tuple[StackStep, ...]
    left_out: tuple[LeaveOneOut, ...]
    recording: Recording
    boots: tuple[Recording, ...] = ()
    hold: Hold | None = None


def left_out(
    change: Change, verdict: Verdict, saved_ns: int, spread: Spread | None, *, broken: str, key: str
) -> LeaveOneOut:
    """Return what leaving a change out came to. `saved_ns`: what it saves. `broken`: why it lost its goal."""
    keep = bool(broken) or verdict in {Verdict.SLOWER, Verdict.UNKNOWN, Verdict.DEPENDS}
    return LeaveOneOut(
        change_id=change.id,
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
    each = {name: effect.evidence for name, effect in found if effect.shown}
    return Effect(not missing, "; ".join(f"{name}: {evidence}" for name, evidence in said), each), missing


def sentence(step: StackStep | LeaveOneOut) -> str:
    """Say in one line what a step came to."""
    if isinstance(step, LeaveOneOut):
        if not step.key:
            return f"  {step.change_id} stays: {step.reason}"
        cost = f"{step.cost_ns / 1e6:+.3f} ms" if step.cost_ns is not None else "no goal"
        cost += "" if step.cost_there is None else f", {step.cost_there.text(1e6)} ms on the board"
        return f"  without {step.change_id}: {cost}; {'it stays' if step.kept else step.reason}"
    what = f"{len(step.changes)} changes: " if len(step.changes) > 1 else ""
    what += ", ".join(change.id for change in step.changes)
    if step.kept:
        there = "" if step.saved_there is None else f"; saves {step.saved_there.text(1e6)} ms on the board"
        return f"  kept {what}: {step.before_ns / 1e6:.3f} to {(step.after_ns or 0) / 1e6:.3f} ms{there}"
    return f"  not kept {what}: {step.reason or step.verdict.value}"
