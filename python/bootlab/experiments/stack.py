# SPDX-License-Identifier: MIT
"""`stack`: put the winners on top of each other, keep what still pays, and test each by leaving it out.

Every comparison is a sample of boots under dithers, judged as a trial is (bootlab.experiments.trial). A step whose gain
is greater than the whole range of the base's boots takes two boots of each side; a smaller one takes five. Leaving one
out takes one boot where that loses more than the range; for the others the final stack is booted as often as the base
was, and they are judged as trials are.

Where a wait holds the goal (bootlab.analysis.grid) every boot is taken as if it ended where that wait begins: a stack
compared by its goal would keep nothing, or whatever crosses to another point of the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import chain

import msgspec

from bootlab.analysis.sequential_test import cheapest
from bootlab.errors import UserError
from bootlab.experiments import dither
from bootlab.experiments.base import Base, why_lost, with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.board_time import row_of
from bootlab.experiments.closer_look import CloserLook
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.instant import BootInstant
from bootlab.experiments.on_board import saved_between
from bootlab.experiments.on_top import SMALL, OnTop
from bootlab.experiments.stacked import Stacked, StackStep, bundle, left_out, named
from bootlab.experiments.standing import Standing, conflict_in, effects, on_top
from bootlab.experiments.trial import GROUNDS, grounded, require_told, verdict_of_loss, why_broken
from bootlab.experiments.trials import promising_late, winners
from bootlab.model.change import Change, apply_all
from bootlab.model.costs import Costs
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.sample import Sample, Spread
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect, Trial, Verdict
from bootlab.techniques.base import Evidence, Technique

_FULL_BASE = 19
"""The range of at least so many boots tells how far a system scatters (bootlab.analysis.sequential_test.apart)."""
StepSink = Callable[[StackStep | LeaveOneOut], None]


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
        strict: bool = False,
    ) -> None:
        """Remember what is stacked on what.

        `barred` says why a technique must stay out, or "". `strict`: a boot that the host ended raises EndedByHost.
        """
        self._bench, self._barred, self._strict = bench, barred, strict
        if base.rule is None and not base.undithered:
            base = with_dithers(bench, base, cheapest(3 * len(techniques)))
        self._base = base
        self._by_id = {t.id: t for t in techniques}
        self._sink = sink or (lambda _step: None)
        self._here = Standing((), self._boots((), "base"), base.evidence)
        self._instant = BootInstant(base)
        self._steps: list[StackStep] = []

    def expected_boots(self, trials: tuple[Trial, ...]) -> int:
        """Return how many boots the run will take at most, for a progress display."""
        allowed = tuple(t for t in trials if not self._barred(self._by_id[t.change.technique]))
        # Two or five on the stack and one or two left out for each technique; the late ones once more; the final stack.
        stacked = len({t.change.technique for t in winners(allowed)})
        return stacked * 5 + len(promising_late(allowed, self._is_late)[0]) + len(self._base.boots)

    def run(self, trials: tuple[Trial, ...]) -> Stacked:
        """Stack the proved winners, try the late ones again, then leave each out once."""
        allowed = self._let_in(trials)
        self._instant = BootInstant(self._base, allowed)
        self._greedy(tuple(t.change for t in winners(allowed)), "greedy")
        self._greedy(self._late(allowed), "late")
        return self.finished(self.leave_one_out())

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return what is stacked so far."""
        return self._here.changes

    @property
    def standing(self) -> Evidence:
        """Return the system that stands so far, with its boot."""
        return self._here.evidence

    def know(self, technique: Technique) -> None:
        """Let in a technique that was not there at the start: a group of others."""
        self._by_id[technique.id] = technique

    def conflict(self, change: Change, besides: tuple[Change, ...] = ()) -> str:
        """Say why a change cannot stand beside the stack and `besides`, or ""."""
        return conflict_in(change, (*self._here.changes, *besides), self._by_id)

    def offer(self, changes: tuple[Change, ...], phase: str, *, replace: bool = False) -> StackStep | None:
        """Try changes together on top of the stack, and keep all of them if that is proved faster, each with its proof.

        None: they change nothing. `replace`: what they exclude goes; else they stay out.
        """
        there = len(self._steps)
        self._offer(changes, phase, replace=replace)
        return self._steps[-1] if len(self._steps) > there else None

    def prefetch(self, changes: tuple[Change, ...]) -> None:
        """Start the first boot of each change on top of the stack, where several machines run at a time."""
        self.ahead([(change,) for change in changes])
        self._prefetch(self._here.changes, [c for c in changes if c not in self._here.changes], len(changes))

    def ahead(self, groups: Iterable[tuple[Change, ...]], *, kept: bool = False) -> None:
        """Have workers build the kernels of groups on top of the stack; `kept`: each is expected to stay."""
        stacks = on_top(self._here.changes, groups, self._with, self._by_id, kept=kept)
        self._bench.build_ahead(map(self._system, stacks))

    def refuse(self, change: Change, phase: str, reason: str) -> None:
        """Note a change that is not tried."""
        self._note(self._unbooted(change, phase, reason))

    def finished(self, left_out: list[LeaveOneOut], *, waiting: bool = True) -> Stacked:
        """Return how it went, with the boots that the final system's range takes; or, at once, with those there."""
        boots = self._here.boots.there() or self._base.boots
        if waiting:
            boots = self._here.boots.wait(max(self._here.boots.asked, self._fewest))
            self._told("the stack", self._here.boots)
        return Stacked(
            changes=self._here.changes,
            steps=tuple(self._steps),
            left_out=tuple(left_out),
            recording=boots[0],
            boots=boots,
            hold=self._instant.hold,
        )

    def _let_in(self, trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
        reasons = {t.change.id: self._barred(self._by_id[t.change.technique]) for t in trials}
        for trial in winners(trials):
            if reason := reasons[trial.change.id]:
                self._note(self._unbooted(trial.change, "greedy", reason))
        return tuple(t for t in trials if not reasons[t.change.id])

    def _unbooted(self, change: Change, phase: str, reason: str) -> StackStep:
        return StackStep(change=change, before_ns=self._now, after_ns=None, kept=False, phase=phase, reason=reason)

    def _is_late(self, trial: Trial) -> bool:
        return self._by_id[trial.change.technique].late

    def _late(self, trials: tuple[Trial, ...]) -> tuple[Change, ...]:
        promising, hopeless = promising_late(trials, self._is_late)
        for trial in hopeless:
            reason = f"lost {-(trial.saved_ns or 0) / 1e6:.0f} ms alone: too much to be worth another try"
            self._note(self._unbooted(trial.change, "late", reason))
        return tuple(t.change for t in sorted(promising, key=lambda t: t.goal_ns or 0))

    def _greedy(self, changes: tuple[Change, ...], phase: str) -> None:
        queue = list(changes)
        while queue:
            self.ahead([(change,) for change in queue[: self._bench.jobs]], kept=phase == "greedy")
            self._offer((queue.pop(0),), phase, queue, swap=phase == "late")

    def _offer(
        self,
        changes: tuple[Change, ...],
        phase: str,
        queue: list[Change] | None = None,
        *,
        swap: bool = False,
        replace: bool = False,
    ) -> None:
        change, candidate = bundle(changes), self._here.changes
        for one in changes:
            if replace:
                candidate = tuple(c for c in candidate if not conflict_in(one, (c,), self._by_id))
            conflict = conflict_in(one, candidate, self._by_id)
            if conflict and not (swap and self._swaps(one)):
                self._note(self._unbooted(change, phase, conflict))
                return
            candidate = self._with(candidate, one)
        system = self._system(candidate)
        if system == self._here.boots.system:
            return
        try:
            boots = self._boots(candidate, f"stack + {named(changes)}")
            boots.ask(1)
        except GROUNDS as fault:
            verdict, why = grounded(fault, " on top of the others")
            self._note(msgspec.structs.replace(self._unbooted(change, phase, why), verdict=verdict))
            return
        if queue:
            self._prefetch(candidate if phase == "greedy" else self._here.changes, queue)
        self._decide(changes, candidate, boots, phase)

    def _prefetch(self, expected: tuple[Change, ...], queue: list[Change], most: int = 1) -> None:
        # The other core boots what comes next: winners are mostly kept, late ones mostly not.
        following = [c for c in queue if most > 1 or not conflict_in(c, expected, self._by_id)]
        for change in following[: most if self._bench.jobs > 1 else 0]:
            boots = self._boots(self._with(expected, change), f"stack + {change.id}")
            # A kernel takes a minute: only what is sure to be wanted is built. What cannot be built is told in turn.
            if boots.system.kernel.build == self._system(expected).kernel.build:
                with suppress(*GROUNDS):
                    boots.ask(1)

    def _decide(
        self, changes: tuple[Change, ...], candidate: tuple[Change, ...], boots: DitheredBoots, phase: str
    ) -> None:
        change = bundle(changes)
        unproved: tuple[tuple[str, str], ...] = ()
        label = f"stack + {named(changes)}"
        first = boots.wait(1)[0]
        broken = self._lost(boots, label)
        there = Standing(candidate, boots, Evidence(system=boots.system, recording=first))
        effect: Effect | None = None
        verdict, reason = verdict_of_loss(broken), broken
        if not broken:
            verdict, reason = self._on_top.compare(self._here.boots, boots)
            self._told(label, self._here.boots, boots)
        if verdict is Verdict.FASTER:
            sides = ((self._here, "stack"), (there, label))
            effect, unproved = effects(CloserLook(self._bench, self._base), changes, self._by_id, *sides)
            if not effect.shown:
                verdict, reason = Verdict.NO_EFFECT, f"no proof of effect on top of the others: {effect.evidence}"
        kept = verdict is Verdict.FASTER
        before, after = Spread.of(self._instant.times_ns(self._here.boots)), Spread.of(self._instant.times_ns(boots))
        self._note(
            StackStep(
                change=change,
                members=changes if len(changes) > 1 else (),
                unproved=unproved,
                before_ns=before.median_ns if before else 0,
                after_ns=after.median_ns if after and verdict is not Verdict.BROKEN else None,
                kept=kept,
                phase=phase,
                reason=str(reason),
                key=first.meta.key,
                verdict=verdict,
                effect=effect,
                board=row_of(self._costs, named(changes), first),
                saved_there=saved_between(self._costs, self._here.boots.wait(1)[0], first),
                before=before,
                after=after if verdict is not Verdict.BROKEN else None,
            )
        )
        if kept:
            self._here = there

    def _without(self, change: Change) -> DitheredBoots | str:
        boots = self._boots(self._but(change), f"without {change.id}")
        try:
            boots.ask(1)
        except UserError as fault:
            return f"the others {grounded(fault, ' without it')[1]}"
        return boots

    def leave_one_out(
        self,
        spared: Callable[[Change], str] = lambda _change: "",
        *,
        dear: Callable[[Change], bool] = lambda _change: False,
    ) -> list[LeaveOneOut]:
        """Leave each change out once, and drop what the stack is as fast without.

        `spared` says why one just stays, and is asked just before its boots. `dear`: what takes a build comes last.
        """
        rows: list[LeaveOneOut] = []
        if self._here.changes:
            self._here.boots.ask(self._fewest)
        useless: list[Change] = []
        last = [change for change in self._here.changes if dear(change)]
        self._bench.build_ahead(self._system(self._but(one)) for one in self._here.changes if not spared(one))
        # All that only boots at once, so that every core has work; builds one by one, as far as the time goes.
        asked = [(one, spared(one) or self._without(one)) for one in self._here.changes if one not in last]
        for change, boots in chain(asked, ((one, spared(one) or self._without(one)) for one in last)):
            row = self._left_out(change, boots)
            if not row.kept:
                useless.append(change)
            rows.append(row)
            self._sink(row)
        for change in self._drop(useless):
            # Each of two may be worth nothing while the other is there.
            index = next(i for i, row in enumerate(rows) if row.change_id == change.id)
            rows[index] = msgspec.structs.replace(rows[index], kept=True, reason="needed once others were dropped")
        return rows

    def _left_out(self, change: Change, boots: DitheredBoots | str) -> LeaveOneOut:
        if isinstance(boots, str):
            return LeaveOneOut(change_id=change.id, reason=boots)
        broken, verdict, saved_ns = self._against_stack(boots, f"without {change.id}")
        spread = Spread.of(self._instant.times_ns(boots)) if not broken else None
        first = boots.wait(1)[0]
        row = left_out(change, verdict, saved_ns, spread, broken=str(broken), key=first.meta.key)
        there = None if broken else saved_between(self._costs, first, self._here.boots.wait(1)[0])
        return msgspec.structs.replace(row, cost_there=there)

    def _against_stack(self, boots: DitheredBoots, label: str) -> tuple[str, Verdict, int]:
        """Judge another system against the stack: why it is broken, else its verdict and what it saves."""
        if broken := self._lost(boots, label):
            return broken, Verdict.BROKEN, 0
        # By any later boot too: the ones that the comparison makes are told as they come.
        told = partial(self._told, label, self._here.boots, boots)
        return self._on_top.against(self._here.boots, boots, len(self._base.boots), told)

    def _lost(self, boots: DitheredBoots, label: str) -> str:
        broken = why_lost(self._bench, self._base, boots.system, boots.wait(1)[0], label)
        if self._strict:
            require_told(broken, label)
        return broken

    def _told(self, label: str, *sides: DitheredBoots) -> None:
        for recording in (one for side in sides for one in side.recordings()) if self._strict else ():
            require_told(why_broken(self._base.recording, recording), label)

    def _drop(self, useless: list[Change]) -> list[Change]:
        """Drop what the stack is as fast without: all at once, or else one by one. Return what had to stay."""
        if not useless or self._drops(useless):
            return []
        return [change for change in useless if len(useless) == 1 or not self._drops([change])]

    def _drops(self, changes: list[Change]) -> bool:
        lean = tuple(c for c in self._here.changes if c not in changes)
        label = "the stack without what no longer helps"
        boots = self._boots(lean, label)
        broken, verdict, _ = self._against_stack(boots, label)
        if broken or verdict not in {Verdict.SAME, Verdict.FASTER}:
            return False
        self._here = Standing(lean, boots, Evidence(system=boots.system, recording=boots.wait(1)[0]))
        # What is dropped next is compared with this one.
        boots.ask(self._fewest)
        return True

    @property
    def _full(self) -> bool:
        """Whether the base's range tells how far a system scatters."""
        return len(self._base.boots) >= _FULL_BASE

    @property
    def _costs(self) -> Costs | None:
        return self._base.system.costs

    @property
    def _on_top(self) -> OnTop:
        return OnTop(
            rule=self._base.rule,
            full=self._full,
            range_ns=self._instant.range_ns,
            sample=self._sample,
            costs=self._costs,
        )

    @property
    def _fewest(self) -> int:
        """How many boots the final system has at least: its median and range stand in the report."""
        return min(len(self._base.boots), SMALL.base_boots)

    def _boots(self, changes: tuple[Change, ...], label: str) -> DitheredBoots:
        return DitheredBoots(self._bench, self._system(changes), label, dithers=self._base.dithers)

    def _sample(self, before: DitheredBoots, after: DitheredBoots) -> Sample:
        names = tuple(dither.name(number) for number in self._base.dithers)
        return Sample(
            base=self._instant.seen(before.recordings()), variant=self._instant.seen(after.recordings()), dithers=names
        )

    def _system(self, changes: tuple[Change, ...]) -> SystemDescription:
        return apply_all(self._base.system, changes)

    def _but(self, change: Change) -> tuple[Change, ...]:
        return tuple(c for c in self._here.changes if c is not change)

    def _swaps(self, change: Change) -> bool:
        same = [c for c in self._here.changes if c.technique == change.technique]
        return bool(same) and all(c.id != change.id for c in same) and self._by_id[change.technique].exclusive

    def _with(self, stack: tuple[Change, ...], change: Change) -> tuple[Change, ...]:
        if self._by_id[change.technique].exclusive:
            stack = tuple(c for c in stack if c.technique != change.technique)
        return (*stack, change)

    @property
    def _now(self) -> int:
        return spread.median_ns if (spread := Spread.of(self._instant.times_ns(self._here.boots))) else 0

    def _note(self, step: StackStep) -> None:
        self._steps.append(step)
        self._sink(step)
