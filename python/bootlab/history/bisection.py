# SPDX-License-Identifier: MIT
"""A bisection on a bench: each revision is booted once; the two beside the step again, under dithers."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.errors import BootlabError, UserError
from bootlab.experiments.bench import Bench
from bootlab.history.bisect import Bisected, bisect
from bootlab.history.disturbed import Disturbed, goals_under_dithers
from bootlab.history.of_recording import of_recording
from bootlab.history.revisions import Revision, Revisions
from bootlab.model.system import SystemDescription

OpenBench = Callable[[SystemDescription], Bench]


class BisectionStep(msgspec.Struct, frozen=True, kw_only=True):
    """One revision that was booted. `goal_ns` None: it could not be built or did not reach its goal, see `why`."""

    revision: Revision
    goal_ns: int | None = None
    why: str = ""
    stages_ns: dict[str, int] = {}


class Bisection(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found: the revision (None: none got slower), its steps in the order of the boots.

    `disturbed`: the two revisions beside the step under dithers; None where no step was found, or where one of them
    cannot be booted so.
    """

    revisions: tuple[Revision, ...]
    found: Bisected
    steps: tuple[BisectionStep, ...]
    disturbed: Disturbed | None = None

    @property
    def culprit(self) -> Revision | None:
        """The revision that made the boot slower; None: none did, it is one of several, or the step does not stand."""
        if self.found.first_slow is None or self.found.spread or len(self.found.suspects) != 1:
            return None
        if self.disturbed is None or not self.disturbed.stands:
            return None
        return self.revisions[self.found.first_slow]

    def stages_grew_ns(self) -> dict[str, int]:
        """Return by how much each stage grew with the first slow revision, the largest first."""
        if self.found.first_slow is None:
            return {}
        by_name = {step.revision.name: step.stages_ns for step in self.steps}
        new = by_name[self.revisions[self.found.first_slow].name]
        old = by_name[self.revisions[self.found.suspects[0] - 1].name]
        grew = {name: new.get(name, 0) - old.get(name, 0) for name in dict.fromkeys([*old, *new])}
        return dict(sorted(grew.items(), key=lambda item: -abs(item[1])))


def search(
    revisions: Revisions,
    open_bench: OpenBench,
    *,
    smallest_ns: int | None = None,
    told: Callable[[BisectionStep], None] = lambda _: None,
) -> Bisection:
    """Find the revision that made the boot slower. `told` hears of each revision as it was booted.

    Raise UserError for systems that are not exact: their boots are noise.
    """
    steps: list[BisectionStep] = []

    def boot(place: int) -> int | None:
        step = _booted(revisions.all[place], lambda: revisions.system(place), open_bench)
        steps.append(step)
        told(step)
        return step.goal_ns

    found = bisect(len(revisions.all), boot, smallest_ns=smallest_ns)
    bisection = Bisection(revisions=revisions.all, found=found, steps=tuple(steps))
    if found.first_slow is None or found.spread or len(found.suspects) != 1:
        return bisection
    return msgspec.structs.replace(bisection, disturbed=_disturbed(revisions, found.first_slow, open_bench))


def _disturbed(revisions: Revisions, first_slow: int, open_bench: OpenBench) -> Disturbed | None:
    sides: list[tuple[int, ...]] = []
    for place in (first_slow - 1, first_slow):
        # One after the other: there is one checkout.
        system = revisions.system(place)
        with open_bench(system) as bench:
            goals = goals_under_dithers(bench, system, f"{system.name} at {revisions.all[place].name[:12]}")
        if goals is None:
            return None
        sides.append(goals)
    return Disturbed(before_ns=sides[0], after_ns=sides[1])


def _booted(revision: Revision, make: Callable[[], SystemDescription], open_bench: OpenBench) -> BisectionStep:
    try:
        system = make()
    except BootlabError as fault:
        return BisectionStep(revision=revision, why=fault.message)
    if system.clock.mode != "exact":
        raise UserError(
            f"{system.name}: boots in free mode are noisy, so one boot of each revision proves nothing",
            hint="set clock.mode = 'exact'; for boards: bootlab gate --against, revision by revision",
        )
    try:
        with open_bench(system) as bench:
            recording = bench.boot(system, f"{system.name} at {revision.name[:12]}")
    except BootlabError as fault:
        if fault.exit_code == 130:
            raise
        return BisectionStep(revision=revision, why=fault.message)
    times = of_recording(recording)
    stages = {name: ns for name, ns in times.values.items() if name != "total"}
    if times.total_ns is None:
        why = f"{recording.meta.outcome.value}: {recording.meta.reason}".rstrip(": ")
        return BisectionStep(revision=revision, why=why, stages_ns=stages)
    return BisectionStep(revision=revision, goal_ns=times.total_ns, stages_ns=stages)
