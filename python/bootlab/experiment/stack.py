"""`stack`: put the winners on top of each other, keep what still pays, and test each by leaving it out."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from bootlab.errors import BuildError
from bootlab.experiment.bench import Bench
from bootlab.experiment.evidence import Base, why_lost
from bootlab.experiment.trying import winners
from bootlab.model.change import Change, apply_all
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.model.verdict import Trial, Verdict
from bootlab.techniques.base import Technique

_HOPELESS_SHARE = 0.05
"""A late technique that lost more than this share of the base alone is not booted again."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One change tried on top of the stack so far."""

    change: Change
    before_ns: int
    after_ns: int | None
    kept: bool
    phase: str
    reason: str = ""
    key: str = ""

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


class Stacked(msgspec.Struct, frozen=True, kw_only=True):
    """The result: the changes that stand at the end, and how they got there."""

    changes: tuple[Change, ...]
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...]
    recording: Recording


StepSink = Callable[[Step | LeftOut], None]


class Stacker:
    """Greedy stacking over exact boots."""

    def __init__(
        self,
        bench: Bench,
        base: Base,
        techniques: tuple[Technique, ...],
        *,
        barred: Callable[[Technique], str] = lambda _technique: "",
        sink: StepSink | None = None,
    ) -> None:
        """Remember what is stacked on what. `barred` says why a technique must stay out, or ""."""
        self._barred = barred
        self._bench = bench
        self._base = base
        self._by_id = {t.id: t for t in techniques}
        self._sink = sink or (lambda _step: None)
        self._stack: tuple[Change, ...] = ()
        self._best = base.recording
        self._steps: list[Step] = []

    def expected_boots(self, trials: tuple[Trial, ...]) -> int:
        """Return how many boots the run will take at most, for a progress display."""
        allowed = tuple(t for t in trials if not self._barred(self._by_id[t.change.technique]))
        # One on the stack and one left out for each technique; the late ones once more; the lean stack.
        stacked = len({t.change.technique for t in winners(allowed)})
        return stacked * 2 + len(self._promising_late(allowed)[0]) + 1

    def run(self, trials: tuple[Trial, ...]) -> Stacked:
        """Stack the proved winners, try the late ones again, then leave each out once."""
        allowed = self._let_in(trials)
        self._greedy(tuple(t.change for t in winners(allowed)), "greedy")
        self._greedy(self._late(allowed), "late")
        left_out = self._leave_one_out()
        return Stacked(changes=self._stack, steps=tuple(self._steps), left_out=tuple(left_out), recording=self._best)

    def _let_in(self, trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
        reasons = {t.change.id: self._barred(self._by_id[t.change.technique]) for t in trials}
        for trial in winners(trials):
            if reason := reasons[trial.change.id]:
                self._note(self._unbooted(trial.change, "greedy", reason))
        return tuple(t for t in trials if not reasons[t.change.id])

    def _unbooted(self, change: Change, phase: str, reason: str) -> Step:
        return Step(change=change, before_ns=self._now, after_ns=None, kept=False, phase=phase, reason=reason)

    def _promising_late(self, trials: tuple[Trial, ...]) -> tuple[list[Trial], list[Trial]]:
        # Whatever works on this kernel at all, also what lost on the base: its sign may have turned.
        usable = {Verdict.FASTER, Verdict.SLOWER, Verdict.SAME}
        late = [t for t in trials if t.verdict in usable and self._by_id[t.change.technique].late]
        hopeless = [t for t in late if (t.saved_ns or 0) < -_HOPELESS_SHARE * (t.base_ns or 0)]
        return [t for t in late if t not in hopeless], hopeless

    def _late(self, trials: tuple[Trial, ...]) -> tuple[Change, ...]:
        promising, hopeless = self._promising_late(trials)
        for trial in hopeless:
            lost_ms = -(trial.saved_ns or 0) / 1e6
            reason = f"lost {lost_ms:.0f} ms alone, more than a stack turns: not tried again"
            self._note(self._unbooted(trial.change, "late", reason))
        return tuple(t.change for t in sorted(promising, key=lambda t: t.goal_ns or 0))

    def _greedy(self, changes: tuple[Change, ...], phase: str) -> None:
        queue = list(changes)
        while queue:
            change = queue.pop(0)
            conflict = self._conflict(change)
            swap = phase == "late" and self._swaps(change)
            if conflict and not swap:
                self._note(self._unbooted(change, phase, conflict))
                continue
            candidate = self._with(change)
            if self._system(candidate) == self._system(self._stack):
                continue
            try:
                future = self._bench.submit(self._system(candidate), f"stack + {change.id}")
            except BuildError as fault:
                self._note(self._unbooted(change, phase, f"cannot be built on top of the others: {fault.message}"))
                continue
            self._prefetch(candidate, queue)
            self._decide(change, candidate, self._bench.wait(future), phase)

    def _prefetch(self, candidate: tuple[Change, ...], queue: list[Change]) -> None:
        # The other core boots what comes next if this one is kept, which is the likely case.
        if self._bench.jobs < 2:
            return
        following = next((c for c in queue if not _conflict_in(c, candidate, self._by_id)), None)
        if following is not None:
            system = self._system((*candidate, following))
            # A kernel takes a minute to build: only what is sure to be wanted is built.
            if system.kernel.build == self._system(candidate).kernel.build:
                self._bench.submit(system, f"stack + {following.id}")

    def _decide(self, change: Change, candidate: tuple[Change, ...], recording: Recording, phase: str) -> None:
        broken = why_lost(self._bench, self._base, self._system(candidate), recording, f"stack + {change.id}")
        before = self._now
        after = recording.meta.goal_ns if not broken else None
        kept = after is not None and before - after > self._base.same_ns
        reason = broken or ("" if kept else "no gain on top of the others")
        self._note(
            Step(
                change=change,
                before_ns=before,
                after_ns=after,
                kept=kept,
                phase=phase,
                reason=reason,
                key=recording.meta.key,
            )
        )
        if kept:
            self._stack, self._best = candidate, recording

    def _without(self, change: Change) -> Future[Recording] | str:
        system = self._system(tuple(c for c in self._stack if c is not change))
        try:
            return self._bench.submit(system, f"without {change.id}")
        except BuildError as fault:
            return f"the others cannot be built without it: {fault.message}"

    def _leave_one_out(self) -> list[LeftOut]:
        rows: list[LeftOut] = []
        stack = self._stack
        futures = [self._without(change) for change in stack]
        useless: list[Change] = []
        for change, future in zip(stack, futures, strict=True):
            if isinstance(future, str):
                row = LeftOut(change=change, goal_ns=None, cost_ns=None, kept=True, reason=future, key="")
                rows.append(row)
                self._sink(row)
                continue
            recording = self._bench.wait(future)
            without = tuple(c for c in stack if c is not change)
            broken = why_lost(self._bench, self._base, self._system(without), recording, f"without {change.id}")
            goal = recording.meta.goal_ns if not broken else None
            cost = None if goal is None else goal - self._now
            keep = cost is None or cost > self._base.same_ns
            if not keep:
                useless.append(change)
            row = LeftOut(
                change=change,
                goal_ns=goal,
                cost_ns=cost,
                kept=keep,
                reason=broken or ("" if keep else "the stack is as fast without it"),
                key=recording.meta.key,
            )
            rows.append(row)
            self._sink(row)
        for change in self._drop(useless):
            # Each of two may be worth nothing while the other is there.
            index = next(i for i, row in enumerate(rows) if row.change is change)
            rows[index] = msgspec.structs.replace(rows[index], kept=True, reason="needed once others were dropped")
        return rows

    def _drop(self, useless: list[Change]) -> list[Change]:
        """Drop what the stack is as fast without: all at once, or else one by one. Return what had to stay."""
        if not useless or self._drops(useless):
            return []
        return [change for change in useless if len(useless) == 1 or not self._drops([change])]

    def _drops(self, changes: list[Change]) -> bool:
        lean = tuple(c for c in self._stack if c not in changes)
        label = "the stack without what no longer helps"
        recording = self._bench.boot(self._system(lean), label)
        good = not why_lost(self._bench, self._base, self._system(lean), recording, label)
        if good and (recording.meta.goal_ns or 0) <= self._now + self._base.same_ns:
            self._stack, self._best = lean, recording
            return True
        return False

    def _system(self, changes: tuple[Change, ...]) -> System:
        return apply_all(self._base.system, changes)

    def _conflict(self, change: Change) -> str:
        return _conflict_in(change, self._stack, self._by_id)

    def _swaps(self, change: Change) -> bool:
        same = [c for c in self._stack if c.technique == change.technique]
        return bool(same) and all(c.id != change.id for c in same) and self._by_id[change.technique].exclusive

    def _with(self, change: Change) -> tuple[Change, ...]:
        if self._by_id[change.technique].exclusive:
            kept = tuple(c for c in self._stack if c.technique != change.technique)
            return (*kept, change)
        return (*self._stack, change)

    @property
    def _now(self) -> int:
        return self._best.meta.goal_ns or 0

    def _note(self, step: Step) -> None:
        self._steps.append(step)
        self._sink(step)


def _conflict_in(change: Change, stack: tuple[Change, ...], techniques: dict[str, Technique]) -> str:
    technique = techniques[change.technique]
    for other in stack:
        if other.technique == change.technique:
            if technique.exclusive or other.id == change.id:
                return f"{other.id} is in the stack already"
        elif other.technique in technique.conflicts or change.technique in techniques[other.technique].conflicts:
            return f"it excludes {other.id}, which is in the stack"
    return ""
