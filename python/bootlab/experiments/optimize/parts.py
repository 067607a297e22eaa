# SPDX-License-Identifier: MIT
"""Of a change that leaves many things out and breaks the system, as much as works: files, modules, applets."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

import msgspec

from bootlab.experiments.base import Base, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.foresight import likely_next
from bootlab.experiments.optimize.halving import take_most
from bootlab.experiments.trial import GROUNDS, grounded, require_told
from bootlab.experiments.trim import named_on_console
from bootlab.model.change import Change, DropFiles, DropInitramfsFiles, Op, SetBusybox
from bootlab.model.question import Question
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription

MOST = 60
"""So many systems are asked about for one change. What is not decided by then stays in the tree."""

Oracle = Callable[[SystemDescription, Recording, str], str]
"""Says why a system that was booted does not work, or ""."""


class InPart(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `change`: what can go, None where nothing can; `kept`: what stays, each with the reason."""

    change: Change | None
    kept: dict[str, str]
    questions: tuple[Question, ...] = ()


def parts_of(change: Change) -> tuple[str, ...]:
    """Return what a change leaves out, by path; () where that cannot be parted."""
    dropped = (op.paths for op in change.ops if isinstance(op, DropFiles | DropInitramfsFiles))
    paths = tuple(dict.fromkeys(path for paths in dropped for path in paths))
    return paths if len(paths) > 1 else ()


def only(change: Change, paths: frozenset[str]) -> Change:
    """Return the change that leaves only these out. A BusyBox gets the applets back to which links lead again."""
    back = tuple(path for path in parts_of(change) if path not in paths)
    if not back:
        return change
    ops: list[Op] = []
    for op in change.ops:
        if isinstance(op, DropFiles | DropInitramfsFiles):
            ops += [type(op)(left)] if (left := tuple(path for path in op.paths if path in paths)) else []
        elif isinstance(op, SetBusybox) and op.applets:
            names = {*op.applets, *(path.rpartition("/")[2] for path in back)}
            ops.append(msgspec.structs.replace(op, applets=tuple(sorted(names))))
        else:
            ops.append(op)
    label = f"{len(paths)} of {len(paths) + len(back)}"
    return msgspec.structs.replace(change, ops=tuple(ops), label=f"{change.label}, {label}" if change.label else label)


def in_part(
    bench: Bench, base: Base, standing: SystemDescription, change: Change, *, over: Callable[[], str]
) -> InPart:
    """Find as much of a change as works on top of what stands.

    All at once, and halves of what fails; what a failed boot's console misses by name stays without a further question.
    `over`: why nothing more is tried, or "".
    """
    return most_that_works(
        bench, standing, change, lambda system, boot, label: why_lost(bench, base, system, boot, label), over=over
    )


def most_that_works(
    bench: Bench, standing: SystemDescription, change: Change, why_broken: Oracle, *, over: Callable[[], str]
) -> InPart:
    """Do the same with another oracle. Every answer rests on kept boots: interrupted, none is asked for twice.

    Where several machines run at a time, the others boot what may be asked next.
    """
    names = parts_of(change)
    bench.phase(f"{change.id}: what of it works", min(MOST, len(names)))
    named: dict[frozenset[str], frozenset[str]] = {}
    asked: dict[frozenset[str], Question] = {}
    guessed: list[Future[Recording]] = []

    def label_of(wanted: frozenset[str]) -> str:
        return f"without {len(wanted)} of {len(names)} of {change.id}"

    def begin_next() -> None:
        idle = bench.jobs - 1 - sum(not one.done() for one in guessed)
        answers = {wanted: question.broken for wanted, question in asked.items()}
        for wanted in likely_next(
            lambda oracle: take_most(names, lambda taken, group: oracle(frozenset((*taken, *group))), blamed),
            answers,
            max(0, min(idle, MOST - 1 - len(asked))),
        ):
            with suppress(*GROUNDS):
                guessed.append(bench.submit(only(change, wanted).apply(standing), label_of(wanted)))

    def why_not(taken: tuple[str, ...], group: tuple[str, ...]) -> str:
        wanted = frozenset((*taken, *group))
        if ended := over() or ("" if len(asked) < MOST else f"{MOST} systems were asked about"):
            return f"not decided: {ended}"
        label = label_of(wanted)
        try:
            system = only(change, wanted).apply(standing)
            plan = bench.target.plan(system)
            # What follows a boot that an earlier run made was made then, too.
            kept = bench.place(plan.key).exists()
            boot = bench.submit_plan(plan, label)
            if not kept:
                begin_next()
            recording = bench.wait(boot)
        except GROUNDS as fault:
            asked[wanted] = Question(what=label, broken=grounded(fault)[1])
            return asked[wanted].broken
        broken = why_broken(system, recording, label)
        require_told(broken, label)
        if broken:
            named[wanted] = frozenset(one.path for one in named_on_console(recording, wanted))
        asked[wanted] = Question(what=label, broken=str(broken), key=recording.meta.key)
        bench.decided(f"  {label}: {broken or 'it works'}")
        return broken

    def blamed(taken: tuple[str, ...], group: tuple[str, ...]) -> tuple[str, ...]:
        missing = named.get(frozenset((*taken, *group)), frozenset())
        return tuple(one for one in group if one in missing)

    found = take_most(names, why_not, blamed)
    smaller = only(change, frozenset(found.taken)) if found.taken else None
    return InPart(change=smaller, kept=dict(found.left), questions=tuple(asked.values()))
