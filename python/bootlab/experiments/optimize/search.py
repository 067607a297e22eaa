# SPDX-License-Identifier: MIT
"""The search: phases of a plan, each as groups that are halved where they fail, on top of what stands.

Everything goes through one stack engine (bootlab.experiments.stack). A group is kept when the system with all of it is
proved faster and every member shows its effect. What is left is tried again at the end, when its sign may have turned,
and then each change that was kept is left out once.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from contextlib import suppress

import msgspec

from bootlab import techniques
from bootlab.analysis.sequential_test import cheapest
from bootlab.experiments.base import Base, diagnosis_of, establish, with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.ending import Tries
from bootlab.experiments.on_board import least_saved_ns
from bootlab.experiments.optimize.final import FinalChecks
from bootlab.experiments.optimize.floor import floor_found
from bootlab.experiments.optimize.hardening import hardening
from bootlab.experiments.optimize.interactions import with_partners
from bootlab.experiments.optimize.optimized import Optimized, Teller, proved_so_far
from bootlab.experiments.optimize.parts import in_part, parts_of
from bootlab.experiments.optimize.planning import expected_gains
from bootlab.experiments.optimize.sanity import NOT_CHECKED, Sanity
from bootlab.experiments.optimize.shrinking import Shrinking, UnusedOptions, shrink_kernel
from bootlab.experiments.optimize.waterfall import waterfall
from bootlab.experiments.patience import CutShort
from bootlab.experiments.shared_costs import shared_costs_of
from bootlab.experiments.stack import Stacker
from bootlab.experiments.stacked import Stacked, StackStep, sentence
from bootlab.experiments.standing import hidden_in
from bootlab.experiments.trial import GROUNDS, EndedByHost, require_told, why_broken
from bootlab.experiments.trials import HOPELESS_SHARE, proposals
from bootlab.model.change import Change, apply_all
from bootlab.model.floor import Floor
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.plan import BUILDS, PROGRAMS, Plan
from bootlab.model.question import Question
from bootlab.model.sample import goals_ns
from bootlab.model.verdict import Verdict
from bootlab.techniques.base import Technique

_WORTH_NS = 1_000_000
"""A group that changes nothing is halved when one of its members should have saved at least this."""

_NOT_AGAIN = frozenset({Verdict.BROKEN, Verdict.NO_EFFECT})
_AGAIN = "again"
"""How the names of rounds begin in which what was left out is tried once more."""
_PASSES = 3
"""So often a search begins in one run, when the host ends a boot: for an hour it may have had other work."""
_CAME_TO = {
    Verdict.SAME: "no gain",
    Verdict.UNKNOWN: "no gain shown",
    Verdict.SLOWER: "slower",
    Verdict.DEPENDS: "depends on the board",
    Verdict.BROKEN: "broken",
    Verdict.NO_EFFECT: "no effect shown",
}
_CLOSING_BOOTS = 12
"""The proof of the result: a diagnosis, two power-offs and two traces, each as long as some boots."""


def optimize(bench: Bench, base: Base, plan: Plan, journal: Teller) -> Optimized:
    """Carry a plan out. Interrupted at any instant, the same call goes on from the boots that are kept."""
    tries = Tries(bench, plan.budget_s)
    with tries.ended_by_signal():
        left = _PASSES
        while True:
            try:
                with bench.patience.until(lambda: tries.asked_now):
                    search = _Search(bench, base, plan, journal, tries)
                return search.run()
            except CutShort:
                raise tries.stopped() from None
            except EndedByHost as fault:
                left -= 1
                if not left:
                    raise
                bench.decided(f"  {fault.message}; the search goes on from the boots that are kept")
                bench.again()


class _Search:
    """One run of a plan."""

    def __init__(self, bench: Bench, base: Base, plan: Plan, journal: Teller, tries: Tries) -> None:
        self._bench, self._plan, self._journal, self._tries = bench, plan, journal, tries
        ids = [one for phase in plan.phases for one in phase.taken]
        self._techniques = {technique_id: techniques.get(technique_id) for technique_id in ids}
        if base.rule is None and not base.undithered:
            base = with_dithers(bench, base, cheapest(3 * max(1, len(ids))))
        self._base = base
        journal.base(base)
        self._final = FinalChecks(bench, base, plan.final)
        self._stacker = Stacker(bench, base, tuple(self._techniques.values()), sink=self._told, strict=True)
        self._over: dict[str, str] = {}
        self._without_effect: set[str] = set()
        self._gains: dict[str, int] = {}
        self._parts_kept: dict[str, str] = {}
        self._questions: list[Question] = []
        self._left_out: list[LeaveOneOut] = []
        self._shrinking: Shrinking | None = None
        tries.closing_s = self._closing_s

    def run(self) -> Optimized:
        """Search, and prove the result as far as a person, or a budget, lets the machines go on."""
        result: Optimized | None = None
        try:
            with self._bench.patience.until(self._tries.cut):
                self._try_all()
                self._bench.phase("leave one out", len(self._stacker.changes))
                left_out = self._stacker.leave_one_out(self._why_spared, dear=self._builds)
                result = self._checked(self._stacker.finished(left_out))
                result = self._told_apart(result)
        except CutShort as cut:
            if self._tries.asked_now and not self._stacker.changes:
                raise self._tries.stopped() from None
            if result is None:
                rows = [row for row in self._left_out if row.kept]
                result = self._checked(self._stacker.finished(rows, waiting=False), hurried=str(cut))
            result = msgspec.structs.replace(result, ended=str(cut), no_floor=f"no floor: {cut}")
        return result

    def _try_all(self) -> None:
        """Carry out the phases of the plan, then offer again what was left out."""
        shrunk = False
        for phase in self._plan.phases:
            # Options first, in one build: every kernel that is built after that has a fraction of the files to compile.
            if phase.name == BUILDS and not shrunk:
                shrunk, self._shrinking = True, self._shrink()
                if self._shrinking is not None and self._shrinking.change in self._stacker.changes:
                    # Another kernel waits elsewhere, and to boot it again takes less than to build the next one. How a
                    # program is compiled has nothing to do with it.
                    compiled = {one for part in self._plan.phases if part.name == PROGRAMS for one in part.taken}
                    cheap = tuple(one for one in self._techniques.values() if not (one.builds or one.id in compiled))
                    self._round("again on the shrunk kernel", cheap)
            taken = tuple(self._techniques[name] for name in phase.taken)
            self._round(phase.name, taken, first=True, in_order=phase.reordered)
        if not shrunk:
            self._shrinking = self._shrink()
        for number in range(2, self._plan.rounds + 1):
            before = self._stacker.changes
            self._round(f"{_AGAIN} {number}", tuple(self._techniques.values()))
            if self._stacker.changes == before:
                break

    def _checked(self, stacked: Stacked, *, hurried: str = "") -> Optimized:
        """Run the user's final checks in what stands, and bootlab's own. `hurried`: why there is no time for these."""
        sanity = None if hurried else Sanity(self._bench, self._base, self._costs)
        passed = self._final.passed(stacked, self._tries.over, sanity)
        unchecked = sanity.unchecked if sanity is not None else [f"{NOT_CHECKED}: {hurried}"]
        system = apply_all(self._base.system, passed.stacked.changes)
        hardened = hardening(*(self._bench.target.plan(one) for one in (self._base.system, system)))
        return Optimized(
            base=self._base,
            stacked=passed.stacked,
            system=system,
            contrasts=(*passed.contrasts, *hardened.contrasts),
            unchecked=(*unchecked, *hardened.unchecked),
            diagnosis=None,
            waterfall=(),
            shrinking=self._shrinking,
            parts_kept=self._parts_kept | passed.kept,
            back=passed.back,
            questions=(*self._questions, *passed.questions),
        )

    def _costs(self, change: Change) -> bool:
        """Tell whether a change costs what the user had to let in."""
        technique = self._techniques.get(change.technique)
        # What is in no plan came of an option: the kernel without what does not run.
        return technique is None or bool(technique.risk.costs)

    def _told_apart(self, found: Optimized) -> Optimized:
        """Add what each change saves on the way to the result, the result's diagnosis and its floor."""
        stacked = found.stacked
        bars = waterfall(self._bench, self._base, stacked.changes)
        if not self._tries.over():
            costs = {row.change_id: row.cost_ns for row in stacked.left_out}
            bars = with_partners(self._bench, self._base, stacked.changes, bars, costs)
        self._bench.phase("proof of the result")
        diagnosis = diagnosis_of(self._bench, found.system, stacked.recording, "optimized")
        floor = floor_found(self._bench, found.system, self._plan, diagnosis, self._stacked_in_vain(stacked))
        return msgspec.structs.replace(
            found,
            waterfall=bars,
            diagnosis=diagnosis,
            floor=floor if isinstance(floor, Floor) else None,
            no_floor=floor if isinstance(floor, str) else "",
        )

    def _closing_s(self) -> float:
        """Return what the proof of what stands will take: by what its own boots took, seconds."""
        standing = self._stacker.standing.recording.meta
        boots = len(self._base.boots) + 3 * len(self._stacker.changes) + _CLOSING_BOOTS
        return boots * standing.wall_s / self._bench.jobs

    def _stacked_in_vain(self, stacked: Stacked) -> dict[str, str]:
        """Return techniques that were tried and of which nothing stays, with what the last try came to."""
        kept = {change.technique for change in stacked.changes}
        alone = (step for step in stacked.steps if len(step.changes) == 1 and not step.kept)
        said = {step.change.technique: _CAME_TO[step.verdict] for step in alone if step.verdict in _CAME_TO}
        techniques = {change.id: change.technique for step in stacked.steps for change in step.changes}
        dropped = {techniques[row.change_id]: "no gain in the end" for row in stacked.left_out if not row.kept}
        return {one: why for one, why in {**said, **dropped}.items() if one not in kept}

    def _round(self, name: str, chosen: tuple[Technique, ...], *, first: bool = False, in_order: bool = False) -> None:
        """Offer techniques. `in_order`: as they come, not those first that may save most on what stands."""
        over = self._tries.over()
        if over or not chosen:
            self._refuse(tuple(Change(technique=one.id, ops=()) for one in chosen if first), name, over)
            return
        here = self._base_here(chosen)
        self._journal.round(name, here.recording.meta.goal_ns or 0)
        said, pairs = proposals(here, chosen)
        for one in said if first else ():
            if not one.tried and all(change.technique != one.technique for change in self._stacker.changes):
                change = Change(technique=one.technique, ops=())
                self._stacker.refuse(change, name, f"it does not apply to what stands: {one.applies.reason}")
        changes: defaultdict[str, list[Change]] = defaultdict(list)
        for technique, change in pairs:
            if change.id not in self._over and change not in self._stacker.changes:
                changes[technique.id].append(change)
        self._gains = {one: gain.gain_ns for one, gain in expected_gains(here, changes).items()}
        # What each may save is another sum on what stands now than on the base; a person's order stays as it is.
        order = list(changes) if in_order else sorted(changes, key=lambda one: -self._gains.get(one, 0))
        group: list[Change] = []
        rivals: list[list[Change]] = []
        for technique_id in order:
            own = changes[technique_id]
            if self._techniques[technique_id].exclusive and len(own) > 1:
                rivals.append(own)
                continue
            for change in own:
                if reason := hidden_in(change, self._stacker.changes, tuple(group), self._techniques):
                    self._stacker.refuse(change, name, reason)
                elif self._stacker.conflict(change, tuple(group)):
                    rivals.append([change])
                else:
                    group.append(change)
        self._bench.phase(name, len(group) + sum(map(len, rivals)))
        self._take(tuple(group), name)
        for own in rivals:
            self._choose(tuple(own), name)

    def _take(self, changes: tuple[Change, ...], phase: str) -> None:
        """Keep as much as helps together: all at once, and halves of what fails."""
        pending = [changes] if changes else []
        while pending:
            group = pending.pop()
            if over := self._tries.over():
                self._refuse(group, phase, over)
                continue
            step = self._stacker.offer(group, phase)
            if step is None or step.kept:
                continue
            if len(group) == 1:
                self._in_part(step, phase)
                continue
            if step.unproved:
                missing = dict(step.unproved)
                for change in group:
                    if change.id in missing:
                        # Another change of the group may have taken the ground from it: it is offered again later.
                        self._stacker.refuse(change, phase, f"no effect shown: {missing[change.id]}")
                pending += [rest] if (rest := tuple(c for c in group if c.id not in missing)) else []
            elif step.verdict is Verdict.SAME and phase.startswith(_AGAIN):
                pending += [(change,) for change in self._hidden_in(group)]
            elif step.verdict is not Verdict.SAME or self._promises(group):
                middle = (len(group) + 1) // 2
                halves = group[middle:], group[:middle]
                self._stacker.ahead(halves)
                pending += halves

    def _hidden_in(self, group: tuple[Change, ...]) -> list[Change]:
        """Boot each change of a group that comes to nothing once alone: a loss may hide a gain. Return the gains."""
        stack, here = self._stacker.changes, self._stacker.standing.recording
        flying = []
        for change in group:
            if self._builds(change) or self._stacker.conflict(change):
                continue
            with suppress(*GROUNDS):
                system = apply_all(self._base.system, (*stack, change))
                flying.append((change, self._bench.submit(system, f"stack + {change.id}")))
        goals = goals_ns(self._base.boots)
        least_ns = max(_WORTH_NS, max(goals) - min(goals))
        hidden = []
        for change, boot in flying:
            recording = self._bench.wait(boot)
            require_told(why_broken(self._base.recording, recording), f"stack + {change.id}")
            if (saved_ns := least_saved_ns(self._base.system.costs, here, recording)) is not None:
                hidden.append((saved_ns, change))
        # Taken from the end: what saves most comes first.
        return [change for saved_ns, change in sorted(hidden, key=lambda one: one[0]) if saved_ns > least_ns]

    def _choose(self, changes: tuple[Change, ...], phase: str) -> None:
        """Offer variants that exclude each other, or what stands, one by one: the fastest of them stays."""
        self._stacker.prefetch(changes)
        for change in changes:
            if over := self._tries.over():
                self._refuse((change,), phase, over)
                continue
            step = self._stacker.offer((change,), phase, replace=True)
            if step is not None and not step.kept:
                self._in_part(step, phase)

    def _in_part(self, step: StackStep, phase: str) -> None:
        """Of a change that breaks the system and leaves many things out, offer as much as works."""
        if step.verdict is not Verdict.BROKEN or not parts_of(step.change) or self._tries.over():
            return
        standing = self._stacker.standing.system
        found = in_part(self._bench, self._base, standing, step.change, over=self._tries.over)
        self._parts_kept |= found.kept
        self._questions += found.questions
        if found.change is not None:
            self._stacker.offer((found.change,), phase)

    def _shrink(self) -> Shrinking | None:
        if not self._plan.shrink or self._tries.over():
            return None
        self._journal.round("unused kernel options", self._stacker.standing.recording.meta.goal_ns or 0)
        shrunk = shrink_kernel(
            self._bench,
            self._base,
            self._stacker.standing,
            self._plan.keep,
            unguarded="security" in self._plan.allow,
            over=self._tries.over,
            also=self._final.why_broken,
        )
        self._questions += shrunk.questions if shrunk is not None else ()
        if shrunk is not None and shrunk.change is not None:
            self._stacker.know(shrunk.technique)
            step = self._stacker.offer((shrunk.change,), "unused kernel options")
            if step is not None and step.kept:
                self._over = {one: why for one, why in self._over.items() if one not in self._without_effect}
        return shrunk

    def _why_spared(self, change: Change) -> str:
        """Say why a change is not left out once more, or ""."""
        if not self._builds(change):
            return ""
        if change.technique == UnusedOptions.id:
            return "not left out at the end: that would build the full kernel; it was proved when it was added"
        over = self._tries.over()
        return f"not left out at the end: {over}; it was proved when it was added" if over else ""

    def _builds(self, change: Change) -> bool:
        """Tell whether a kernel is built for a change on what stands."""
        stack = self._stacker.changes
        system = apply_all(self._base.system, tuple(c for c in stack if c != change))
        return change.apply(system).kernel.build != system.kernel.build

    def _base_here(self, chosen: tuple[Technique, ...]) -> Base:
        """Return the system that stands so far as techniques look at it."""
        standing = self._stacker.standing.system
        here = self._base if standing == self._base.system else establish(self._bench, standing, label="stack")
        if any(technique.needs_trace for technique in chosen) and here.shared_costs is None:
            here = msgspec.structs.replace(here, shared_costs=shared_costs_of(self._bench, standing))
        return here

    def _told(self, step: StackStep | LeaveOneOut) -> None:
        self._journal.step(step)
        self._bench.decided(sentence(step))
        if isinstance(step, LeaveOneOut):
            self._left_out.append(step)
        elif step.kept:
            self._bench.decided(self._proved(step))
        if isinstance(step, StackStep) and not step.kept and len(step.changes) == 1:
            lost = -step.best_ns > HOPELESS_SHARE * step.before_ns
            late = self._techniques[step.change.technique].late if step.change.technique in self._techniques else False
            if lost or (step.verdict in _NOT_AGAIN and not (late and step.verdict is Verdict.NO_EFFECT)):
                self._over[step.change.id] = step.reason
                if not lost and step.verdict is Verdict.NO_EFFECT and not self._builds(step.change):
                    self._without_effect.add(step.change.id)
        if isinstance(step, StackStep) and not step.kept and step.verdict in {Verdict.SAME, Verdict.SLOWER}:
            # Kernels come last: nothing that is taken after them turns the sign of an option, and each is a build.
            alone = step.members or (step.change,)
            self._over |= {one.id: step.reason for one in alone if self._builds(one)}

    def _proved(self, step: StackStep) -> str:
        base_ns = round(statistics.median(goals_ns(self._base.boots)))
        boots = self._bench.boots_made + self._bench.boots_reused
        return proved_so_far(base_ns, step.after_ns or 0, boots, time.monotonic() - self._bench.patience.began_s)

    def _refuse(self, changes: tuple[Change, ...], phase: str, reason: str) -> None:
        for change in changes:
            self._stacker.refuse(change, phase, reason)

    def _promises(self, changes: tuple[Change, ...]) -> bool:
        return any(self._gains.get(change.technique, 0) >= _WORTH_NS for change in changes)
